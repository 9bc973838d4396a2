import assert from 'node:assert/strict'
import test from 'node:test'
import { referenceOf } from '../store/reference.ts'
import { createLeadIds } from './ids.ts'

const secret = Buffer.alloc(32, 1)

test('ids are version 7, all different, and sort in the order they were made', () => {
  const names = createLeadIds(secret)
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

test('an id begins with the time it was made, and its reference follows from it', () => {
  const now = Date.UTC(2026, 10, 15)
  const names = createLeadIds(secret)
  for (let index = 0; index < 300; index += 1) {
    const { id, reference } = names.next(now)
    assert.equal(Number.parseInt(id.slice(0, 13).replace('-', ''), 16), now)
    assert.equal(referenceOf(id), reference)
  }
})

test('no two leads of a minute share a reference, spread over it or all at once [reference.own]', () => {
  const start = Date.UTC(2026, 10, 15)
  for (const [minute, msBetween] of [6, 0.01, 0].entries()) {
    const names = createLeadIds(secret)
    const references = Array.from(
      { length: 10_000 },
      (_, index) => names.next(start + minute * 60_000 + Math.floor(index * msBetween)).reference,
    )
    assert.equal(new Set(references).size, references.length)
  }
})

test('a receipt token leads back to its lead, and only under the same secret', () => {
  const names = createLeadIds(secret)
  const { id, token } = names.next(Date.UTC(2026, 10, 15))
  assert.equal(names.tokenOf(id), token)
  assert.notEqual(names.next(Date.UTC(2026, 10, 15)).token, token)
  const read = names.readToken(token)!
  assert.ok(id.startsWith(read.start) && id.endsWith(read.tail))
  assert.equal(createLeadIds(Buffer.alloc(32, 2)).readToken(token), undefined)
  const changed = token.slice(0, -1) + (token.endsWith('0') ? '1' : '0')
  for (const junk of ['', 'x', `${token}0`, changed, token.toUpperCase()]) {
    assert.equal(names.readToken(junk), undefined)
  }
})
