import assert from 'node:assert/strict'
import test from 'node:test'
import { HtmlValidate } from 'html-validate'
import { openTestApp, type TestApp } from '../support/app.ts'
import { robin } from '../support/leads.ts'

const validate = new HtmlValidate({
  root: true,
  extends: ['html-validate:standard', 'html-validate:a11y', 'html-validate:document'],
  rules: {
    // The validator does not know the form's attributes for WebMCP yet.
    'no-unknown-attributes': 'off',
    'require-sri': ['error', { target: 'crossorigin' }],
  },
})

test('every page is valid HTML, the private and the missing ones too', async (t) => {
  const app = openTestApp(t)
  const faults: string[] = []
  for (const [name, text] of await pagesOf(app)) {
    const { results } = await validate.validateString(text)
    for (const { messages } of results) {
      for (const { ruleId, message, line } of messages) {
        faults.push(`${name}:${line}: ${message} (${ruleId})`)
      }
    }
  }
  assert.deepEqual(faults, [])
})

async function pagesOf(app: TestApp): Promise<[name: string, text: string][]> {
  const headers = { accept: 'text/html' }
  const sitemap = await app.ask('GET', '/sitemap.xml')
  const listed = [...sitemap.text.matchAll(/<loc>([^<]+)</g)].map(
    ([, url]) => new URL(url!).pathname,
  )
  const { json } = await app.postJson(robin)
  const receipt = new URL((json as { status_url: string }).status_url).pathname
  const paths = [...listed, '/thanks/', receipt, '/nothing']
  const pages: [string, string][] = []
  for (const path of paths) pages.push([path, (await app.ask('GET', path, { headers })).text])
  const failed = await app.postForm({ name_1: '', email_1: 'a@b', textarea_1: 'A deck.' })
  const cookie = failed.cookies.map((each) => each.split(';')[0]).join('; ')
  const again = await app.ask('GET', '/contact/', { headers: { ...headers, cookie } })
  return [...pages, ['/contact/ with problems', again.text]]
}
