import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { referencePattern } from '../contract/receipt.ts'
import { toIdStart } from './id-time.ts'
import { namedBy, readReference, referenceOf } from './reference.ts'

const time = fc.integer({ min: Date.UTC(2025, 0), max: Date.UTC(2060, 0) })
const id = fc
  .tuple(time, fc.integer({ min: 0, max: 0xffff }))
  .map(([ms, tail]) => `${toIdStart(ms)}-7000-8000-00000000${tail.toString(16).padStart(4, '0')}`)

test('a reference leads back to the millisecond of its lead, years later too', () => {
  fc.assert(
    fc.property(id, (leadId) => {
      const reference = referenceOf(leadId)
      assert.match(reference, new RegExp(referencePattern))
      const { spans, isMeant } = namedBy(reference)
      const [span, ...others] = spans.filter(
        ({ from, before }) => leadId >= from && leadId < before,
      )
      assert.deepEqual([span?.from, others], [leadId.slice(0, 13), []])
      assert.ok(isMeant(leadId))
      assert.ok(!isMeant(leadId.slice(0, -1) + (leadId.endsWith('0') ? '1' : '0')))
    }),
  )
})

test('leads of one minute, and of minutes after each other, have references that look nothing alike', () => {
  const references = Array.from({ length: 500 }, (_, minute) =>
    referenceOf(`${toIdStart(Date.UTC(2026, 10, 15) + minute * 60_000)}-7000-8000-000000000abc`),
  )
  assert.equal(new Set(references).size, 500)
  for (const part of [
    [2, 4],
    [8, 10],
  ] as const) {
    const [first] = references
    const alike = references.filter((each) => each.slice(...part) === first!.slice(...part))
    assert.ok(alike.length < 10)
  }
})

test('a reference is understood as people say and type it [reference.own]', () => {
  const said = ['C-7K3QM-4X920', 'c-7k3qm-4x92o', ' 7K3QM4X920 ', 'C 7K3QM 4X92O', 'c7k3qm4x920']
  for (const text of said) assert.equal(readReference(text), 'C-7K3QM-4X920')
  assert.equal(readReference('CK3QM4X920'), 'C-CK3QM-4X920')
  for (const text of [
    '',
    'C-',
    'C-7K3Q',
    'C-7K3QM0',
    'C-7K3QM-4X92U',
    'C-7K3QM-4X92',
    'X-7K3QM-4X920',
  ]) {
    assert.equal(readReference(text), undefined)
  }
})
