import assert from 'node:assert/strict'
import test from 'node:test'
import { createNames } from './ids.ts'
import { isTokenOf, referenceOfToken, toReceiptToken } from './receipt.ts'

const secret = Buffer.alloc(32, 1)

test('ids are version 7, all different, and sort in the order they were made', () => {
  const names = createNames(secret)
  const clock = [1_000, 1_000, 1_001, 900, 1_002]
  const ids = Array.from(
    { length: 10_000 },
    (_, index) => names.next(clock[index % 5]! + (index > 5_000 ? 1 : 0)).id,
  )
  const shape = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
  assert.ok(ids.every((id) => shape.test(id)))
  assert.equal(new Set(ids).size, ids.length)
  assert.deepEqual(ids, ids.toSorted())
})

test('an id begins with the time it was made', () => {
  const now = Date.UTC(2026, 10, 15)
  const { id } = createNames(secret).next(now)
  assert.equal(Number.parseInt(id.slice(0, 13).replace('-', ''), 16), now)
})

test('a reference can be said over the phone', () => {
  const names = createNames(secret)
  const references = Array.from({ length: 1_000 }, () => names.next(1).reference)
  const shape = /^C-[2-9BCDFGHJKMNP-TV-Z]{5}$/
  assert.ok(references.every(({ short, long }) => shape.test(short) && long.startsWith(short)))
  assert.ok(new Set(references.map(({ short }) => short)).size > 990)
})

test('a receipt token belongs to one lead, and only under the same secret', () => {
  const names = createNames(secret)
  const { id, secretPart } = names.next(Date.UTC(2026, 10, 15))
  const lead = { id, reference: 'C-7K3QM' }
  const token = toReceiptToken(lead.reference, secretPart)
  assert.match(token, /^C-7K3QM\.[0-9a-f]{32}$/)
  assert.equal(names.secretPartOf(id), secretPart)
  assert.equal(referenceOfToken(token), lead.reference)
  assert.ok(isTokenOf(token, lead, names))
  assert.ok(!isTokenOf(token, { ...lead, id: names.next(1).id }, names))
  assert.ok(!isTokenOf(token, { ...lead, reference: 'C-7K3QN' }, names))
  assert.ok(!isTokenOf(token, lead, createNames(Buffer.alloc(32, 2))))
  for (const junk of ['', 'x', `${token}0`, token.replace(/.$/, '!')]) {
    assert.equal(referenceOfToken(junk), undefined)
    assert.ok(!isTokenOf(junk, lead, names))
  }
})
