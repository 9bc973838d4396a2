import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { createRecent } from './recent.ts'

test('the latest keys are remembered with their latest values', () => {
  const entry = fc.tuple(fc.integer({ min: 0, max: 12 }).map(String), fc.integer())
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 60 }), (entries) => {
      const recent = createRecent<string, number>(5)
      for (const [key, value] of entries) recent.set(key, value)
      const latest = new Map<string, number>()
      for (const [key, value] of entries.toReversed()) {
        if (latest.size === 5) break
        if (!latest.has(key)) latest.set(key, value)
      }
      for (const [key, value] of latest) assert.equal(recent.get(key), value)
    }),
  )
})

test('what was not seen for long is forgotten', () => {
  const recent = createRecent<string, string>(5)
  recent.set('first', 'x')
  for (let index = 0; index < 10; index += 1) recent.set(String(index), 'y')
  assert.equal(recent.get('first'), undefined)
})
