import assert from 'node:assert/strict'
import test from 'node:test'
import { createRequestIds } from './request-ids.ts'

test('request ids have nothing in common with those before', () => {
  const nextId = createRequestIds()
  const ids = Array.from({ length: 2_000 }, nextId)
  assert.equal(new Set(ids).size, ids.length)
  assert.ok(ids.every((id) => /^[0-9a-f]{16}$/.test(id)))
  // Of random ids, each of sixteen digits stands at each place; of a counter, its first ones do not change.
  for (const place of [0, 8, 15]) assert.equal(new Set(ids.map((id) => id[place])).size, 16)
})
