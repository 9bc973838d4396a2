import assert from 'node:assert/strict'
import test from 'node:test'
import { readYaml } from './yaml.ts'

const mistakes: readonly [text: string, line: number, problem: RegExp][] = [
  ["a: 1\nname: 'Robin's Uncle Decks'\n", 2, /apostrophe/],
  ["a: 1\nname: 'Robin\n", 3, /closing 'quote/],
  ["list: ['2480' '2481']\n", 1, /Missing ,/],
  ['list:\n  - a\n - b\nc: 1\n', 3, /begin in the same column/],
  ['group:\n\ta: 1\n', 2, /Tabs are not allowed/],
  ['a: 1\nb: 2\na: 3\n', 3, /keys must be unique/],
  ['a: 1\nstate NSW\n', 2, /Implicit map keys need/],
  ['a: 1\nb: one: two\n', 2, /a colon/],
  ['a: 1\nb: @sam\n', 2, /reserved character @/],
  ['a: 1\nb: **Decks**\n', 2, /must not begin with \*/],
  ['a: !Decks now\n', 1, /Unresolved tag: !Decks/],
  ['a: 1\n---\nb: 2\n', 2, /multiple documents/],
]

test('a mistake in a file is told with its line, and what to do', () => {
  for (const [text, line, problem] of mistakes) {
    assert.throws(
      () => readYaml(text, 'x.yaml'),
      ({ message }: Error) => {
        assert.match(message, new RegExp(`^x\\.yaml:${line}: .*needs "…" around it\\.$`), text)
        assert.match(message, problem, text)
        return true
      },
    )
  }
  assert.throws(() => readYaml('title: one: two\n', 'decks.md', 2), /decks\.md:2: /)
})

test('days, times and phone numbers stay the text they are', () => {
  const { value } = readYaml("day: 2026-11-15\ntime: 07:00\nphone: '0491 570 006'\n", 'x.yaml')
  assert.deepEqual(value, { day: '2026-11-15', time: '07:00', phone: '0491 570 006' })
})
