import assert from 'node:assert/strict'
import test from 'node:test'
import { readYaml, toYaml } from './yaml.ts'

const spaces =
  'this line begins with too many or too few spaces: entries that belong together begin in the same column, and a hyphen has a space after it'
const apostrophe = `something follows after the closing quotation mark or bracket: in '…' write an apostrophe twice (''), or put "…" around the text`
const colon = 'a colon and a space are missing in this line'
const secondColon =
  'there is a second colon in this line: put quotes around the text after the first one'
const quotes = 'a text that begins with one of the signs @ ` % & * ! | > must be in quotes'

const mistakes: readonly [text: string, line: number, problem: string][] = [
  ["a: 1\nname: 'Robin's Uncle Decks'\n", 2, apostrophe],
  ['a: 1\nname: "The "old" deck"\n', 2, apostrophe],
  ["a: 1\nname: 'Robin\nb: 2\nc: 3\n", 2, 'a closing quotation mark is missing'],
  ["a: 1\nlist: ['2480'\nb: 2\n", 2, 'a closing bracket is missing'],
  ["list:\n  - a: ['1'\n    b: 2\n  - a: ['1']\n", 2, 'a closing bracket is missing'],
  ["list: ['2480' '2481']\n", 1, 'a comma is missing between two entries of the list'],
  ['list: [a]]\n', 1, 'there is a sign too many in this line, or its text must be in quotes'],
  ['list:\n  - a\n - b\nc: 1\n', 3, spaces],
  ['list:\n  - a\n  -b\nc: 1\n', 3, spaces],
  ['group:\n  a: 1\n b: 2\n', 3, spaces],
  ['list:\n  - a: 1\n   b: 2\n', 3, spaces],
  ['list:\n  - a: 1\n     b: 2\nc: 1\n', 3, spaces],
  [' a: 1\nb: 2\n', 2, spaces],
  ['group:\n\ta: 1\n', 2, 'this line begins with a tab: use spaces'],
  ['a: 1\nb: 2\na: 3\n', 3, 'this entry is there twice: keep one of them'],
  ['a: 1\nstate NSW\n', 2, colon],
  ['a: 1\nstate NSW\nb: 2\n', 2, colon],
  ['a: 1\nstate:NSW\nb: 2\n', 2, colon],
  ['a: 1\nb: one: two\n', 2, secondColon],
  ["a: 'b'#c\n", 1, 'a # needs a space before it, or its text quotes around it'],
  ['a: 1\nb: @sam\n', 2, quotes],
  ['a: 1\nb: **Decks**\n', 2, quotes],
  ['a: !Decks now\n', 1, quotes],
  [
    'a: "C:\\Decks"\n',
    1,
    String.raw`in "…" write a backslash twice (\\), or put '…' around the text`,
  ],
  [
    'a: &b &c d\n',
    1,
    'this line cannot be read; compare it with the lines around it (A node can have at most one anchor)',
  ],
  ['a: 1\n---\nb: 2\n', 2, 'a line of --- or ... has no place here: take it away'],
]

test('what is wrong in a file is told in plain words, with the line of the mistake', () => {
  for (const [text, line, problem] of mistakes) {
    assert.throws(() => readYaml(text, 'x.yaml'), { message: `x.yaml:${line}: ${problem}` }, text)
  }
  assert.throws(() => readYaml('title: one: two\n', 'decks.md', 2), {
    message: `decks.md:2: ${secondColon}`,
  })
})

test('days, times and phone numbers stay the text they are', () => {
  const { value } = readYaml("day: 2026-11-15\ntime: 07:00\nphone: '0491 570 006'\n", 'x.yaml')
  assert.deepEqual(value, { day: '2026-11-15', time: '07:00', phone: '0491 570 006' })
})

test('what is written is read as the same by old readers too, without anchors', () => {
  const shared = { on: 'yes' }
  const text = toYaml({ day: '2026-11-15', first: shared, second: shared })
  assert.equal(text, 'day: "2026-11-15"\nfirst:\n  "on": "yes"\nsecond:\n  "on": "yes"\n')
})
