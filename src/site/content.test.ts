import assert from 'node:assert/strict'
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { temporaryFolder } from '../../test/support/service.ts'
import { readContent } from './site.ts'
import { PublicFiles } from './public-files.ts'

const baseUrl = 'https://decks.example.com'
const files = new PublicFiles('public', 'content')

test("a page that every site shows is the program's own where the content lacks it", (t) => {
  const folder = temporaryFolder(t)
  cpSync('content', folder, { recursive: true })
  for (const name of ['404', 'thanks-unsent']) rmSync(join(folder, `pages/${name}.md`))
  const { missing, unsent } = readContent(folder, baseUrl, files)
  assert.match(missing.markdown, /^# /)
  assert.match(unsent.markdown, /nothing has been sent yet/)
})

/** Each change to the real content, and what the start says of it after the folder's name. */
const faults: readonly [
  what: string,
  file: string,
  change: (text: string) => string,
  message: RegExp,
][] = [
  [
    'an unknown placeholder',
    'pages/about.md',
    (text) => `${text}\nCall {{business.fax}}.\n`,
    /pages\/about\.md:LAST: nothing is known as \{\{business\.fax\}\}$/,
  ],
  [
    'an unknown block',
    'pages/about.md',
    (text) => `${text}\n{{prices}}\n`,
    /pages\/about\.md:LAST: nothing is known as \{\{prices\}\}$/,
  ],
  [
    'a dead link',
    'pages/decks.md',
    (text) => `${text}\nSee [sheds](/sheds/).\n`,
    /pages\/decks\.md:LAST: the link to \/sheds\/ leads nowhere$/,
  ],
  [
    'a drawing that is not there',
    'pages/decks.md',
    (text) => `${text}\n![A shed](/drawings/shed.svg)\n`,
    /pages\/decks\.md:LAST: the link to \/drawings\/shed\.svg leads nowhere$/,
  ],
  [
    'a second main heading',
    'pages/decks.md',
    (text) => `${text}\n# Another\n`,
    /pages\/decks\.md:LAST: must have exactly one # heading$/,
  ],
  [
    'a missing title',
    'pages/about.md',
    (text) => text.replace(/^title:.*\n/m, ''),
    /pages\/about\.md:2: title is missing$/,
  ],
  [
    'a misspelled entry',
    'pages/about.md',
    (text) => text.replace(/^title:/m, 'titel:'),
    /pages\/about\.md:2: titel is not a known entry\n/,
  ],
  [
    'a missing fact',
    'business.yaml',
    // Towns have names, too.
    (text) => text.replace(/^name:.*\n/m, ''),
    /business\.yaml:1: name is missing$/,
  ],
  [
    'a misspelled fact',
    'business.yaml',
    (text) => `${text.replace(/^name:.*\n/m, '')}nmae: Sam\n`,
    /business\.yaml:LAST: nmae is not a known entry$/,
  ],
  [
    'a wrong time',
    'business.yaml',
    (text) => text.replace(/opens: ["']07:00["']/, 'opens: seven'),
    /business\.yaml:\d+: hours, entry 1, opens must be a time such as "07:00", in quotes$/,
  ],
  [
    'a phone number without quotes',
    'business.yaml',
    (text) => text.replace(/phone: .*$/m, 'phone: 0491570006'),
    /business\.yaml:\d+: contact, phone must be a phone number such as '0491 570 006', in quotes$/,
  ],
  [
    'a phone without a number',
    'business.yaml',
    (text) => text.replace(/phone: .*$/m, "phone: 'ring me'"),
    /business\.yaml:\d+: contact, phone must be a phone number such as '0491 570 006', in quotes$/,
  ],
  [
    'a text that a colon makes a group',
    'business.yaml',
    (text) => text.replace('  - Composite decks', '  - Decks: composite'),
    /business\.yaml:\d+: does, entry 2 must be a text: put quotes around it$/,
  ],
  [
    'a town without its entries',
    'business.yaml',
    (text) => text.replace('hours:\n', '  - Kyogle\nhours:\n'),
    /business\.yaml:\d+: areas, entry 7 must be a group with the entries name, postcodes$/,
  ],
  [
    'a second webhook of the same name',
    'business.yaml',
    (text) => `${text}webhooks:\n${webhook('crm')}${webhook('all')}${webhook('crm')}`,
    /business\.yaml:LAST: webhooks, entry 3, name is taken by entry 1: each webhook needs its own$/,
  ],
  [
    'a style sheet that loads from another site',
    'style.css',
    () => ":root { --paper: white }\n@import 'https://fonts.example.com/x.css';",
    /style\.css:2: nothing is loaded from other sites$/,
  ],
  [
    'a style sheet that would end its element',
    'style.css',
    () => ':root { --paper: white }\n\n</style>',
    /style\.css:3: a style sheet holds no <$/,
  ],
  [
    'YAML that cannot be read',
    'business.yaml',
    (text) => `${text}\nname: "again\n`,
    /business\.yaml:\d+: /,
  ],
]

function webhook(name: string): string {
  return `  - {url: 'https://hooks.example.com/', secret: CRM_SECRET, name: ${name}}\n`
}

for (const [what, file, change, message] of faults) {
  test(`${what} stops the start, with file and line [content.line]`, (t) => {
    const folder = temporaryFolder(t)
    cpSync('content', folder, { recursive: true })
    const path = join(folder, file)
    const text = change(existsSync(path) ? readFileSync(path, 'utf8') : '')
    writeFileSync(path, text)
    const last = text.split('\n').length - 1
    const expected = new RegExp(message.source.replace('LAST', String(last)))
    assert.throws(() => readContent(folder, baseUrl, files), expected)
  })
}

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
      readContent(folder, baseUrl, files)
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
      .replace("'12:00'", 'noon'),
  )
  assert.deepEqual(sentences(), [
    'business.yaml:1: owner is missing',
    `business.yaml:${lineOf('ownr')}: ownr is not a known entry`,
    `business.yaml:${lineOf('2483')}: areas, entry 5, postcodes, entry 2 must be four digits, in quotes`,
    `business.yaml:${lineOf('[Sat]')}: hours, entry 2, days, entry 1 must be one of Monday, Tuesday, Wednesday, Thursday, Friday, Saturday, Sunday`,
    `business.yaml:${lineOf('noon')}: hours, entry 2, closes must be a time such as "07:00", in quotes`,
  ])
  writeFileSync(join(folder, 'business.yaml'), before)
  const inAbout = change(
    'pages/about.md',
    (text) =>
      `${text.replace(/^description:/m, 'desription:')}\n[Sheds](/sheds/)\n{{business.fax}} {{prices}}\n`,
  )
  const inDecks = change('pages/decks.md', (text) => `${text}\n[Below](/nothing/)\n`)
  assert.deepEqual(sentences(), [
    'pages/about.md:2: description is missing',
    `pages/about.md:${inAbout('desription:')}: desription is not a known entry`,
    `pages/about.md:${inAbout('[Sheds]')}: the link to /sheds/ leads nowhere`,
    `pages/about.md:${inAbout('{{business.fax}}')}: nothing is known as {{business.fax}}`,
    `pages/about.md:${inAbout('{{prices}}')}: nothing is known as {{prices}}`,
    `pages/decks.md:${inDecks('[Below]')}: the link to /nothing/ leads nowhere`,
  ])
})

test('links of a twin are whole addresses, and lead to twins', () => {
  const { pages } = readContent('content', baseUrl, files)
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
  const about = readContent(folder, baseUrl, files).pages.find(({ name }) => name === 'about')
  assert.match(about!.main.text, /&lt;script&gt;/)
  assert.doesNotMatch(about!.main.text, /<script/)
})
