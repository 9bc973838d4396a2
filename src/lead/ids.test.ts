import assert from 'node:assert/strict'
import test from 'node:test'
import { createIds, newReference } from './ids.ts'
import { createReceipts } from './receipt.ts'

test('ids are version 7, all different, and sort in the order they were made', () => {
  const newId = createIds()
  const clock = [1_000, 1_000, 1_001, 900, 1_002]
  const ids = Array.from({ length: 10_000 }, (_, index) =>
    newId(clock[index % 5]! + (index > 5_000 ? 1 : 0)),
  )
  assert.ok(
    ids.every((id) =>
      /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id),
    ),
  )
  assert.equal(new Set(ids).size, ids.length)
  assert.deepEqual(ids, ids.toSorted())
})

test('a reference can be said over the phone', () => {
  const references = Array.from({ length: 1_000 }, newReference)
  assert.ok(
    references.every(
      ({ short, long }) => /^C-[2-9BCDFGHJKMNP-TV-Z]{5}$/.test(short) && long.startsWith(short),
    ),
  )
  assert.ok(new Set(references.map(({ short }) => short)).size > 990)
})

test('a receipt token leads back to its lead, and only with the same secret', () => {
  const newId = createIds()
  const lead = { id: newId(Date.UTC(2026, 10, 15)), reference: 'C-7K3QM' }
  const receipts = createReceipts(Buffer.alloc(32, 1))
  const token = receipts.tokenOf(lead)
  assert.match(token, /^C-7K3QM\.[A-Za-z0-9_-]{22}$/)
  assert.equal(receipts.tokenOf(lead), token)
  assert.equal(receipts.referenceOf(token), lead.reference)
  assert.ok(receipts.isTokenOf(token, lead))
  assert.ok(!receipts.isTokenOf(token, { ...lead, id: newId(Date.UTC(2026, 10, 15)) }))
  assert.ok(!createReceipts(Buffer.alloc(32, 2)).isTokenOf(token, lead))
  for (const junk of ['', 'x', `${token}x`, token.replace(/.$/, '!')]) {
    assert.equal(receipts.referenceOf(junk), undefined)
    assert.ok(!receipts.isTokenOf(junk, lead))
  }
})
