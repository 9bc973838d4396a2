import assert from 'node:assert/strict'
import test from 'node:test'
import { wordsOf } from '../store/leads/search-words.ts'
import { hasWords, readSearch } from './search.ts'

const lead = {
  reference: 'C-7K3QM-4X92P',
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
    ['7k3qm', '4X92P', 'colour grey', 'merbau', 'rang twice', 'message', '2480', 'per', 'zoe per'],
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
  // The number has 570 and 006, but not 006570.
  const others = ['571', '0491 570 007', '+62 491 570 006', '006 570', '570 0100', 'zoe 006 570']
  for (const text of others) assert.ok(!finds(text), text)
})
