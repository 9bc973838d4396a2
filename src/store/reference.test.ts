import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { referencePattern } from '../contract/receipt.ts'
import { idSpansOf, readReference, referenceOf, toIdStart } from './reference.ts'

const time = fc.integer({ min: Date.UTC(2025, 0), max: Date.UTC(2060, 0) })
const id = fc
  .tuple(time, fc.integer({ min: 0, max: 0xfff }))
  .map(([ms, tail]) => `${toIdStart(ms)}-7000-8000-000000000${tail.toString(16).padStart(3, '0')}`)

test('a reference leads back to the minute of its lead, years later too', () => {
  fc.assert(
    fc.property(id, (leadId) => {
      const reference = referenceOf(leadId)
      assert.match(reference, new RegExp(referencePattern))
      const spans = idSpansOf(reference)
      assert.equal(spans.filter(({ from, before }) => leadId >= from && leadId < before).length, 1)
    }),
  )
})

test('leads of one minute, and of minutes after each other, have references that look nothing alike', () => {
  const references = Array.from({ length: 500 }, (_, minute) =>
    referenceOf(`${toIdStart(Date.UTC(2026, 10, 15) + minute * 60_000)}-7000-8000-000000000abc`),
  )
  assert.equal(new Set(references).size, 500)
  const sameStart = references.filter((each) => each.slice(0, 4) === references[0]!.slice(0, 4))
  assert.ok(sameStart.length < 10)
})

test('a reference is understood as people say and type it', () => {
  for (const text of ['C-7K3QM0', 'c-7k3qmo', ' 7K3QM0 ', 'C 7K3QMO']) {
    assert.equal(readReference(text), 'C-7K3QM0')
  }
  for (const text of ['', 'C-', 'C-7K3Q', 'C-7K3QM01', 'C-7K3QMU']) {
    assert.equal(readReference(text), undefined)
  }
})
