import assert from 'node:assert/strict'
import test from 'node:test'
import { aboutVisit } from './about.ts'

test('an email about a visit that an earlier version stored is read as one of today', () => {
  const visit = { at: 1_795_060_800_000, place: '12 Example Street' }
  assert.deepEqual(aboutVisit.read(JSON.stringify(null)), { visit: undefined })
  const stored = JSON.stringify({ ...visit, to: 'e1', answers: 7 })
  assert.deepEqual(aboutVisit.read(stored), { visit, to: 'e1', answers: 7 })
  const sent = { visit, to: 'e1', before: null }
  assert.deepEqual(aboutVisit.read(aboutVisit.write(sent)), sent)
})
