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
  const { store, sessions, links, clock } = await open(t)
  clock.now = nowMs + 365 * dayMs
  const session = await sessions.begin(robin)
  const link = await links.give(robin)
  await store.leads.keep(newLead(1, { receivedAt: clock.now, deliverTo: ['mail'] }))
  await store.marks.claim('job', clock.now)

  clock.now = nowMs
  await store.forgetFuture(nowMs)
  assert.equal(await sessions.find(session), undefined)
  assert.equal(await links.find(link), undefined)
  assert.ok(await store.marks.claim('job', nowMs))
  assert.equal(await store.deliveries.nextDue('mail', nowMs), nowMs)
})

test('what a node writes whose clock is some minutes ahead stays as it is', async (t) => {
  const { store, sessions, links, clock } = await open(t)
  clock.now = nowMs + 10 * minuteMs
  const session = await sessions.begin(robin)
  const link = await links.give(robin)
  await store.leads.keep(newLead(1, { receivedAt: clock.now, deliverTo: ['mail'] }))
  await store.marks.claim('job', clock.now)

  clock.now = nowMs
  await store.forgetFuture(nowMs)
  assert.ok(await sessions.find(session))
  assert.ok(await links.find(link))
  assert.equal(await store.marks.claim('job', nowMs), false)
  assert.equal(await store.deliveries.nextDue('mail', nowMs), nowMs + 10 * minuteMs)
})

async function open(t: TestContext) {
  const store = new Store(
    newDatabase(t).open(),
    recipientsOf(() => ['mail']),
  )
  t.after(() => store.close())
  await store.access.addMember(robin)
  const clock = { now: nowMs }
  const now = () => clock.now
  return {
    store,
    clock,
    sessions: new Sessions(store.access, now),
    links: new Links(store.access, now),
  }
}
