import assert from 'node:assert/strict'
import test from 'node:test'
import { wordsOf } from '../store/leads/search-words.ts'
import { hasWords, readSearch } from './search.ts'

const lead = {
  values: {
    name: 'Zoë O’Brien-Łukasz',
    email: 'zoe.surname+deck@Example.com',
    phone: '+61 (0)491 570 006',
    postcode: '2480',
    message: 'A pergola, 4×6 m. Work: (02) 5550 0100. Straße ＷＩＤＥ İstanbul',
  },
  unlisted: '{"colour":"grey","nested":{"list":["Merbau",7]}}',
}
const words = wordsOf(lead, ['Rang twice, leave a message'])

const finds = (text: string) => hasWords(words, readSearch(text))

test('words of any field, of unlisted ones and of notes are found, however they are accented [search.words]', () => {
  const typed = [
    [
      'zoe',
      'ZOË',
      'obrien zoe',
      'brien',
      'łukasz',
      "o'brien",
      'straße',
      'wide',
      'istanbul',
      'pergola',
      '4 6',
    ],
    ['colour grey', 'merbau', 'rang twice', 'message', '2480', 'per', 'zoe per'],
    ['zoe.surname+deck@example.com', 'surname+deck', '@example', 'example.co'],
  ].flat()
  assert.deepEqual(
    typed.filter((text) => !finds(text)),
    [],
  )
})

test('all words must be there, and only the last may be the start of one', () => {
  for (const text of ['zoe merbou', 'per zoe', 'ergola', 'zoe steel']) assert.ok(!finds(text), text)
})

test('a phone number is found by any three digits of it, in any spelling [search.words]', () => {
  const spellings = [
    ['0491 570 006', '0491570006', '04 9157 0006', '04 91 57 00 06', '(0491) 570-006'],
    ['+61 491 570 006', '+61491570006', '0061 491 570 006', '61 491 570 006', '+61 (0)491 570 006'],
    ['570', '006', '491', '0491', '570 006', '57 00 06', '+61 491', '0491.570', '15700'],
    ['5550 0100', '02 5550', '+61 2 5550 0100', 'zoe 570', '2480 0491 570 006', '570 zoe'],
  ].flat()
  assert.deepEqual(
    spellings.filter((text) => !finds(text)),
    [],
  )
  for (const text of ['571', '0491 570 007', '+62 491 570 006']) assert.ok(!finds(text), text)
})

test('two numbers in the phone field are both found', () => {
  const both = wordsOf({ ...lead, values: { ...lead.values, phone: '02 5550 7788/0491 570 110' } })
  for (const text of ['02 5550 7788', '+61 491 570 110'])
    assert.ok(hasWords(both, readSearch(text)))
  assert.ok(!hasWords(both, readSearch('77880491')))
})

test('a whole phone number does not find its groups in other places', () => {
  const other = { ...lead.values, phone: '0491 111 222', message: '570 boards and 006' }
  const itsWords = wordsOf({ ...lead, values: other })
  assert.ok(hasWords(itsWords, readSearch('0491 570')))
  for (const text of ['0491 570 006', '+61 491 570 006', 'boards 0491 570 006']) {
    assert.ok(!hasWords(itsWords, readSearch(text)), text)
  }
})

test('a text without letters or digits searches for nothing', () => {
  for (const text of ['', ' ', '"*()&|!:', '😀', '\u0301']) assert.deepEqual(readSearch(text), [])
})

test('very long texts make a limited number of short words', () => {
  const message = Array.from({ length: 3_000 }, (_, index) => `word${index}`).join(' ')
  const many = wordsOf({
    ...lead,
    values: { ...lead.values, message: `${'x'.repeat(99)} ${message}` },
  })
  assert.equal(many.length, 1_000)
  assert.ok(many.every((word) => word.length <= 40))
  assert.ok(hasWords(many, readSearch('x'.repeat(99))))
})

test('a text that is made to be expensive costs about what an ordinary one does', () => {
  const messageOf = (message: string) => ({ ...lead, values: { ...lead.values, message } })
  const ordinary = messageOf('A deck of hardwood, please. '.repeat(360))
  const hostile = {
    'marks in the wrong order': `m a'${'\u0315'.repeat(4_990)}${'\u0323'.repeat(4_990)}`,
    'signs of many letters': 'ﷺ'.repeat(10_000),
    'many such words': 'ﷺ '.repeat(5_000),
    apostrophes: "a'".repeat(5_000),
    'digits apart': '1 ('.repeat(3_300),
  }
  const usual = cpuOf(() => wordsOf(ordinary))
  for (const [what, text] of Object.entries(hostile)) {
    const cost = cpuOf(() => wordsOf(messageOf(text)))
    assert.ok(cost < 40 * usual, `${what}: ${cost} against ${usual} us`)
  }
  assert.ok(hasWords(wordsOf(messageOf(`e${'\u0301'.repeat(9_000)}lan`)), readSearch('élan')))
})

/** The least of some tries, in microseconds. */
function cpuOf(work: () => void): number {
  const tries = Array.from({ length: 9 }, () => {
    const before = process.cpuUsage()
    work()
    const { user, system } = process.cpuUsage(before)
    return user + system
  })
  return Math.max(1, Math.min(...tries))
}
