import assert from 'node:assert/strict'
import test from 'node:test'
import { referencePattern } from '../../contract/receipt.ts'
import { newReference, readReference } from './reference.ts'

test('references of one minute begin alike, grow with the minutes, and end at random', () => {
  const now = Date.UTC(2026, 10, 15, 9)
  const references = Array.from({ length: 500 }, () => newReference(now))
  for (const each of references) assert.match(each, new RegExp(referencePattern))
  assert.deepEqual(new Set(references.map((each) => each.slice(0, 7))), new Set(['C-WGV4W']))
  // One run in 270 meets a pair of equal ones, for which a lead gets another reference.
  assert.ok(new Set(references).size > 490)
  assert.ok(newReference(now + 60_000) > references.toSorted().at(-1)!)
  // The minutes begin again.
  assert.match(newReference(32 ** 5 * 60_000), /^C-00000-/)
})

test('a reference is understood as people say and type it [reference.own]', () => {
  const said = ['C-7K3QM-4X920', 'c-7k3qm-4x92o', ' 7K3QM4X920 ', 'C 7K3QM 4X92O', 'c7k3qm4x920']
  for (const text of said) assert.equal(readReference(text), 'C-7K3QM-4X920')
  assert.equal(readReference('CK3QM4X920'), 'C-CK3QM-4X920')
  for (const text of ['', 'C-', 'C-7K3QM0', 'C-7K3QM01', 'C-7K3QM-4X92', 'X-7K3QM-4X920']) {
    assert.equal(readReference(text), undefined)
  }
})
