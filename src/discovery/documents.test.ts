import assert from 'node:assert/strict'
import test from 'node:test'
import { documents, type DocumentName, type DocumentRow } from '../contract/documents.ts'
import { writeDocuments } from './documents.ts'
import { facts } from '../../test/support/sample-facts.ts'

const now = Date.UTC(2026, 10, 15, 9)
const written = writeDocuments(facts).map(({ body, ...document }) => {
  return { ...document, body: String(typeof body === 'function' ? body() : body.anew(now)) }
})

function textOf(name: DocumentName): string {
  return written.find(({ path }) => path === documents[name].path)!.body
}

test('every document of the contract is there, on each of its paths, for scripts of any site', () => {
  const rows: DocumentRow[] = Object.values(documents)
  assert.deepEqual(
    written.map(({ path, type }) => [path, type]),
    rows.flatMap(({ path, also = [], type }) => [path, ...also].map((each) => [each, type])),
  )
  for (const { body, headers } of written) {
    assert.ok(body.endsWith('\n'))
    assert.equal(headers['Access-Control-Allow-Origin'], '*')
  }
})

test('documents for programs are compact: no blanks between their members', () => {
  const ofJson = written.filter(({ type }) => /[/+]json\b/.test(type))
  assert.ok(ofJson.length > 5)
  for (const { path, body } of ofJson) {
    assert.equal(body, `${JSON.stringify(JSON.parse(body))}\n`, path)
  }
})

test('no document asks about figures, speaks as a crowd, or offers to look after old decks', () => {
  const fishing =
    /\b(?:quot(?:e|es|ed|ation)|estimates?|cheap|affordable|prices?|costs?|budget|free)\b/i
  const crowd = /\b(?:we|our|ours|us)\b/i
  const upkeep = /\b(?:maintain|maintenance|re-oil|oiling|sanding|restore|clean|repairs?|upkeep)\b/i
  for (const { path, body } of written) {
    // Said to agents, to tell them of the rule itself.
    const said = body.replaceAll(/gives no price|language that fishes for prices/g, '')
    for (const words of [fishing, crowd, upkeep]) assert.doesNotMatch(said, words, path)
  }
})

test('the sitemap names indexed pages only, with the day they changed [4.3.sitemap]', () => {
  assert.equal(
    textOf('sitemap'),
    `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
  <url><loc>https://decks.example.com/</loc><lastmod>2026-11-10</lastmod></url>
</urlset>
`,
  )
})

test('crawlers may read everything, and are told what the owner allows [4.3.robots]', () => {
  assert.equal(
    textOf('robots'),
    `# For agents: site guide at https://decks.example.com/llms.txt
User-agent: *
Content-Signal: search=yes, ai-input=yes, ai-train=no
Allow: /

Sitemap: https://decks.example.com/sitemap.xml
`,
  )
})
