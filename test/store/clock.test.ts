/** A clock that was ahead, or a node's that is, as `src/store/clock.ts` says it. */
import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { Links } from '../../src/access/links.ts'
import { Sessions } from '../../src/access/sessions.ts'
import { recipientsOf } from '../../src/contract/notices.ts'
import { Store } from '../../src/store/store.ts'
import { dayMs, minuteMs } from '../../src/time.ts'
import { newDatabase } from '../support/engines.ts'
import { newLead, nowMs } from '../support/leads.ts'

const robin = { id: 'robin-id', name: 'Robin', email: 'robin@example.com', madeAt: nowMs }

test('after a clock that was a year ahead, sign-ins and links of that time end, jobs run, and what waits leaves', async (t) => {
  const { store, findSession, findLink } = await writeAhead(t, 365 * dayMs)
  assert.equal(await findSession(), undefined)
  assert.equal(await findLink(), undefined)
  assert.ok(await store.marks.claim('job', nowMs))
  assert.equal(await store.deliveries.nextDue('mail', nowMs), nowMs)
})

test('what a node writes whose clock is some minutes ahead stays as it is', async (t) => {
  const { store, findSession, findLink } = await writeAhead(t, 10 * minuteMs)
  assert.ok(await findSession())
  assert.ok(await findLink())
  assert.equal(await store.marks.claim('job', nowMs), false)
  assert.equal(await store.deliveries.nextDue('mail', nowMs), nowMs + 10 * minuteMs)
})

/** A sign-in, a link, a lead and a job of a clock that is ahead; then it is set right, and the future is forgotten. */
async function writeAhead(t: TestContext, aheadMs: number) {
  const store = new Store(
    newDatabase(t).open(),
    recipientsOf(() => ['mail']),
  )
  t.after(() => store.close())
  await store.access.addMember(robin)
  let clock = nowMs + aheadMs
  const sessions = new Sessions(store.access, () => clock)
  const links = new Links(store.access, () => clock)
  const session = await sessions.begin(robin)
  const link = await links.give(robin)
  await store.leads.keep(newLead(1, { receivedAt: clock, deliverTo: ['mail'] }))
  await store.marks.claim('job', clock)

  clock = nowMs
  await store.forgetFuture(nowMs)
  return { store, findSession: () => sessions.find(session), findLink: () => links.find(link) }
}
