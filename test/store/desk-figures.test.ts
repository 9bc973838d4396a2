import assert from 'node:assert/strict'
import test from 'node:test'
import { moveLead } from '../support/life.ts'
import type { Door, State } from '../../src/contract/states.ts'
import { readFigures, waitInWords, type Figures } from '../../src/desk/figures.ts'
import { paths } from '../../src/doors/inbox/paths.ts'
import { actOn, eraseLead } from '../../src/lead/act.ts'
import { explainLost } from '../../src/lead/life.ts'
import { toIdStart } from '../../src/store/leads/rows.ts'
import type { Store } from '../../src/store/store.ts'
import { hourMs, minuteMs, momentOf, toMinute, type Hours } from '../../src/time.ts'
import { areas, openDesk } from '../support/desk.ts'
import { openInbox, robin } from '../support/inbox.ts'
import { newLead } from '../support/leads.ts'

const timeZone = 'Australia/Sydney'
const hours: Hours[] = [
  {
    days: ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday'],
    opens: '07:00',
    closes: '16:30',
  },
]
const business = { areas, hours, timeZone }

/** "2026-11-13 16:00" in Sydney. */
function at(when: string): number {
  const [date = '', time = ''] = when.split(' ')
  return momentOf(date, toMinute(time), timeZone)
}

type Request = { door?: Door; postcode?: string; state?: 'new' | 'held'; moves?: [State, string][] }

let requests = 0

async function keep(store: Store, when: string, request: Request = {}): Promise<string> {
  const { door = 'form', postcode = '2480', state = 'new', moves = [] } = request
  const receivedAt = at(when)
  const index = (requests += 1)
  const { values } = newLead(index)
  const id = `${toIdStart(receivedAt)}-7000-8000-${String(index).padStart(12, '0')}`
  const parts = { id, receivedAt, door, state, values: { ...values, postcode } }
  await store.leads.keep(newLead(index, parts))
  for (const [to, moved] of moves) await move(store, id, to, moved)
  return id
}

async function move(store: Store, id: string, to: State, when: string, undoes?: number) {
  const lead = (await store.leads.find(id))!
  const undo = undoes !== undefined && { undoes }
  const moved = await moveLead(store, lead, { to, by: 'owner', at: at(when), ...undo })
  assert.equal(moved?.state, to)
}

test('the page shows requests by week, place and way, the wait, and the outcomes [figures.page]', async (t) => {
  const inbox = await openInbox(t)
  const { store } = inbox
  const { browser } = await inbox.member(robin)
  const figures = async () => (await browser.get(paths.figures)).text
  assert.match(await figures(), /No request came in during the last thirteen weeks\./)

  // It is Monday 16 November, 10 am; the first of the thirteen weeks begins on 24 August.
  await keep(store, '2026-08-23 23:59')
  await keep(store, '2026-08-24 00:00', { moves: [['not_suitable', '2026-08-24 09:00']] })
  await keep(store, '2026-11-04 16:00', { moves: [['contacted', '2026-11-05 08:00']] })
  await keep(store, '2026-11-05 07:00', {
    door: 'mcp',
    postcode: 'Near byron bay, NSW',
    moves: [
      ['consultation_booked', '2026-11-05 07:20'],
      ['won', '2026-11-09 12:00'],
    ],
  })
  await keep(store, '2026-11-08 23:59', { postcode: '9999' })
  await keep(store, '2026-11-16 00:00', { door: 'json', postcode: '' })
  await keep(store, '2026-11-12 09:00', { state: 'held' })
  await keep(store, '2026-11-12 09:00', { moves: [['spam', '2026-11-12 10:00']] })
  const erased = await keep(store, '2026-11-12 09:00')
  await eraseLead(store, { leadId: erased, at: at('2026-11-12 10:00') })

  const page = await figures()
  const sentences = Array.from(page.matchAll(/<h2>.*<\/h2>\n<p>(.*)<\/p>/g), ([, words]) => words)
  assert.deepEqual(sentences, [
    '5 requests came in, 3 from people and 2 from agents. The busiest week began on 2 Nov, with 3.',
    'Half of the people you contacted heard from you within 20 minutes; the slowest tenth waited about 2 hours or longer. 2 are still waiting.',
    'You contacted 2 of 5, booked 1 and won 1.',
    '3 of 5 came from the places you serve, most from Lismore: 2.',
    '3 came by the form on the website, 2 by agents.',
  ])
  assert.match(page, /<svg class="bars" role="img"[^>]*>\n<title>5 requests came in, 3 from people/)
  const rows = rowsIn(page)
  assert.deepEqual(rows.slice(0, 3), [
    ['16 Nov, so far', '0', '1', '1'],
    ['9 Nov', '0', '0', '0'],
    ['2 Nov', '2', '1', '3'],
  ])
  assert.deepEqual(rows[12], ['24 Aug', '1', '0', '1'])
  const isShare = ([, , cell]: string[]) => cell!.endsWith('%')
  assert.deepEqual(
    rows.filter((row) => isShare(row) && row[1] !== '0'),
    [
      ['Received', '5', '100%'],
      ['Contacted', '2', '40%'],
      ['Booked', '1', '20%'],
      ['Won', '1', '20%'],
      ['Not suitable', '1', '20%'],
      ['Still open', '3', '60%'],
    ],
  )
  assert.ok(rows.some(([name, ...cells]) => name === 'Lost' && cells.join(' ') === '0 0%'))
  const others = rows.slice(13).filter((row) => !isShare(row))
  assert.deepEqual(
    others.filter(([, ...cells]) => cells.some((cell) => cell !== '0')),
    [
      ['Lismore', '2', '0', '2'],
      ['Byron Bay', '0', '1', '1'],
      ['Elsewhere', '1', '0', '1'],
      ['Place not said', '0', '1', '1'],
    ],
  )
})

test('a wait counts opening hours only, over weekends and changes of the clocks', async (t) => {
  const waited = async (from: string, to: string) => {
    const { store } = openDesk(t)
    await keep(store, from, { moves: [['contacted', to]] })
    const { halfWithinMs, mostWithinMs } = await readFigures(
      store,
      business,
      at('2026-11-16 10:00'),
    )
    assert.equal(mostWithinMs, halfWithinMs)
    return halfWithinMs / minuteMs
  }
  assert.equal(await waited('2026-11-13 16:00', '2026-11-16 08:00'), 90)
  // The clocks went forward in the night to Sunday 4 October.
  assert.equal(await waited('2026-10-02 16:00', '2026-10-05 08:00'), 90)
  assert.equal(await waited('2026-11-11 08:00', '2026-11-13 08:00'), 2 * 9.5 * 60)
  assert.equal(await waited('2026-11-14 09:00', '2026-11-15 21:00'), 0)
})

test('a wait is told as a builder says it: minutes, hours, then working days', () => {
  const words = (ms: number) => waitInWords(ms, 9.5 * hourMs)
  assert.deepEqual(
    [0, 20, 59].map((minutes) => words(minutes * minuteMs)),
    ['1 minute', '20 minutes', '59 minutes'],
  )
  assert.deepEqual(
    [1, 4.4, 5, 9.5, 14, 15, 54.5].map((count) => words(count * hourMs)),
    [
      'about 1 hour',
      'about 4 hours',
      'about a working day',
      'about a working day',
      'about a working day',
      'about 2 working days',
      'about 6 working days',
    ],
  )
})

test('a usual day is the mean of the days on which the business opens', async (t) => {
  const { store } = openDesk(t)
  const saturday: Hours = { days: ['Saturday'], opens: '08:00', closes: '12:00' }
  const open = { ...business, hours: [...hours, saturday] }
  const { openDayMs } = await readFigures(store, open, at('2026-11-16 10:00'))
  assert.equal(Math.round(openDayMs / minuteMs), Math.round(((5 * 9.5 + 4) / 6) * 60))
})

test('a request was contacted if it ever was, but a move that was undone is none', async (t) => {
  const { store } = openDesk(t)
  await keep(store, '2026-11-11 08:00', {
    moves: [
      ['contacted', '2026-11-11 09:00'],
      ['new', '2026-11-11 10:00'],
    ],
  })
  const slip = await keep(store, '2026-11-12 08:00', {
    moves: [['consultation_booked', '2026-11-12 09:00']],
  })
  await move(store, slip, 'new', '2026-11-12 09:01', 1)
  const reached = ({ outcomeOf }: Figures) => [
    outcomeOf('contacted'),
    outcomeOf('consultation_booked'),
  ]
  const first = await readFigures(store, business, at('2026-11-16 10:00'))
  assert.deepEqual([...reached(first), first.waiting], [1, 0, 1])
  await move(store, slip, 'contacted', '2026-11-12 10:00')
  const then = await readFigures(store, business, at('2026-11-16 10:00'))
  assert.deepEqual([...reached(then), then.waiting], [2, 0, 0])
  assert.deepEqual([then.halfWithinMs, then.mostWithinMs], [60 * minuteMs, 120 * minuteMs])
})

test('the page says how many proposals became work, and why requests were lost [figures.page]', async (t) => {
  const inbox = await openInbox(t)
  const { store } = inbox
  const { browser } = await inbox.member(robin)
  const propose = async (...moves: State[]) => {
    const all: State[] = ['contacted', 'proposal_sent', ...moves]
    return keep(store, '2026-11-05 09:00', { moves: all.map((to) => [to, '2026-11-06 09:00']) })
  }
  await propose()
  await propose('won')
  await propose('withdrawn')
  const lost = [await propose('lost'), await propose('lost'), await propose('lost')]
  for (const [index, why] of (['timing', 'timing'] as const).entries()) {
    await actOn(store, lost[index]!, explainLost(why, { by: 'owner', at: at('2026-11-06 10:00') }))
  }
  const slip = await keep(store, '2026-11-05 09:00', {
    moves: [
      ['contacted', '2026-11-06 09:00'],
      ['proposal_sent', '2026-11-06 09:01'],
    ],
  })
  await move(store, slip, 'contacted', '2026-11-06 09:02', 2)
  const page = (await browser.get(paths.figures)).text
  assert.match(
    page,
    /<h2>Proposals<\/h2>\n<p>You sent 6 proposals: 1 became work, 3 were lost, 1 ended otherwise, 1 out\.<\/p>/,
  )
  assert.ok(page.includes('<p>You lost 3: not the right time (2), without a reason (1).</p>'))
  assert.doesNotMatch(page, /quote|\$/i)
  const later = { by: 'owner', at: at('2026-11-06 11:00') }
  await actOn(store, lost[0]!, explainLost('budget', later))
  const each = 'more than they had in mind (1), not the right time (1), without a reason (1)'
  assert.ok((await browser.get(paths.figures)).text.includes(`You lost 3: ${each}.`))
})

test('somebody who rang is contacted once a member says so, and waited for nothing', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  await keep(inbox.store, '2026-11-05 09:00', {
    door: 'phone',
    moves: [['contacted', '2026-11-05 09:00']],
  })
  await keep(inbox.store, '2026-11-05 09:00', { door: 'phone' })
  const away: Request = { door: 'phone', moves: [['not_suitable', '2026-11-05 10:00']] }
  await keep(inbox.store, '2026-11-05 09:00', away)
  const page = (await browser.get(paths.figures)).text
  assert.match(page, /3 requests came in, 3 from people and 0 from agents\./)
  assert.match(page, /You contacted 1 of 3, booked 0 and won 0\./)
  assert.match(page, /You have got back to nobody yet\. 1 is still waiting\./)
  assert.match(page, /0 came by the form on the website, 3 by phone, 0 by agents\./)
})

function rowsIn(page: string): string[][] {
  return Array.from(page.matchAll(/<tr>\n<th scope="row">.*?<\/tr>/gs), ([row]) =>
    Array.from(row.matchAll(/<t[hd][^>]*>([^<]*)/g), ([, text]) => text!),
  )
}
