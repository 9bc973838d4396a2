import assert from 'node:assert/strict'
import test from 'node:test'
import { LeadIds } from './ids.ts'

const secret = Buffer.alloc(32, 1)

test('ids are version 7, all different, and sort in the order they were made', () => {
  const leadIds = new LeadIds(secret)
  const clock = [1_000, 1_000, 1_001, 900, 1_002]
  const ids = Array.from({ length: 10_000 }, (_, index) =>
    leadIds.next(clock[index % 5]! + (index > 5_000 ? 1 : 0)),
  )
  const shape = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
  assert.ok(ids.every((id) => shape.test(id)))
  assert.equal(new Set(ids).size, ids.length)
  assert.deepEqual(ids, ids.toSorted())
})

test('after a clock that was ahead, ids begin again from now', () => {
  const leadIds = new LeadIds(secret)
  const now = Date.UTC(2026, 10, 15)
  leadIds.next(now + 365 * 24 * 60 * 60_000)
  assert.equal(timeIn(leadIds.next(now)), now)
  leadIds.next(now + 60_000)
  assert.equal(timeIn(leadIds.next(now)), now + 60_000, 'a clock that is put right by a minute')
})

function timeIn(id: string): number {
  return Number.parseInt(id.slice(0, 13).replace('-', ''), 16)
}

test('an id begins with the time it was made', () => {
  const now = Date.UTC(2026, 10, 15)
  const id = new LeadIds(secret).next(now)
  assert.equal(timeIn(id), now)
})

test('a receipt token leads back to its lead, and only under the same secret', () => {
  const leadIds = new LeadIds(secret)
  const id = leadIds.next(Date.UTC(2026, 10, 15))
  const token = leadIds.tokenOf(id)
  assert.equal(leadIds.readToken(token), id)
  assert.notEqual(leadIds.tokenOf(leadIds.next(Date.UTC(2026, 10, 15))), token)
  assert.equal(new LeadIds(Buffer.alloc(32, 2)).readToken(token), undefined)
  const changed = [0, 20, 40, 63].map(
    (at) => token.slice(0, at) + (token[at] === '0' ? '1' : '0') + token.slice(at + 1),
  )
  for (const junk of ['', 'x', `${token}0`, token.toUpperCase(), ...changed]) {
    assert.equal(leadIds.readToken(junk), undefined, junk)
  }
})
