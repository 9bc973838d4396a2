import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import test from 'node:test'
import { parse } from 'yaml'
import { documents, documentRows } from '../../src/contract/documents.ts'
import { fields } from '../../src/contract/fields.ts'
import { receiptSchema } from '../../src/contract/schemas.ts'
import { openTestApp, type TestAnswer, type TestApp } from '../support/app.ts'
import { sam } from '../support/leads.ts'

const baseUrl = 'https://decks.example.com'
const fieldNames: readonly string[] = fields.map(({ name }) => name)

test('from the home page, by links alone, an agent reaches every page and document [1.discovery, discover.links]', async (t) => {
  const found = await crawl(openTestApp(t))
  const dead = [...found].filter(([, { status }]) => status !== 200).map(([path]) => path)
  assert.deepEqual(dead, [])
  const unreached = documentRows.map(({ path }) => path).filter((path) => !found.has(path))
  assert.deepEqual(unreached, [])
  const pages = sitemapPaths(found.get('/sitemap.xml')!)
  assert.ok(pages.length >= 8)
  assert.deepEqual(
    pages.filter((path) => !found.has(path) || !found.has(twinOf(path))),
    [],
  )
})

test('every page says how much of its address other sites may see', async (t) => {
  const app = openTestApp(t)
  const found = await crawl(app)
  const { status_url: url } = (await app.postJson(sam)).json as { status_url: string }
  const receipt = new URL(url).pathname
  for (const path of ['/nothing-here/', '/do-i-come/', receipt]) {
    found.set(path, await app.ask('GET', path, { headers: { accept: 'text/html' } }))
  }
  const pages = [...found].filter(([, { headers }]) =>
    headers['content-type']!.startsWith('text/html'),
  )
  assert.ok(pages.length > 12)
  const silent = pages.filter(([, { headers }]) => headers['referrer-policy'] === undefined)
  assert.deepEqual(
    silent.map(([path]) => path),
    [],
  )
  const policyOf = (path: string) => found.get(path)!.headers['referrer-policy']
  assert.equal(policyOf(receipt), 'no-referrer')
  for (const path of ['/', '/decks/', '/nothing-here/']) {
    assert.equal(policyOf(path), 'strict-origin-when-cross-origin', path)
  }
})

test('what agents read whole is small: the prose of the guide below 3.5 kB, the API description below 41 kB and 500 bytes a field', async (t) => {
  const app = openTestApp(t)
  const guide = (await app.ask('GET', '/llms.txt')).text
  // Fields, pages, documents and what the business does are lists. An owner may add to each of them.
  const prose = guide.split('\n').filter((line) => !line.startsWith('- '))
  const description = (await app.ask('GET', '/openapi.json')).text
  for (const [text, most] of [
    [prose.join('\n'), 3_500],
    [description, 41_000 + 500 * fields.length],
  ] as const) {
    const { length } = Buffer.from(text)
    assert.ok(length < most, `${text.slice(0, 40)}: ${length}`)
  }
})

test('everything an agent finds agrees on fields, lengths, paths and names', async (t) => {
  const found = await crawl(openTestApp(t))
  const text = (path: string) => found.get(path)!.text
  const json = (path: string) => JSON.parse(text(path))

  for (const words of [text('/llms.txt'), json('/.well-known/mcp.json').instructions]) {
    assert.match(words, /GET .*status_url.* POST to the `?withdraw_url/)
  }
  const openapi = json('/openapi.json')
  assert.deepEqual(parse(text('/openapi.yaml')), openapi)
  const request = openapi.components.schemas.LeadRequest
  const described = Object.keys(request.properties).filter((name) => !isOurs(name))
  assert.deepEqual(described, fieldNames)
  assert.deepEqual(
    fields.map(({ name }) => request.properties[name].maxLength),
    fields.map(({ maxLength }) => maxLength),
  )
  assert.deepEqual(request.required, ['name_1', 'email_1'])

  const card = json('/.well-known/mcp.json')
  const submit = card.tools.find((tool: { name: string }) => tool.name.startsWith('submit_'))
  const argumentsOfTool = Object.keys(submit.inputSchema.properties)
  assert.deepEqual(
    argumentsOfTool.filter((name) => !isOurs(name)),
    fieldNames,
  )
  assert.ok(!argumentsOfTool.includes('botcheck'))

  const form = text('/contact/')
  const inForm = [...form.matchAll(/<(?:input|textarea)[^>]* name="([^"]+)"/g)].map(([, n]) => n!)
  assert.deepEqual(
    inForm.filter((name) => !isOurs(name)),
    fieldNames,
  )
  for (const path of ['/agents.md', '/contact.md', '/llms-full.txt', skillPath]) {
    const unnamed = fieldNames.filter((name) => !text(path).includes(`\`${name}\``))
    assert.deepEqual([path, unnamed], [path, []])
  }

  const [business] = jsonLdIn(text('/'))
  const { urlTemplate, httpMethod } = business.potentialAction.target
  assert.deepEqual([urlTemplate, httpMethod], [`${baseUrl}/api/lead`, 'POST'])
  assert.equal(/<form[^>]* action="([^"]+)"/.exec(form)![1], '/api/lead')
  assert.ok(openapi.paths['/api/lead'].post && openapi.servers[0].url === baseUrl)
  for (const path of ['/llms.txt', '/agents.md', skillPath, '/cli.md']) {
    assert.match(text(path), /\/api\/lead|submitConsultationLead/, path)
  }
  const serverCard = json('/mcp/server-card')
  assert.deepEqual(
    [card.transport.endpoint, serverCard.remotes[0].url],
    [`${baseUrl}/mcp`, `${baseUrl}/mcp`],
  )
  for (const path of ['/llms.txt', '/agents.md', skillPath])
    assert.match(text(path), /\/mcp\b/, path)

  const catalog = json('/.well-known/ai-catalog.json')
  assert.equal(catalog.host.displayName, business.name)
  assert.ok(text('/llms.txt').startsWith(`# ${business.name}\n`))
  const urls = catalog.entries.flatMap((entry: { url?: string }) => entry.url ?? [])
  const unknown = urls.filter((url: string) => !found.has(url.slice(baseUrl.length)))
  assert.deepEqual(unknown, [])

  const inGuide = [...text('/llms.txt').matchAll(/\]\(([^)]+)\)/g)].map(([, url]) => url!)
  const explained = documentRows.filter(({ guide }) => guide !== undefined)
  assert.ok(explained.length >= 3)
  for (const { path } of explained) assert.ok(inGuide.includes(baseUrl + path), path)
  const unguided = sitemapPaths(found.get('/sitemap.xml')!).filter(
    (path) => !inGuide.includes(baseUrl + twinOf(path)),
  )
  assert.deepEqual(unguided, [])
})

test('people and agents read the same licence limit wherever they look', async (t) => {
  const found = await crawl(openTestApp(t))
  for (const path of ['/', '/how-it-works/', '/about/', '/agents.md', '/llms.txt', skillPath]) {
    assert.match(found.get(path)!.text, /\$5,000/, path)
  }
  assert.match(JSON.parse(found.get('/openapi.json')!.text).info.description, /\$5,000/)
})

test('the page for agents names every part of a receipt that comes and goes, and how to type the trap', async (t) => {
  const { text } = await openTestApp(t).ask('GET', '/agents.md')
  const { properties, required = [] } = receiptSchema
  const sometimes = Object.keys(properties).filter((name) => !required.includes(name))
  assert.ok(sometimes.length > 5)
  assert.deepEqual(
    sometimes.filter((name) => !text.includes(`\`${name}\``)),
    [],
  )
  assert.match(text, /openapi-typescript needs `--default-non-nullable=false`/)
})

test('Contact and the receipt do what Privacy says', async (t) => {
  const app = openTestApp(t)
  const text = async (path: string) => (await app.ask('GET', path)).text
  const [, why = ''] = /## Why\n\n(.*?)\./.exec(await text('/privacy.md')) ?? []
  assert.equal(why, 'To answer you, arrange a Consultation and plan the project')
  assert.match(
    await text('/contact.md'),
    /to answer you, to arrange a Consultation and to plan the project/,
  )
  const collected = /## What I collect, and how\n\n(.*?)\. An agent/.exec(await text('/privacy.md'))
  const asked = fields.map(({ ownerLabel }) => ownerLabel.toLowerCase())
  assert.deepEqual(
    asked.filter((each) => !collected?.[1]?.includes(each)),
    [],
  )
  // The page that `init` writes names them by the same placeholder.
  const starter = await readFile('packaging/site/content/pages/privacy.md', 'utf8')
  assert.match(starter, /\nYour \{\{fields\.sent\}\}\./)
  // A receipt shows the status, too.
  assert.match(
    await text('/privacy.md'),
    /shows your reference, how far your request has come, and times/,
  )
})

const skillPath = documents.skill.path

/** Names that nobody types. */
function isOurs(name: string): boolean {
  return name === 'botcheck' || name === 'idempotency_key'
}

/** Follows what a reader would: links in HTML and Markdown, and Link headers. Never guesses. */
async function crawl(app: TestApp): Promise<Map<string, TestAnswer>> {
  const found = new Map<string, TestAnswer>()
  const waiting = ['/']
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (found.has(path)) continue
    const answer = await app.ask('GET', path)
    found.set(path, answer)
    waiting.push(...linksIn(answer))
  }
  return found
}

function linksIn({ headers, text }: TestAnswer): string[] {
  const type = headers['content-type'] ?? ''
  const inHeader = (headers['link'] ?? '').matchAll(/<([^>]+)>/g)
  const inHtml = type.startsWith('text/html') ? text.matchAll(/ (?:href|src)="([^"]+)"/g) : []
  const isProse = /^text\/(?:markdown|plain)/.test(type)
  const inMarkdown = isProse ? text.matchAll(/\]\(([^)\s]+)\)/g) : []
  return [...inHeader, ...inHtml, ...inMarkdown].flatMap(([, target]) => {
    const url = new URL(target!.replaceAll('&amp;', '&'), baseUrl)
    return url.origin === baseUrl ? [url.pathname] : []
  })
}

function sitemapPaths({ text }: TestAnswer): string[] {
  return [...text.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, url]) => new URL(url!).pathname)
}

function twinOf(path: string): string {
  return path === '/' ? '/index.md' : `${path.slice(0, -1)}.md`
}

function jsonLdIn(page: string) {
  const blocks = page.matchAll(/<script type="application\/ld\+json">(.*?)<\/script>/g)
  return [...blocks].map(([, block]) => JSON.parse(block!))
}
