import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import type { Business } from '../contract/business.ts'
import { documentRows } from '../contract/documents.ts'
import { html } from '../html.ts'
import { layout, type FramedPage } from './layout.ts'
import { readBusiness } from './business.ts'
import { paperOf } from './site.ts'

const business: Business = {
  ...readBusiness('content/business.yaml'),
  name: 'Example Decks & Pergolas',
  owner: 'Sam',
  summary: 'I build decks </script><script>alert(1)</script> and pergolas.',
  region: 'the Northern Rivers',
  state: 'NSW',
  timeZone: 'Australia/Sydney',
  areas: [{ name: 'Lismore', postcodes: ['2480'] }],
  hours: [{ days: ['Monday', 'Tuesday'], opens: '07:00', closes: '16:30' }],
  does: ['Decks'],
  doesNot: ['Apartments'],
  contact: { phone: '(02) 5550 0100', email: 'sam@example.com' },
  privacy: { email: 'privacy@example.com' },
  security: { email: 'security@example.com' },
  crawlers: { search: true, aiInput: true, aiTrain: false },
}
const style = readFileSync(new URL('../../public/site.css', import.meta.url), 'utf8')
const navigation = [
  { path: '/decks/', label: 'Decks' },
  { path: '/contact/', label: 'Contact' },
]
const frame = {
  business,
  baseUrl: 'https://decks.example.com',
  navigation,
  style,
  paper: paperOf(style),
  mark: html`<svg></svg>`,
  share: { path: '/share.png', width: 1200, height: 630 },
}
const decks: FramedPage = {
  path: '/decks/',
  title: 'Decks',
  description: 'New decks & steps.',
  main: html`<h1>Decks</h1>`,
}

test('a page says what it is, where it is, and where its twin is', () => {
  const page = layout(frame, decks).text
  assert.ok(page.includes('<title>Decks · Example Decks &amp; Pergolas</title>'))
  assert.ok(page.includes('<meta name="description" content="New decks &amp; steps.">'))
  assert.ok(page.includes('<link rel="canonical" href="https://decks.example.com/decks/">'))
  assert.ok(page.includes('<link rel="alternate" type="text/markdown" href="/decks.md">'))
  assert.ok(!page.includes('noindex'))
  assert.ok(
    layout(frame, { ...decks, path: '/', title: 'Home' }).text.includes('<title>Home</title>'),
  )
})

test('every document for agents is linked from the foot of every page, the guide in plain sight', () => {
  const page = layout(frame, decks).text
  const body = page.slice(page.indexOf('<body>'))
  for (const { path } of documentRows) assert.ok(body.includes(`<a href="${path}">`), path)
  const guide = body.indexOf('For agents: site guide at <a href="/llms.txt">/llms.txt</a>')
  assert.ok(guide > body.indexOf('</main>') && guide < body.indexOf('<details'))
  assert.equal(body.split('For agents').length - 1, 1, 'named once')
})

test('the facts are there for programs, and nothing in them gets out of its block', () => {
  const contactPage = { ...decks, path: '/contact/', title: 'Contact', updated: '2026-11-15' }
  const page = layout(frame, contactPage).text
  const blocks = [...page.matchAll(/<script type="application\/ld\+json">(.*?)<\/script>/g)]
  const [shop, site, contact] = blocks.map(([, json]) => JSON.parse(json!))
  assert.equal(shop['@type'], 'HomeAndConstructionBusiness')
  assert.equal(shop.description, business.summary)
  assert.deepEqual(shop.potentialAction.target, {
    '@type': 'EntryPoint',
    urlTemplate: 'https://decks.example.com/api/lead',
    httpMethod: 'POST',
    encodingType: ['application/json', 'application/x-www-form-urlencoded'],
    contentType: 'application/json',
  })
  assert.equal(site['@type'], 'WebSite')
  assert.equal(contact['@type'], 'ContactPage')
  assert.equal(contact.url, 'https://decks.example.com/contact/')
  assert.equal(contact.dateModified, '2026-11-15')
})

test('search engines learn the way from the home page to a page', () => {
  const blocksOf = (path: string) =>
    [...layout(frame, { ...decks, path }).text.matchAll(/ld\+json">(.*?)<\/script>/g)]
      .map(([, json]) => JSON.parse(json!))
      .filter((block) => block['@type'] === 'BreadcrumbList')
  const [crumbs] = blocksOf('/decks/')
  assert.deepEqual(crumbs.itemListElement, [
    { '@type': 'ListItem', position: 1, name: business.name, item: 'https://decks.example.com/' },
    { '@type': 'ListItem', position: 2, name: 'Decks', item: 'https://decks.example.com/decks/' },
  ])
  assert.deepEqual(blocksOf('/'), [])
})

test('a page without an address of its own is kept out of search, and names none', () => {
  const page = layout(frame, { ...decks, path: undefined }).text
  assert.ok(page.includes('<meta name="robots" content="noindex">'))
  assert.ok(!/canonical|og:url|ld\+json|\.md">this page/.test(page))
})
