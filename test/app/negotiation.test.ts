import assert from 'node:assert/strict'
import test from 'node:test'
import { openTestApp } from '../support/app.ts'

const markdown = 'text/markdown; charset=utf-8'
const page = 'text/html; charset=utf-8'

const table: readonly [accept: string | undefined, type: string][] = [
  [undefined, page],
  ['', page],
  ['*/*', page],
  ['text/html', page],
  ['text/*', page],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', page],
  ['text/markdown', markdown],
  ['text/markdown, text/html, */*', markdown],
  ['text/html, text/markdown', page],
  ['text/markdown, text/plain;q=0.9, */*;q=0.8', markdown],
  ['text/markdown;q=0.5, text/html;q=0.4', markdown],
  ['text/markdown;q=0.5, text/html', page],
  ['text/markdown;q=0.5, text/html;q=0.5', markdown],
  ['text/html;q=0.5, text/markdown;q=0.5', page],
  ['text/markdown;q=0, */*', page],
  ['text/html;q=0, text/markdown;q=0.1', markdown],
  ['text/html;q=0, */*', markdown],
  ['*/*;q=0.1, text/html;q=0.0', markdown],
  ['text/html;q=0, text/*', markdown],
  ['text/html;q=0, text/markdown;q=0, */*', page],
  ['text/html;q=0, application/*', page],
  ['TEXT/MARKDOWN', markdown],
  ['text/markdown;q=nonsense', page],
  ['text/markdown;q=0.5, */*', page],
  ['image/png', page],
]

test('a page is HTML or Markdown by q, and on a tie by what is named first [4.4.negotiate]', async (t) => {
  const app = openTestApp(t)
  const wrong: unknown[] = []
  for (const path of ['/', '/contact/', '/decks/', '/agents/']) {
    for (const [accept, type] of table) {
      const { status, headers } = await app.ask('GET', path, {
        headers: accept === undefined ? {} : { accept },
      })
      if (status !== 200 || headers['content-type'] !== type) wrong.push([path, accept])
      if (!headers['vary']?.startsWith('Accept')) wrong.push([path, accept, headers['vary']])
    }
  }
  assert.deepEqual(wrong, [])
})

test('whoever prefers Markdown gets the .md sibling of the page [4.4.markdown, 4.3.twin]', async (t) => {
  const app = openTestApp(t)
  for (const [path, twins] of [
    ['/', ['/index.md']],
    ['/contact/', ['/contact.md', '/contact/index.md']],
  ] as const) {
    const negotiated = await app.ask('GET', path, { headers: { accept: 'text/markdown' } })
    assert.equal(negotiated.headers['content-type'], markdown)
    assert.match(negotiated.headers['vary']!, /^Accept\b/)
    for (const twin of twins) {
      const sibling = await app.ask('GET', twin)
      assert.deepEqual(
        [sibling.status, sibling.headers['content-type'], sibling.text, sibling.headers['etag']],
        [200, markdown, negotiated.text, negotiated.headers['etag']],
      )
    }
  }
})

test('a missing path is /404.md for whoever prefers Markdown, with status 404 [4.4.missing, 7.missing]', async (t) => {
  const app = openTestApp(t)
  const accept = 'text/markdown, text/html;q=0.9'
  const missing = await app.ask('GET', '/nothing/here', { headers: { accept } })
  const twin = await app.ask('GET', '/404.md')
  assert.deepEqual(
    [missing.status, missing.headers['content-type'], missing.headers['vary']?.slice(0, 6)],
    [404, markdown, 'Accept'],
  )
  assert.equal(missing.text, twin.text)
  assert.equal(twin.status, 200)
})

test('a missing path is a page for people and an envelope for programs', async (t) => {
  const app = openTestApp(t)
  const person = await app.ask('GET', '/nothing', { headers: { accept: 'text/html,*/*;q=0.8' } })
  assert.deepEqual([person.status, person.headers['content-type']], [404, page])
  const program = await app.ask('GET', '/nothing', { headers: { accept: 'application/json' } })
  assert.equal(program.status, 404)
  assert.match(program.text, /"code":"NOT_FOUND"/)
  const curl = await app.ask('GET', '/api/nothing', { headers: { accept: '*/*' } })
  assert.match(curl.text, /"code":"NOT_FOUND"/)
})

test('every page says where its twin, the guide and the API description are [discover.links]', async (t) => {
  const app = openTestApp(t)
  const { headers, text } = await app.ask('GET', '/decks/')
  const relations = [...headers['link']!.matchAll(/<([^>]+)>; rel="([^"]+)"/g)].map(
    ([, target, relation]) => [relation, target],
  )
  assert.deepEqual(relations, [
    ['canonical', 'https://decks.example.com/decks/'],
    ['alternate', '/decks.md'],
    ['describedby', '/llms.txt'],
    ['service-desc', '/openapi.json'],
    ['service-doc', '/agents/'],
    ['api-catalog', '/.well-known/api-catalog'],
    ['ai-catalog', '/.well-known/ai-catalog.json'],
  ])
  const type = 'application/vnd.oai.openapi+json;version=3.1'
  assert.ok(headers['link']!.includes(`</openapi.json>; rel="service-desc"; type="${type}"`))
  assert.ok(text.includes(`<link rel="service-desc" href="/openapi.json" type="${type}">`))
})
