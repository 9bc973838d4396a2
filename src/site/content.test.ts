import assert from 'node:assert/strict'
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { receiptMessages } from '../contract/receipt.ts'
import { agentsPath } from '../contract/routes.ts'
import { noHtml } from '../html.ts'
import { temporaryFolder } from '../../test/support/service.ts'
import { findForgotten } from './forgotten.ts'
import { buildSite } from './site.ts'

const baseUrl = 'https://decks.example.com'

test("a page that every site shows is the program's own where the content lacks it", (t) => {
  const folder = temporaryFolder(t)
  cpSync('content', folder, { recursive: true })
  for (const name of ['404', 'thanks-unsent']) rmSync(join(folder, `pages/${name}.md`))
  const { missing, unsent } = buildSite(folder, baseUrl)
  assert.match(missing.markdown, /^# /)
  assert.match(unsent.markdown, /nothing has been sent yet/)
})

test('every mistake is named at once, each with its own line [content.line]', (t) => {
  const folder = temporaryFolder(t)
  cpSync('content', folder, { recursive: true })
  const change = (name: string, edit: (text: string) => string) => {
    const text = edit(readFileSync(join(folder, name), 'utf8'))
    writeFileSync(join(folder, name), text)
    return (words: string) => text.slice(0, text.indexOf(words)).split('\n').length
  }
  const sentences = () => {
    try {
      buildSite(folder, baseUrl)
    } catch (error) {
      return (error as Error).message.replaceAll(`${folder}/`, '').split('\n')
    }
    return []
  }
  const before = readFileSync(join(folder, 'business.yaml'), 'utf8')
  const lineOf = change('business.yaml', (text) =>
    text
      .replace(/^owner:/m, 'ownr:')
      .replace("['2482']", "['2482', 2483]")
      .replace('[Saturday]', '[Sat]')
      .replace("'12:00'", 'noon')
      .replace("'16:30'", "'00:30'"),
  )
  assert.deepEqual(sentences(), [
    'business.yaml:1: owner is missing',
    `business.yaml:${lineOf('ownr')}: ownr is not a known entry`,
    `business.yaml:${lineOf('2483')}: areas, entry 5, postcodes, entry 2 must be a postcode, four digits such as 2480, in quotes`,
    `business.yaml:${lineOf("'00:30'")}: hours, entry 1, closes must be later than opens, and before midnight`,
    `business.yaml:${lineOf('[Sat]')}: hours, entry 2, days, entry 1 must be one of Monday, Tuesday, Wednesday, Thursday, Friday, Saturday, Sunday`,
    `business.yaml:${lineOf('noon')}: hours, entry 2, closes must be a time such as "07:00", in quotes`,
  ])
  const inCountry = change('business.yaml', () => before.replace('country: AU', 'country: UK'))
  assert.deepEqual(sentences(), [
    `business.yaml:${inCountry('country: UK')}: country must be the two capital letters of a country: GB for Britain, AU, NZ, IE, US, CA, ZA or another one`,
  ])
  const inBristol = change('business.yaml', () =>
    before.replace(/^country: .*\n/m, '').replace("['2480']", "['BS1']"),
  )
  assert.deepEqual(sentences(), [
    `business.yaml:${inBristol("'BS1'")}: areas, entry 1, postcodes, entry 1 must be a postcode, four digits such as 2480, in quotes, or "country" is missing, such as country: GB`,
  ])
  const inHours = change('business.yaml', () =>
    before
      .replace(/^hours:\n(?: .*\n)+/m, 'hours: by appointment\n')
      .replace('owner: Sam', 'owner: Sam: me'),
  )
  writeFileSync(join(folder, 'style.css'), '@import url(x.css);')
  writeFileSync(join(folder, 'work.yaml'), 'jobs: none\n')
  const inIndex = change('pages/index.md', (text) =>
    text.replace(/^title: .*/m, 'title: Decks: new').replace('{{ask}}', 'Or: {{ask}}'),
  )
  const inOwner = inHours('owner: Sam')
  assert.deepEqual(
    sentences().map((words) => words.replace(/ Entries that belong.*/, '')),
    [
      `business.yaml:${inOwner}: The text has a second colon.`,
      `pages/index.md:${inIndex('title:')}: The text has a second colon.`,
      `pages/index.md:${inIndex('Or: {{ask}}')}: {{ask}} must be alone on its line`,
      'style.css:1: a style sheet must not load anything from other sites',
      'work.yaml:1: jobs must be a list with at least one entry',
    ],
  )
  change('business.yaml', (text) => text.replace('Sam: me', 'Sam'))
  assert.match(
    sentences()[0]!,
    /^business.yaml:\d+: hours must be a list of days and times, such as those at which you answer, or: always$/,
  )
  for (const name of ['business.yaml', 'work.yaml', 'pages/index.md']) {
    cpSync(join('content', name), join(folder, name))
  }
  rmSync(join(folder, 'style.css'))
  const inAbout = change(
    'pages/about.md',
    (text) =>
      `${text.replace(/^description:/m, 'desription:').replace(/^title: .*/m, 'title: "{{business.owner}} {{ask}}"')}\n[Sheds](/sheds/)\n{{business.fax}} {{prices}}\n`,
  )
  const inDecks = change('pages/decks.md', (text) => `${text}\n[Below](/nothing/)\n`)
  const inAreas = change('pages/areas.md', (text) => text.replace(/^order: .*/m, 'order: last'))
  assert.deepEqual(sentences(), [
    'pages/about.md:2: description is missing',
    `pages/about.md:${inAbout('title:')}: there is no placeholder {{ask}} in the head of a page`,
    `pages/about.md:${inAbout('desription:')}: desription is not a known entry`,
    `pages/about.md:${inAbout('[Sheds]')}: the link to /sheds/ leads nowhere`,
    `pages/about.md:${inAbout('{{business.fax}}')}: there is no placeholder {{business.fax}}`,
    `pages/about.md:${inAbout('{{prices}}')}: there is no placeholder {{prices}}`,
    `pages/areas.md:${inAreas('order:')}: order must be a number`,
    `pages/decks.md:${inDecks('[Below]')}: the link to /nothing/ leads nowhere`,
  ])
})

test('a site of an earlier version, without a country, says what it said, and content check names the new keys', (t) => {
  const folder = temporaryFolder(t)
  cpSync('content', folder, { recursive: true })
  cpSync('test/data/former-business.yaml', join(folder, 'business.yaml'))
  const former = buildSite(folder, baseUrl)
  const example = buildSite('content', baseUrl)
  const facts = ({ business }: typeof former) => {
    const { country, trade, asksFor, form, notice, registrations, areas, hours } = business
    return { country, trade, asksFor, form, notice, registrations, areas, hours }
  }
  assert.deepEqual(facts(former), facts(example))
  const footOf = (site: typeof former) =>
    /<footer[^]*/.exec(site.show({ ...site.missing, main: noHtml }).text)![0]
  assert.equal(footOf(former), footOf(example))
  const [, words] = findForgotten(former, folder)
  assert.match(
    words!,
    /^business.yaml has no country, trade, form, notice: the site speaks of a deck/,
  )
})

test('content check names what is easily forgotten, and nothing in a whole site', (t) => {
  const folder = temporaryFolder(t)
  cpSync('content', folder, { recursive: true })
  const found = () => findForgotten(buildSite(folder, baseUrl), folder)
  const change = (name: string, edit: (text: string) => string) => {
    const path = join(folder, name)
    writeFileSync(path, edit(readFileSync(path, 'utf8')))
  }
  const before = found()
  assert.equal(before.length, 2, `facts and jobs of the example alone: ${before.join('\n')}`)
  change('pages/contact.md', (text) => text.replace('{{form}}', ''))
  // Between two others a page has a number between theirs.
  for (const [name, order] of Object.entries({ about: '7.5', areas: '7.6', work: '7.5 # last' }))
    change(`pages/${name}.md`, (text) => text.replace(/^order: .*$/m, `order: ${order}`))
  change('pages/about.md', (text) => `${text}\n[FILL IN: your story]\n{business.fax}\n`)
  cpSync('public/drawings/deck.svg', join(folder, 'public/drawings/deck.svg'))
  change('public/drawings/deck.svg', (text) => `<!--{{business.name}}-->${text}`)
  change('business.yaml', (text) =>
    text
      .replace('kind: Home', 'kind: House')
      .replace('country: AU', 'country: GB')
      .replace(/ *postcodes: .*\n/g, '')
      .replace('request {reference}.', 'request {ref}.')
      .replace(/^# The towns/m, '# FILL IN: your towns [all].\n# The towns'),
  )
  const line = readFileSync(join(folder, 'pages/about.md'), 'utf8').split('\n').length - 2
  writeFileSync(join(folder, 'style.css'), ':root{--soft:#998877}')
  const all = found().slice(2)
  const isFaint = (words: string) =>
    /^style.css: --soft on --\w+ has by day a contrast of 3/.test(words)
  assert.equal(all.filter(isFaint).length, 2)
  const inFacts = (words: string) => {
    const facts = readFileSync(join(folder, 'business.yaml'), 'utf8')
    return `business.yaml:${facts.slice(0, facts.indexOf(words)).split('\n').length}`
  }
  assert.deepEqual(all.slice(0, 9), [
    'business.yaml: the phone 0491 570 006 is a number of AU, but country is GB',
    'business.yaml: the kind HouseAndConstructionBusiness is no type of business at https://schema.org/LocalBusiness, so search engines ignore it',
    `${inFacts('FILL IN')} is still to be filled in: areas, your towns [all].`,
    `pages/about.md:${line} is still to be filled in: your story`,
    `pages/about.md:${line + 1} has {business.fax}: a placeholder has two braces on each side`,
    `${inFacts('{ref}')} has {ref}, which nothing fills in: only replies know {name} and {reference}`,
    'public/drawings/deck.svg:1 has {{business.name}}, which nothing fills in: write the word itself',
    'pages/contact.md has no line {{form}}',
    'pages/about.md and pages/work.md have the same order, 7.5: number them as they stand in the menu',
  ])
  rmSync(join(folder, 'style.css'))
  change('business.yaml', (text) => text.replace('Example Decks & Pergolas', 'Hollis Plumbing'))
  change('business.yaml', (text) => text.replace(/nouns: .*/, 'nouns: ["tap"]'))
  change('business.yaml', (text) => text.replaceAll(/decks?|pergolas?/gi, 'tap'))
  assert.ok(
    found().some((words) => /^pages\/decks.md:\d+ says "deck", a word of the example$/.test(words)),
  )
  change('pages/index.md', (text) => text.replace('{{cards decks,', '{{cards taps, contact,'))
  assert.throws(found, /index.md:\d+: \{\{cards\}\} names taps, but there is no page taps.md/)
  change('pages/index.md', (text) => text.replace('{{cards taps,', '{{cards'))
  assert.throws(found, /names contact, but there is no drawing public\/drawings\/contact.svg/)
})

test('the way to ask reads the same in a page and in its twin', () => {
  const { main, markdown } = buildSite('content', baseUrl).pages[0]!
  const [action = ''] = /<p class="action">.*<\/p>/.exec(main().text) ?? []
  const [line = ''] = /^.*\bor ring\b.*$/m.exec(markdown) ?? []
  const words = action.replaceAll(/<[^>]*>/g, '')
  assert.equal(line.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1'), words)
  assert.match(words, /^Ask for a Consultation or ring 0491 570 006 Mon–Fri 7 am/)
})

test('the page for agents tells every status that a receipt can have', () => {
  const { pages } = buildSite('content', baseUrl)
  const { markdown } = pages.find(({ path }) => path === agentsPath)!
  for (const status of Object.keys(receiptMessages)) {
    assert.ok(markdown.includes(`\`${status}\``), status)
  }
})

test('links of a twin are whole addresses, and lead to twins', () => {
  const { pages } = buildSite('content', baseUrl)
  const links = pages.flatMap(({ markdown }) =>
    [...markdown.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!),
  )
  assert.deepEqual(
    links.filter((link) => !/^(?:https:|mailto:|tel:|#)/.test(link)),
    [],
  )
  const own = links.filter((link) => link.startsWith(baseUrl))
  assert.ok(own.includes(`${baseUrl}/contact.md`))
  assert.deepEqual(
    own.filter((link) => link.endsWith('/')),
    [],
  )
})

test('what an owner writes is text: HTML in a page is shown, not obeyed', (t) => {
  const folder = temporaryFolder(t)
  cpSync('content', folder, { recursive: true })
  const path = join(folder, 'pages/about.md')
  writeFileSync(path, `${readFileSync(path, 'utf8')}\n<script>alert(1)</script>\n`)
  const about = buildSite(folder, baseUrl).pages.find(({ name }) => name === 'about')
  assert.match(about!.main().text, /&lt;script&gt;/)
  assert.doesNotMatch(about!.main().text, /<script/)
})
