/** Marks: a claim is won by one caller, and a put always writes. */
import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { Marks } from '../../src/store/marks.ts'
import { dayMs } from '../../src/time.ts'
import { newDatabase } from '../support/engines.ts'
import { nowMs } from '../support/leads.ts'

test('of two claims for a period one wins, and the next period has another winner', async (t) => {
  const marks = open(t)
  const claim = (at: number) => marks.claim('email', at, { before: at - dayMs })
  const won = await Promise.all([claim(nowMs), claim(nowMs + 1)])
  assert.deepEqual(won.toSorted(), [false, true])
  assert.equal(await claim(nowMs + 2 * dayMs), true)
})

test('without a period the first claim wins for good', async (t) => {
  const marks = open(t)
  assert.equal(await marks.claim('opened', nowMs, { about: 'ann' }), true)
  assert.equal(await marks.claim('opened', nowMs + dayMs, { about: 'ben' }), false)
  assert.deepEqual(await marks.find('opened'), { at: nowMs, about: 'ann' })
})

test('a put replaces what is there, also what is newer', async (t) => {
  const marks = open(t)
  await marks.put('made', nowMs, '2')
  await marks.put('made', nowMs - 1, '1')
  assert.deepEqual(await marks.find('made'), { at: nowMs - 1, about: '1' })
})

function open(t: TestContext): Marks {
  const engine = newDatabase(t).open()
  t.after(() => engine.close())
  return new Marks(engine)
}
