import assert from 'node:assert/strict'
import test from 'node:test'
import { valuesOf } from '../../test/support/leads.ts'
import { searchTextOf } from '../store/leads/search-text.ts'
import { hasTerm, readSearch } from './search.ts'

const lead = {
  reference: 'C-7K3QM-4X92P',
  values: valuesOf({
    name: 'Zoë O’Brien-Łukasz Mc Allister',
    email: 'zoe.surname+deck@Example.com',
    phone: '+61 (0)491 570 006',
    postcode: '2480',
    message: 'A pergola, 4×6 m. Work: (02) 5550 0100. Straße ＷＩＤＥ İstanbul 木平台维修',
  }),
  unlisted: '{"colour":"grey","nested":{"list":["Merbau",7]}}',
}
const text = searchTextOf(lead, ['Rang twice, leave a message'])

const has = (typed: string, where: 'anywhere' | 'as it says') =>
  readSearch(typed).every((term) => hasTerm(text, term, where))

test('words of any field, of unlisted ones and of notes are found by their start, however they are accented [search.words]', () => {
  const typed = [
    'zoe ZOË obrien łukasz straße wide istanbul pergola 7k3qm 4X92P c7k3qm merbau 2480 per',
    "o'brien|zoe obrien|pergola zoe|per zoe|4 6|colour grey|rang twice|message|C-7K3QM|C-7K3QM-4X92P",
    'zoe.surname+deck@example.com|surname+deck|@example|example.co|zoe@|平台',
  ].flatMap((line, index) => line.split(index === 0 ? ' ' : '|'))
  assert.deepEqual(
    typed.filter((each) => !has(each, 'as it says')),
    [],
  )
})

test('a letter that has no accent to take off is found by the plain ones that people type for it [search.words]', () => {
  const spelt = 'Łukasz Søren Straße GROẞ Đorđe Ærø Œuvre Guðrún Þór Işıl'
  const typed = 'lukasz soren strasse gross dorde aero oeuvre gudrun thor isil'
  const own = searchTextOf({ ...lead, values: { ...lead.values, name: spelt } })
  const isFound = (word: string) => hasTerm(own, readSearch(word)[0]!, 'as it says')
  for (const words of [typed, spelt, spelt.toUpperCase(), spelt.normalize('NFD')]) {
    assert.deepEqual(
      words.split(' ').filter((word) => !isFound(word)),
      [],
    )
  }
  const german = searchTextOf({ ...lead, values: { ...lead.values, name: 'Jörg Müller Boese' } })
  for (const word of ['mueller', 'muller', 'joerg', 'boese']) {
    assert.ok(hasTerm(german, readSearch(word)[0]!, 'as it says'), word)
  }
})

test('signs that stand for a whole sentence do not make the text longer than its limits', () => {
  // Each of these is eighteen letters once it is written out.
  const sign = '\ufdfa'
  const message = sign.repeat(2_000)
  const sent = searchTextOf({ ...lead, unlisted: '', values: { ...lead.values, message } })
  assert.ok(sent.length < 2_500, String(sent.length))
  const noted = searchTextOf({ ...lead, unlisted: '' }, [sign.repeat(4_000)])
  assert.ok(noted.length < 21_000, String(noted.length))
  const both = searchTextOf({ ...lead, values: { ...lead.values, message } }, ['gatecode'])
  assert.ok(both.includes(' gatecode'))
})

test('a part inside a word is found only if nothing else is [search.words]', () => {
  for (const typed of ['llister', 'brien', 'ergola', 'x92p', 'zoe ergola']) {
    assert.ok(has(typed, 'anywhere'), typed)
  }
  for (const typed of ['ergola', 'llister', 'brien']) assert.ok(!has(typed, 'as it says'), typed)
  for (const typed of ['zoe merbou', 'zoe steel', '@example.de']) {
    assert.ok(!has(typed, 'as it says') && !has(typed, 'anywhere'), typed)
  }
})

test('a phone number is found by any three digits of it, in any spelling [search.words]', () => {
  const spellings = [
    ['0491 570 006', '0491570006', '04 9157 0006', '04 91 57 00 06', '(0491) 570-006'],
    ['+61 491 570 006', '+61491570006', '0061 491 570 006', '61 491 570 006', '+61 (0)491 570 006'],
    ['570', '006', '491', '0491', '570 006', '57 00 06', '+61 491', '0491.570', '15700'],
    ['5550 0100', '02 5550', '+61 2 5550 0100', 'zoe 570', '2480 0491 570 006', '570 zoe'],
  ].flat()
  assert.deepEqual(
    spellings.filter((typed) => !has(typed, 'as it says')),
    [],
  )
  // The number has 570 and 006, but not 006570.
  const others = ['571', '0491 570 007', '+62 491 570 006', '006 570', '570 0100', 'zoe 006 570']
  for (const typed of others) assert.ok(!has(typed, 'as it says') && !has(typed, 'anywhere'), typed)
})

test('a long message is found by its beginning, and notes are found however long it is', () => {
  const long = {
    ...lead,
    values: { ...lead.values, message: `first ${'timber '.repeat(1_400)}last` },
  }
  const cut = searchTextOf(long, ['gatecode'])
  assert.ok(cut.includes(' first') && cut.includes(' gatecode') && !cut.includes(' last'))
})

test('a number is found however it was typed into the field, also with words behind it [search.words]', () => {
  const fields = [
    '+61 491 570 006 after 5pm',
    '+61491570006 or 0255500100',
    '0491 570 006 ext 4',
    '491570006',
  ]
  for (const phone of fields) {
    const own = searchTextOf({ ...lead, values: { ...lead.values, phone, message: '' } })
    for (const typed of ['0491 570 006', '0491 570', '+61 491 570 006', '570 006']) {
      const [term] = readSearch(typed)
      assert.ok(hasTerm(own, term!, 'as it says'), `${phone}: ${typed}`)
    }
  }
})
