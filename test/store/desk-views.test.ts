import assert from 'node:assert/strict'
import test from 'node:test'
import { eraseLead, moveLead } from '../support/life.ts'
import type { State } from '../../src/contract/states.ts'
import { actOn } from '../../src/lead/act.ts'
import { askForAnotherTime, plan } from '../../src/lead/life.ts'
import { countViews, isViewName, listView, viewNames, type ViewName } from '../../src/desk/views.ts'
import type { Lead } from '../../src/store/leads/rows.ts'
import type { Store } from '../../src/store/store.ts'
import { areas, leadAt, openDesk } from '../support/desk.ts'
import { dayMs } from '../../src/time.ts'
import { nowMs } from '../support/leads.ts'

const today = { now: nowMs, until: nowMs + 24 * 60 * 60_000 }

/** How a lead comes to each state, but for those that `keepAs` makes by themselves. */
const road: Record<Exclude<State, 'new' | 'held' | 'joined' | 'erased'>, State[]> = {
  contacted: ['contacted'],
  consultation_booked: ['contacted', 'consultation_booked'],
  proposal_sent: ['contacted', 'consultation_booked', 'proposal_sent'],
  won: ['contacted', 'consultation_booked', 'won'],
  lost: ['contacted', 'lost'],
  not_suitable: ['not_suitable'],
  spam: ['spam'],
  withdrawn: ['withdrawn'],
}

test('each tab shows its leads in its order, and counts them', async (t) => {
  const { store } = openDesk(t)
  const all: State[] = ['new', 'held', ...(Object.keys(road) as State[]), 'erased', 'new']
  for (const [minute, state] of all.entries()) await keepAs(store, minute, state)
  const nameOf = ({ id }: Lead) => (id === leadAt(0).id ? 'first' : all[minuteOf(id)]!)
  const minuteOf = (id: string) => all.findIndex((_, minute) => id === leadAt(minute).id)
  const listed = async (view: ViewName) =>
    (await listView(store, view, { areas, today })).rows.map(nameOf)
  const shown = Object.fromEntries(
    await Promise.all(viewNames.map(async (view) => [view, await listed(view)])),
  ) as Record<ViewName, string[]>
  assert.deepEqual(shown, {
    today: ['first', 'new'],
    contacted: ['contacted'],
    booked: ['consultation_booked'],
    proposals: ['proposal_sent'],
    held: ['held'],
    spam: ['spam'],
    done: ['withdrawn', 'not_suitable', 'lost', 'won'],
    all: [...all.slice(1).toReversed(), 'first'],
  })
  assert.deepEqual(['done', 'nonsense', 'toString'].map(isViewName), [true, false, false])
  const counts = await countViews(store, today)
  assert.deepEqual(
    counts,
    Object.fromEntries(Object.entries(shown).map(([view, rows]) => [view, rows.length])),
  )
  const both = await store.views.byDate(['proposal_sent', 'consultation_booked'], { limit: 9 })
  assert.deepEqual(
    both.map(({ state }) => state),
    ['consultation_booked', 'proposal_sent'],
    'a tab of two states shows the leads of both',
  )
})

test('a row tells who, where, what, through which door, and whether the owner was noticeState', async (t) => {
  const { store, database } = openDesk(t)
  const message = `First line with ${'many '.repeat(60)}words\nsecond line`
  const values = { name: 'Robin Example', phone: '0491 570 006', postcode: '2480', message }
  await store.leads.keep(
    leadAt(1, values, { door: 'mcp', agent: 'helper 1.0', deliverTo: ['mail', 'sender'] }),
  )
  await store.leads.keep(leadAt(2, { postcode: '9999' }, { deliverTo: ['mail', 'webhook'] }))
  await store.leads.keep(leadAt(3, {}, { deliverTo: ['sender'] }))
  await store.leads.keep(leadAt(4, {}, { deliverTo: ['mail'] }))
  await store.leads.keep(leadAt(5, {}, { deliverTo: ['mail'] }))
  const end = (minute: number, channel: string, outcome: string) =>
    database.execute(
      `update delivery set outcome = '${outcome}', done_at = 1
       where lead_id = '${leadAt(minute).id}' and channel = '${channel}'`,
    )
  await end(1, 'sender', 'delivered')
  await end(2, 'mail', 'dead')
  await end(2, 'webhook', 'delivered')
  await end(3, 'sender', 'delivered')
  await end(4, 'mail', 'dead')
  await end(5, 'mail', 'gathered')
  const { rows } = await listView(store, 'today', { areas, today })
  assert.deepEqual(
    rows.map(({ noticeState }) => noticeState),
    ['waiting', 'sent', 'none', 'failed', 'sent'],
  )
  await database.execute(`update delivery set outcome = 'delivered' where id = 'digest/mail'`)
  assert.equal((await listView(store, 'all', { areas, today })).rows[0]!.noticeState, 'sent')
  const { start, town, whyHeld, noticeState, touchedAt, ...shown } = rows[0]!
  const { nth, wonAt, notes, joinedMessages, tries, ...row } = shown
  const lead = (await store.leads.find(leadAt(1).id))!
  assert.deepEqual(row, lead)
  assert.deepEqual([town, whyHeld, noticeState], ['Lismore', [], 'waiting'])
  assert.deepEqual([nth, wonAt, notes, joinedMessages, tries], [1, undefined, '', [], 0])
  assert.equal(touchedAt, lead.receivedAt)
  assert.match(start, /^First line with many .*…$/)
  assert.equal(start.length, 140)
  assert.equal(rows[1]!.town, '9999')
})

test('a request counts as the 2nd or 3rd of a person by the email, or by number and name, once', async (t) => {
  const { store } = openDesk(t)
  const [gary, phone] = ['gary@example.com', '0491 570 006']
  const sent = [
    { name: 'Gary', email: gary, phone },
    { name: 'Gary Example', email: 'work@example.com', phone: '+61 491 570 006' },
    { name: 'Gary', email: gary, phone, message: 'And a gate' },
    { name: 'Jill', email: 'jill@example.com', phone },
    { name: '0491 570 006', email: '', phone },
    { email: 'kim@example.com', phone: '' },
    { email: '', phone: '' },
    { name: 'Zoë', email: 'zoe@example.com', phone: '0491 570 157' },
    { name: 'ZOË EXAMPLE', email: 'z@work.example.com', phone: '0491 570 157' },
  ]
  for (const [minute, values] of sent.entries()) await store.leads.keep(leadAt(minute, values))
  const { rows } = await listView(store, 'today', { areas, today })
  const nths = new Map(rows.map(({ id, nth }) => [id, nth]))
  assert.deepEqual(
    sent.map((_, minute) => nths.get(leadAt(minute).id)),
    [1, 2, 3, 1, 5, 1, 0, 1, 2],
  )
})

function isFarther(state: State): state is keyof typeof road {
  return Object.hasOwn(road, state)
}

async function keepAs(store: Store, minute: number, state: State): Promise<void> {
  const lead = leadAt(minute, {}, { state: state === 'held' ? 'held' : 'new' })
  await store.leads.keep(lead)
  if (state === 'erased') {
    await eraseLead(store, (await store.leads.find(lead.id))!, { by: 'owner', at: nowMs })
  }
  for (const to of isFarther(state) ? road[state] : []) {
    await moveLead(store, (await store.leads.find(lead.id))!, { to, by: 'owner', at: nowMs })
  }
}

test('a clock that was set back ends no list: its pages go by the ids [next.today]', async (t) => {
  const { store } = openDesk(t)
  // Ids go on from the last time, though the leads came earlier by the clock.
  for (let minute = 0; minute < 6; minute += 1) {
    await store.leads.keep({ ...leadAt(minute), receivedAt: nowMs - dayMs - minute })
  }
  const seen: string[] = []
  for (let past: string | undefined, turns = 0; turns < 5; turns += 1) {
    const { rows, nextPage } = await listView(store, 'today', { areas, today, past, limit: 2 })
    seen.push(...rows.map(({ id }) => id))
    if (nextPage === undefined) break
    past = nextPage
  }
  assert.deepEqual(
    seen,
    Array.from({ length: 6 }, (_, minute) => leadAt(minute).id),
  )
})

const soon = (days: number) => ({ at: nowMs + days * dayMs, what: 'visit' }) as const

/** A lead with a visit so many days ahead, for which the customer asks for another time or not. */
async function keepVisit(
  store: Store,
  minute: number,
  { days, asks }: { days: number; asks: boolean },
) {
  const { id } = leadAt(minute)
  await store.leads.keep(leadAt(minute))
  const lead = (await store.leads.find(id))!
  const visit = { next: soon(days), place: '', shown: true }
  await moveLead(store, lead, { to: 'consultation_booked', by: 'owner', at: nowMs, ...visit })
  if (asks) await actOn(store, id, askForAnotherTime('Friday, please', { at: nowMs + 1 }))
  return id
}

test('who asks for another time comes first in Today, however far the visit lies ahead [next.asked]', async (t) => {
  const { store } = openDesk(t)
  const far = await keepVisit(store, 1, { days: 9, asks: true })
  const near = await keepVisit(store, 2, { days: 0.9, asks: true })
  const due = await keepVisit(store, 3, { days: 0.5, asks: false })
  await keepVisit(store, 4, { days: 9, asks: false })
  await store.leads.keep(leadAt(5))
  const expected = [near, far, due, leadAt(5).id]
  for (const limit of [1, 2, 3, 50]) assert.deepEqual(await allOfToday(store, limit), expected)
  assert.equal((await countViews(store, today)).today, 4)
  const booked = (await listView(store, 'booked', { areas, today, limit: 2 })).nextPage
  const rest = await listView(store, 'booked', { areas, today, past: booked })
  assert.deepEqual(rest.rows.map(({ id }) => id).sort(), [far, leadAt(4).id].sort())
  // The owner answers: the visit stays.
  const lead = (await store.leads.find(far))!
  await actOn(
    store,
    far,
    plan({ next: { at: lead.date!.at, what: 'visit' } }, { by: 'owner', at: nowMs + 2 }),
  )
  assert.deepEqual(await allOfToday(store, 50), [near, due, leadAt(5).id])
  assert.equal((await countViews(store, today)).today, 3)
})

async function allOfToday(store: Store, limit: number): Promise<string[]> {
  const seen: string[] = []
  for (let past: string | undefined, turns = 0; turns < 9; turns += 1) {
    const { rows, nextPage } = await listView(store, 'today', { areas, today, past, limit })
    seen.push(...rows.map(({ id }) => id))
    if (nextPage === undefined) break
    past = nextPage
  }
  return seen
}

test('proposals stand under the day to follow up, and come to Today then', async (t) => {
  const { store } = openDesk(t)
  for (const [minute, days] of [3, 1, 0.5].entries()) {
    await keepAs(store, minute, 'consultation_booked')
    const lead = (await store.leads.find(leadAt(minute).id))!
    const next = { at: nowMs + days * dayMs, what: 'ring' } as const
    await moveLead(store, lead, { to: 'proposal_sent', by: 'owner', at: nowMs, next })
  }
  const ids = async (view: ViewName) =>
    (await listView(store, view, { areas, today })).rows.map(({ id }) => id)
  assert.deepEqual(
    await ids('proposals'),
    [2, 1, 0].map((minute) => leadAt(minute).id),
  )
  assert.deepEqual(await ids('today'), [leadAt(2).id])
})
