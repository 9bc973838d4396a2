import assert from 'node:assert/strict'
import test from 'node:test'
import { readYaml, toYaml } from './yaml.ts'

test('what is wrong in a file is told with its line', () => {
  assert.throws(() => readYaml('a: 1\nb: 2\na: 3\n', 'business.yaml'), {
    message: 'business.yaml:3: Map keys must be unique',
  })
  assert.throws(() => readYaml('title: one: two\n', 'decks.md', 2), {
    message: 'decks.md:2: Nested mappings are not allowed in compact mappings',
  })
  for (const text of ['a: 1\nstate NSW\n', 'a: 1\nstate NSW\nb: 2\n', 'a: 1\nstate:NSW\nb: 2\n']) {
    assert.throws(() => readYaml(text, 'business.yaml'), {
      message: 'business.yaml:2: a colon and a space are missing in this line',
    })
  }
  assert.throws(() => readYaml('a: *b\n', 'x.yaml'), /^Error: x\.yaml:1: /)
})

test('days, times and phone numbers stay the text they are', () => {
  assert.deepEqual(readYaml("day: 2026-11-15\ntime: 07:00\nphone: '0491 570 006'\n", 'x.yaml'), {
    day: '2026-11-15',
    time: '07:00',
    phone: '0491 570 006',
  })
})

test('what is written is read as the same by old readers too, without anchors', () => {
  const shared = { on: 'yes' }
  const text = toYaml({ day: '2026-11-15', first: shared, second: shared })
  assert.equal(text, 'day: "2026-11-15"\nfirst:\n  "on": "yes"\nsecond:\n  "on": "yes"\n')
})
