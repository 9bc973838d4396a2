import assert from 'node:assert/strict'
import test from 'node:test'
import ICAL from 'ical.js'
import { actPath, leadPath, paths, visitPath } from '../../src/doors/inbox/paths.ts'
import { dayMs, hourMs } from '../../src/time.ts'
import { actOn } from '../../src/lead/act.ts'
import { LeadIds } from '../../src/lead/ids.ts'
import { askForAnotherTime, move } from '../../src/lead/life.ts'
import { secret } from '../support/delivery.ts'
import { searchLeads } from '../../src/desk/search.ts'
import { listView } from '../../src/desk/views.ts'
import { areas } from '../support/desk.ts'
import { openInbox, robin, sam, type TestBrowser, type TestInbox } from '../support/inbox.ts'

const mai = { name_1: 'Mai Example', email_1: 'mai@example.com', text_1: '2480' }

async function namesIn(browser: TestBrowser, view = 'today'): Promise<string[]> {
  const { text } = await browser.get(`${paths.list}?view=${view}`)
  return Array.from(text.matchAll(/<span class="who"><bdi>([^<]*)/g), ([, name]) => name!)
}

let phones = 100

/** Each with a number of their own. */
async function take(inbox: TestInbox, name: string): Promise<string> {
  phones += 1
  const phone_1 = `0491 570 ${phones}`
  return inbox.take({ ...mai, name_1: name, email_1: `${name}@example.com`, phone_1 })
}

test('nobody answers: the try is noted, and the request comes back at its time, red when that is past [next.ring]', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const id = await take(inbox, 'Beryl')
  const tried = await browser.post(actPath(id, 'plan'), { plan: 'tried', words: 'Machine' })
  assert.equal(tried.headers['location'], `${leadPath(id)}#when`)
  const page = (await browser.get(leadPath(id))).text
  assert.match(page, /You rang, and nobody answered\./)
  assert.match(page, /Machine/)
  const offers = [...page.matchAll(/name="ring" value="(\d+)" class="quiet">([^<]*)/g)]
  assert.ok(offers.length >= 2)
  const [, at, label] = offers.find(([, , words]) => words!.endsWith('7 am'))!
  assert.ok(Number(at) > inbox.clock.now, label)

  await browser.post(actPath(id, 'plan'), { ring: at! })
  assert.deepEqual(await namesIn(browser), [])
  assert.deepEqual(await namesIn(browser, 'contacted'), ['Beryl'])
  assert.equal((await inbox.store.leads.find(id))!.state, 'new')

  inbox.clock.now = Number(at)
  assert.deepEqual(await namesIn(browser), ['Beryl'])
  inbox.clock.now += hourMs
  assert.match(
    (await browser.get(paths.list)).text,
    /class="age dated waits late">late: ring 7\u00A0am</,
  )
})

test('a try that was undone is not counted on the row [next.ring]', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const id = await take(inbox, 'Wendy')
  const isCounted = async () => (await browser.get(paths.list)).text.includes('1 call unanswered')
  await browser.post(actPath(id, 'plan'), { plan: 'tried' })
  assert.equal(await isCounted(), true)
  await browser.post(actPath(id, 'undo'))
  assert.equal(await isCounted(), false)
})

/** The names of Today, read page by page; `between` comes after each page. */
async function readToday(
  { store, clock: { now } }: TestInbox,
  limit: number,
  between: (names: readonly string[]) => unknown = () => {},
): Promise<string[]> {
  const today = { now, until: now + hourMs }
  const names: string[] = []
  for (let past: string | undefined; ;) {
    const { rows, nextPage } = await listView(store, 'today', { today, past, areas, limit })
    names.push(...rows.map(({ values }) => values.name))
    await between(names)
    if (nextPage === undefined) return names
    past = nextPage
  }
}

test('Today has what is due by its date, then the new requests, the longest wait first, page by page [next.today]', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const start = inbox.clock.now
  const ids: string[] = []
  for (let n = 0; n < 6; n += 1) {
    ids.push(await take(inbox, `P${n}`))
    inbox.clock.now += hourMs
  }
  for (const n of [1, 4]) await browser.post(actPath(ids[n]!, 'move'), { to: 'contacted' })
  await browser.post(actPath(ids[1]!, 'plan'), { ring: String(start + 2.5 * hourMs) })
  await browser.post(actPath(ids[4]!, 'plan'), { ring: String(start + 3 * dayMs) })
  const due = ['P1', 'P0', 'P2', 'P3', 'P5']
  assert.deepEqual(await namesIn(browser), due)
  const paged = await readToday(inbox, 2, async (names) => {
    // Whoever moves the last lead of a page meanwhile does not end the list for others.
    if (names.length === 2) await browser.post(actPath(ids[0]!, 'move'), { to: 'contacted' })
  })
  assert.deepEqual(paged, due)
  assert.deepEqual(await namesIn(browser, 'contacted'), ['P1', 'P4', 'P0'])
  assert.match((await browser.get(paths.list)).text, />Due today<.*P1.*>New, longest wait.*P2/s)
})

test('once the hour of a visit has come, who asked for another time stands by the date, not above all [next.asked]', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const { now } = inbox.clock
  for (const [name, days] of [
    ['Ann', 1],
    ['Bea', 2],
  ] as const) {
    const id = await inbox.take({ name_1: name, email_1: `${name}@example.com` })
    const next = { at: now + days * dayMs, what: 'visit' } as const
    const booked = move('consultation_booked', { next, shown: true }, { by: 'robin', at: now })
    await actOn(inbox.store, id, booked)
    if (name === 'Bea') await actOn(inbox.store, id, askForAnotherTime('', { at: now }))
  }
  assert.deepEqual(await namesIn(browser), ['Bea'], 'before both visits')
  inbox.clock.now += dayMs
  assert.deepEqual(await namesIn(browser), ['Bea', 'Ann'])
  inbox.clock.now += dayMs + hourMs
  assert.deepEqual(await namesIn(browser), ['Ann', 'Bea'], 'after both')
  assert.doesNotMatch((await browser.get(paths.list)).text, /To answer/)
})

test('"Spoke again" notes the talk, asks when next, and is undone with its date', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const id = await take(inbox, 'Naomi')
  const page = async () => (await browser.get(leadPath(id))).text
  assert.equal((await browser.post(actPath(id, 'plan'), { plan: 'spoke' })).status, 409, 'first')
  await browser.post(actPath(id, 'move'), { to: 'contacted' })
  const soon = inbox.clock.now + hourMs
  await browser.post(actPath(id, 'plan'), { ring: String(soon) })
  const spoke = await browser.post(actPath(id, 'plan'), { plan: 'spoke' })
  assert.equal(spoke.headers['location'], `${leadPath(id)}#when`)
  assert.match(
    await page(),
    /<h2 id="when">When next\?<.*You spoke to them again\..*Spoke again: <bdi>Naomi<\/bdi>\. When next\?/s,
  )
  await browser.post(actPath(id, 'undo'))
  assert.equal((await inbox.store.leads.find(id))!.date?.at, soon)
})

test('"Spoke to them" asks when next, and "no need" means again in thirty days [next.back]', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const [id, other] = [await take(inbox, 'Wendy'), await take(inbox, 'Steve')]
  const asked = await browser.post(actPath(id, 'move'), { to: 'contacted' })
  assert.equal(asked.headers['location'], `${leadPath(id)}#when`, 'as after no answer')
  const { text } = await browser.get(leadPath(id))
  assert.match(text, /<h2 id="when">When next\?<.*Contacted: <bdi>Wendy<\/bdi>\. When next\? /s)
  const [, noNeed = ''] = /name="ring" value="(\d+)" class="quiet">No need: 30 days</.exec(text)!
  const rung = await browser.post(actPath(id, 'plan'), { ring: noNeed })
  assert.equal(rung.headers['location'], leadPath(id))
  const { state, date } = (await inbox.store.leads.find(id))!
  assert.deepEqual([state, date?.at], ['contacted', Date.parse('2026-12-15T20:00:00Z')])
  assert.doesNotMatch((await browser.get(leadPath(id))).text, /When next\?<\/h2>|Ring then/)

  await browser.post(actPath(other, 'move'), { to: 'contacted' })
  const { text: asking } = await browser.get(leadPath(other))
  assert.match(asking, /When next\?<.*name="ring-day".*name="plan" value="ring"[^>]*>Ring then</s)
  await browser.post(actPath(other, 'plan'), { plan: 'ring', 'ring-day': '2026-11-24' })
  assert.equal((await inbox.store.leads.find(other))!.date?.at, Date.parse('2026-11-23T20:00:00Z'))
})

test('a request without a date is back in Today after seven days in which nobody touched it [next.back]', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const start = inbox.clock.now
  const ids: string[] = []
  for (const name of ['Fay', 'Gus', 'Hal', 'Ivy', 'Jo']) {
    inbox.clock.now += 1
    ids.push(await take(inbox, name))
  }
  const [fay, gus, hal, ivy] = ids as [string, string, string, string]
  for (const id of [gus, fay, hal]) {
    inbox.clock.now += 1
    await browser.post(actPath(id, 'move'), { to: 'contacted' })
  }
  await browser.post(actPath(ivy, 'move'), { to: 'consultation_booked' })
  const countOfToday = async () =>
    /Today <span class="count">(\d+)</.exec((await browser.get(paths.list)).text)?.[1]
  inbox.clock.now = start + 6 * dayMs
  assert.deepEqual(await namesIn(browser), ['Jo'])
  const { text: contacted } = await browser.get(`${paths.list}?view=contacted`)
  assert.doesNotMatch(contacted, /no date for/)
  await browser.post(actPath(hal, 'note'), { words: 'Waits for the council' })

  inbox.clock.now = start + 8 * dayMs
  assert.deepEqual(await namesIn(browser), ['Jo', 'Gus', 'Fay', 'Ivy'], 'Hal was touched')
  assert.equal(await countOfToday(), '4')
  const { text } = await browser.get(paths.list)
  assert.match(text, />No date, longest wait first<.*Gus.*late">no date for 8 days<.*Ivy/s)
  assert.deepEqual(await readToday(inbox, 1), ['Jo', 'Gus', 'Fay', 'Ivy'])

  await browser.post(actPath(gus, 'plan'), { ring: String(inbox.clock.now + 2 * dayMs) })
  await browser.post(actPath(ivy, 'move'), { to: 'lost' })
  assert.deepEqual(await namesIn(browser), ['Jo', 'Fay'])
  inbox.clock.now = start + 13 * dayMs
  assert.deepEqual(await namesIn(browser), ['Gus', 'Jo', 'Fay', 'Hal'])
})

test('a new request is booked in one press, with day, hour and place; undo takes the visit back [next.visit]', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const id = await take(inbox, 'Fiona')
  const empty = await browser.post(actPath(id, 'move'), { book: 'visit', day: '2026-11-20' })
  assert.doesNotMatch(empty.text, /name="shown" value="1" checked/, 'an unticked box stays so')
  assert.deepEqual([empty.status, (await inbox.store.leads.find(id))!.state], [400, 'new'])
  const bad = await browser.post(actPath(id, 'move'), {
    to: 'consultation_booked',
    day: '2026-11-31',
    time: '15:00',
    words: 'Bring samples',
  })
  assert.equal(bad.status, 400)
  assert.match(bad.text, /There is no such day\..*Bring samples/s)
  assert.equal((await inbox.store.leads.find(id))!.state, 'new')

  const visit = { day: '2026-11-20', time: '15:00', place: '12 Example Street; Lismore' }
  await browser.post(actPath(id, 'move'), { to: 'consultation_booked', ...visit })
  const page = (await browser.get(leadPath(id))).text
  assert.match(page, /Visit: Friday 20 November, 3 pm<br><bdi>12 Example Street; Lismore/)
  assert.doesNotMatch(page, /name="ring"/, 'no press replaces the visit that lies ahead')
  const booked = (await browser.get(`${paths.list}?view=booked`)).text
  assert.match(booked, />3\u00A0pm<.*12 Example Street; Lismore/s)

  const undone = await browser.post(actPath(id, 'undo'), {})
  assert.equal(undone.status, 303)
  assert.equal((await inbox.store.leads.find(id))!.date?.at, undefined)
  const asked = await browser.post(actPath(id, 'move'), { to: 'consultation_booked' })
  assert.equal(asked.headers['location'], `${leadPath(id)}#visit`)
  assert.match((await browser.get(leadPath(id))).text, /<details id="visit" open>/)
  await browser.post(actPath(id, 'plan'), { plan: 'visit', ...visit })
  await browser.post(actPath(id, 'move'), { to: 'contacted' })
  await browser.post(actPath(id, 'undo'), {})
  const restored = (await inbox.store.leads.find(id))!
  assert.deepEqual([restored.state, restored.date?.what], ['consultation_booked', 'visit'])
  assert.equal(new Date(restored.date!.at).toISOString(), '2026-11-20T04:00:00.000Z')
})

test('a visit in the past, or within an hour of another, is saved only after "all the same" [next.visit]', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const [naomi, fiona] = [await take(inbox, 'Naomi'), await take(inbox, 'Fiona')]
  const book = (id: string, time: string, more = {}) =>
    browser.post(actPath(id, 'move'), { book: 'visit', day: '2026-11-20', time, ...more })
  const stateOf = async () => (await inbox.store.leads.find(fiona))!.state
  assert.equal((await book(naomi, '15:00')).status, 303)

  const near = await book(fiona, '15:30', { words: 'Bring samples' })
  assert.deepEqual([near.status, await stateOf()], [409, 'new'])
  assert.match(near.text, /role="alert">You visit Naomi then: Friday 20 November, 3 pm\./)
  assert.match(near.text, />Save it all the same<.*name="time"[^>]*value="15:30".*Bring samples/s)
  assert.doesNotMatch(near.text, /name="shown" value="1" checked/)
  const [, sure = ''] = /name="sure" value="(\d+)"/.exec(near.text)!
  assert.equal((await book(fiona, '14:15', { sure })).status, 409, 'another hour is asked about')
  assert.equal((await book(fiona, '15:30', { sure })).status, 303)
  assert.equal(await stateOf(), 'consultation_booked')
  // Without a new hour nothing is asked: the place is corrected.
  const plan = { plan: 'visit', day: '2026-11-20', time: '15:30', place: '1 Example Lane' }
  assert.equal((await browser.post(actPath(fiona, 'plan'), plan)).status, 303)
  assert.equal((await book(naomi, '16:30')).status, 303, 'an hour apart')

  const passed = await browser.post(actPath(fiona, 'plan'), { ...plan, day: '2026-11-13' })
  assert.equal(passed.status, 409)
  assert.match(passed.text, /This visit would be in the past: Friday 13 November, 3:30 pm\./)
})

test('a page opened before somebody booked the visit cannot replace or remove it [next.visit]', async (t) => {
  const inbox = await openInbox(t)
  const [{ browser }, { browser: other }] = [await inbox.member(robin), await inbox.member(sam)]
  const id = await take(inbox, 'Naomi')
  const version = String((await inbox.store.leads.find(id))!.version)
  const visit = { book: 'visit', day: '2026-11-20', time: '15:00', shown: '1' }
  await browser.post(actPath(id, 'move'), { ...visit, version })
  const stale = [
    await other.post(actPath(id, 'plan'), { ring: String(inbox.clock.now + hourMs), version }),
    await other.post(actPath(id, 'plan'), { plan: 'spoke', version }),
    await other.post(actPath(id, 'move'), { ...visit, day: '2026-11-23', version, words: 'Gate' }),
  ]
  assert.deepEqual(
    stale.map(({ status }) => status),
    [409, 409, 409],
  )
  assert.match(stale.at(-1)!.text, /Gate<\/textarea>/)
  const { date } = (await inbox.store.leads.find(id))!
  assert.deepEqual([date?.what, date?.at], ['visit', Date.parse('2026-11-20T04:00Z')])
  const same = await other.post(actPath(id, 'move'), { ...visit, version })
  assert.equal(same.status, 303, 'both booked the same hour')

  const ringing = await take(inbox, 'Steve')
  const ring = (hours: number) => ({ ring: String(inbox.clock.now + hours * hourMs), version: '1' })
  assert.equal((await browser.post(actPath(ringing, 'plan'), ring(3))).status, 303)
  const over = await other.post(actPath(ringing, 'plan'), ring(5))
  assert.equal(over.status, 409, 'nor a time to ring')
  assert.equal((await other.post(actPath(ringing, 'plan'), ring(3))).status, 303)
  const tried = await other.post(actPath(ringing, 'plan'), { plan: 'tried', version: '1' })
  assert.equal(tried.status, 409, 'who rang hears of it, too')
  assert.match(tried.text, /alert">\S+ set a date just now, so nothing was changed\. Press again/)
  await browser.post(actPath(ringing, 'move'), { book: 'visit', day: '2026-11-23', time: '11:00' })
  const late = await other.post(actPath(ringing, 'move'), { to: 'contacted', version: '2' })
  assert.match(late.text, /so nothing was changed\.\s*<\//, 'no button to press again')
})

test('calling off a visit is a move that undo takes back, and the receipt agrees [next.visit]', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const id = await take(inbox, 'Leonie')
  const token = new LeadIds(secret).tokenOf(id)
  const receipt = async () =>
    (await inbox.browser().get(`/receipt/${token}`, { accept: 'application/json' })).text
  const visit = { book: 'visit', day: '2026-11-20', time: '15:00', shown: '1' }
  await browser.post(actPath(id, 'move'), visit)
  const page = (await browser.get(leadPath(id))).text
  assert.match(page, /name="to" value="contacted" class="quiet">Call off</)
  await browser.post(actPath(id, 'move'), { to: 'contacted' })
  assert.match(await receipt(), /"status":"contacted"/)
  assert.match((await browser.get(leadPath(id))).text, /Visit called off: .*>Undo</s)
  await browser.post(actPath(id, 'undo'))
  assert.match(await receipt(), /Consultation booked: Friday 20 November, 3 pm/)
  await browser.post(actPath(id, 'move'), { to: 'won' })
  assert.match(await receipt(), /"status":"going_ahead"/)
})

test('undo of a changed visit brings back its place and whether the sender sees it [next.visit, undo.move]', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const id = await take(inbox, 'Leonie')
  const visitOf = async () => {
    const { date, visitPlace, isVisitSeen } = (await inbox.store.leads.find(id))!
    return [date?.at && new Date(date.at).toISOString(), visitPlace, isVisitSeen]
  }
  const isFound = async (words: string) => (await searchLeads(inbox.store, words)).leads.length > 0
  const visit = { day: '2026-11-20', time: '15:00', place: '12 Example Street' }
  const booked = ['2026-11-20T04:00:00.000Z', '12 Example Street', false]
  const wrong = { day: '2026-11-23', time: '09:00', place: '99 Wrong Road', shown: '1' }

  await browser.post(actPath(id, 'move'), { book: 'visit', ...visit })
  await browser.post(actPath(id, 'undo'))
  assert.deepEqual(await visitOf(), [undefined, undefined, undefined], 'as before any visit')
  await browser.post(actPath(id, 'move'), { book: 'visit', ...visit })
  await browser.post(actPath(id, 'plan'), { plan: 'visit', ...wrong })
  await browser.post(actPath(id, 'note'), { words: 'Bring samples' })
  assert.equal(await isFound('wrong'), true)
  await browser.post(actPath(id, 'undo'))
  assert.deepEqual(await visitOf(), booked)
  assert.deepEqual([await isFound('wrong'), await isFound('12 example')], [false, true])
  assert.match((await browser.get(leadPath(id))).text, /3 pm<br><bdi>12 Example Street/)

  await browser.post(actPath(id, 'plan'), { plan: 'visit', ...visit, shown: '1' })
  await browser.post(actPath(id, 'undo'))
  assert.deepEqual(await visitOf(), booked, 'shown by mistake, hidden again')
  await browser.post(actPath(id, 'plan'), { plan: 'visit', ...visit, place: '7 New Lane' })
  await browser.post(actPath(id, 'move'), { to: 'contacted' })
  await browser.post(actPath(id, 'undo'))
  assert.equal((await visitOf())[1], '7 New Lane', 'a move that kept the place gives back no other')
  const { text: history } = await browser.get(leadPath(id))
  assert.doesNotMatch(history, /Wrong Road/)
  const [events = []] = await inbox.store.leads.eventsOf([(await inbox.store.leads.find(id))!])
  assert.doesNotMatch(JSON.stringify(events), /Example Street|Wrong Road|New Lane/)
})

test('a date is told in the bar, and undo brings the one before back, then none [next.ring]', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const id = await take(inbox, 'Naomi')
  const page = async () => (await browser.get(leadPath(id))).text
  const nextOf = async () => (await inbox.store.leads.find(id))!.date?.at
  const [soon, later] = [inbox.clock.now + hourMs, inbox.clock.now + dayMs]
  await browser.post(actPath(id, 'plan'), { plan: 'tried' })
  assert.match(await page(), /role="status"><p>No answer, noted: <bdi>Naomi<\/bdi>\. <\/p><button/)
  await browser.post(actPath(id, 'plan'), { ring: String(soon) })
  await browser.post(actPath(id, 'plan'), { ring: String(later) })
  assert.match(
    await page(),
    /Undo: &quot;ring Tuesday&quot;.*Ring Tue 17.Nov, 10.am: <bdi>Naomi<\/bdi>\./s,
  )
  await browser.post(actPath(id, 'undo'))
  assert.equal(await nextOf(), soon)
  assert.match(await page(), /You undid that\. Ring again: .*Back to new, ring 11.am: <bdi>Naomi/s)
  await browser.post(actPath(id, 'plan'), { ring: String(later) })
  const { browser: other } = await inbox.member(sam)
  await other.post(actPath(id, 'move'), { to: 'contacted' })
  assert.doesNotMatch(await page(), /name="of"/, "the bar about a date does not undo Sam's move")
  await other.post(actPath(id, 'undo'))
  // A move is undone with the date that it replaced; a later date first.
  await browser.post(actPath(id, 'move'), { to: 'contacted' })
  await browser.post(actPath(id, 'plan'), { ring: String(later) })
  await browser.post(actPath(id, 'undo'))
  const { state, date } = (await inbox.store.leads.find(id))!
  assert.deepEqual([state, date?.at], ['contacted', undefined])
})

test('visits are in the private feed of a member, without names unless he asks; a calendar reads it [next.calendar]', async (t) => {
  const inbox = await openInbox(t)
  const { browser, member } = await inbox.member(robin)
  const name = 'Zoë, "the\nsecond"; of\\ Lismore'
  const id = await inbox.take({ ...mai, name_1: name, phone_1: '0491 570 006' })
  const place = '12 Example Street, Lismore'
  const visit = { day: '2026-11-20', time: '15:00', place: `${place}\x7f` }
  await browser.post(actPath(id, 'move'), { to: 'consultation_booked', ...visit })
  const feedPath = async () =>
    /(\/inbox\/calendar\/[^<]*)/.exec((await browser.get(paths.settings)).text)![1]!
  const old = await feedPath()
  assert.equal((await browser.post(paths.calendarFeed)).headers['location'], paths.settings)
  const path = await feedPath()
  const stranger = inbox.browser()
  assert.equal((await stranger.get(old)).status, 404, 'the old address has stopped')
  const feed = await stranger.get(path)
  assert.equal(feed.headers['content-type'], 'text/calendar; charset=utf-8')
  const { reference, values } = (await inbox.store.leads.find(id))!
  const [event, ...others] = eventsIn(feed.text)
  assert.equal(others.length, 0)
  assert.deepEqual(
    [event!.summary, event!.location, event!.startDate.toJSDate().toISOString()],
    [`Visit ${reference}`, place, '2026-11-20T04:00:00.000Z'],
  )
  assert.doesNotMatch(feed.text, /Zo/)
  const [named] = eventsIn((await stranger.get(`${path}?names=1`)).text)
  assert.ok(named!.summary.includes(values.name))
  assert.equal(named!.description, values.phone)
  await browser.post(paths.calendarFeed, { names: 'on' })
  assert.equal(await feedPath(), path, 'one address')
  assert.ok(eventsIn((await stranger.get(path)).text)[0]!.summary.includes(values.name))
  await browser.post(paths.calendarFeed, { names: 'off' })
  assert.doesNotMatch((await stranger.get(path)).text, /Zo/)
  assert.ok(feed.text.split('\r\n').every((line) => Buffer.byteLength(line) <= 75))

  const file = await browser.get(visitPath(id))
  assert.ok(eventsIn(file.text)[0]!.summary.includes(values.name))
  assert.equal((await stranger.get(visitPath(id))).status, 303, 'the file is for members')
  assert.equal((await stranger.get(path.replace('.ics', '0.ics'))).status, 404)

  const { browser: other } = await inbox.member(sam)
  await other.post(paths.endMember, { id: member.id })
  assert.equal((await stranger.get(path)).status, 404, 'his feed ends with his membership')
})

test('a visit that took place stays in the calendar feed for a month, with its street, though the request is closed [next.calendar]', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const ids = [await take(inbox, 'Naomi'), await take(inbox, 'Steve'), await take(inbox, 'Wendy')]
  const [naomi, steve, wendy] = ids as [string, string, string]
  for (const [index, id] of ids.entries()) {
    const visit = { day: '2026-11-20', time: `1${index}:00`, place: `${index} Example Street` }
    await browser.post(actPath(id, 'move'), { book: 'visit', ...visit })
  }
  const [, path = ''] = /(\/inbox\/calendar\/[^<]*)/.exec((await browser.get(paths.settings)).text)!
  const placesInFeed = async () =>
    eventsIn((await browser.get(path)).text).map(({ location }) => location)
  const all = ['0 Example Street', '1 Example Street', '2 Example Street']
  assert.deepEqual((await placesInFeed()).toSorted(), all)
  await browser.post(actPath(wendy, 'move'), { to: 'lost' })
  assert.deepEqual((await placesInFeed()).toSorted(), all.slice(0, 2), 'it never took place')

  inbox.clock.now = Date.parse('2026-11-20T04:00:00Z')
  await browser.post(actPath(naomi, 'move'), { to: 'won' })
  await browser.post(actPath(steve, 'plan'), { ring: String(inbox.clock.now + dayMs) })
  assert.deepEqual((await placesInFeed()).toSorted(), all.slice(0, 2))
  await browser.post(actPath(steve, 'move'), { to: 'contacted' })
  inbox.clock.now += 30 * dayMs
  assert.ok((await placesInFeed()).includes('0 Example Street'))
  inbox.clock.now += dayMs
  assert.deepEqual(await placesInFeed(), [])
})

test('a sender who withdraws before the visit stands in Today until the owner has seen it [next.today]', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const [naomi, steve] = [await take(inbox, 'Naomi'), await take(inbox, 'Steve')]
  await browser.post(actPath(naomi, 'move'), { book: 'visit', day: '2026-11-20', time: '15:00' })
  for (const id of [naomi, steve]) await inbox.withdraw(id)
  assert.deepEqual(await namesIn(browser, 'today'), ['Naomi'], 'Steve had no visit')
  const { text } = await browser.get(paths.list)
  assert.match(text, /Today <span class="count">1<\/span>/)
  assert.match(text, /late">called off: Fri 20\u00A0Nov, 3\u00A0pm<.*>Seen</s)
  const page = (await browser.get(leadPath(naomi))).text
  assert.match(page, /Called off\. Visit: Friday 20 November, 3 pm/)
  assert.match(page, /The customer withdrew it\. The visit is off: Fri, 20 Nov/)
  assert.equal((await browser.get(visitPath(naomi))).status, 404)
  const ring = await browser.post(actPath(naomi, 'plan'), { ring: String(inbox.clock.now) })
  assert.equal(ring.status, 409, 'nobody rings who withdrew')
  const seen = await browser.post(actPath(naomi, 'plan'), { plan: 'seen', view: 'today' })
  assert.equal(seen.headers['location'], paths.list)
  assert.deepEqual(await namesIn(browser, 'today'), [])
  assert.equal((await inbox.store.leads.find(naomi))!.state, 'withdrawn')
})

test('a request is taken by one: the other sees who has it [next.taken]', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const { browser: other } = await inbox.member(sam)
  const id = await take(inbox, 'Naomi')
  await other.post(actPath(id, 'take'), { take: 'me' })
  assert.match((await browser.get(paths.list)).text, /Sam looks after this/)
  assert.match((await browser.get(leadPath(id))).text, /Sam looks after this/)
  await browser.post(actPath(id, 'take'), { take: 'me' })
  const late = await other.post(actPath(id, 'take'), { take: 'none' })
  assert.equal(late.status, 409, 'on his old page Sam gives back what Robin has now')
  assert.match((await other.get(paths.list)).text, /Robin looks after this/)
  await browser.post(actPath(id, 'take'), { take: 'none' })
  assert.doesNotMatch((await browser.get(paths.list)).text, /looks after this/)
})

test('the open list hears of requests that came since, of dates that pass, of a new day, and of what others did [next.live]', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const id = await take(inbox, 'Naomi')
  const look = async () => {
    const { text } = await browser.get(paths.list)
    const [, since = '', until = '', today = ''] =
      /data-newest="([^"]*)"\s+data-until="(\d+)"\s+data-today="(\d+)"/.exec(text)!
    const page = new URLSearchParams({ since, until, today })
    return async () => {
      const { json } = await browser.get(`${paths.news}?${page.toString()}`)
      const { to, ...news } = json
      assert.equal(to, `${paths.list}?since=${since}`)
      return news
    }
  }
  const hear = await look()
  assert.deepEqual(await hear(), { count: 0, isOld: false })
  inbox.clock.now += 1_000
  await take(inbox, 'Steve')
  assert.deepEqual(await hear(), { count: 1, isOld: true })
  const fresh = (await browser.get(`${paths.list}?since=${id}`)).text
  assert.match(fresh, /class="lead".*Naomi.*class="lead fresh".*Steve/s)

  await browser.post(actPath(id, 'plan'), { ring: String(inbox.clock.now + hourMs) })
  const hearLater = await look()
  assert.deepEqual(await hearLater(), { count: 0, isOld: false })
  inbox.clock.now += 2 * hourMs
  assert.deepEqual(await hearLater(), { count: 0, isOld: true }, 'red by now')
  const hearNextDay = await look()
  assert.deepEqual(await hearNextDay(), { count: 0, isOld: false })
  inbox.clock.now += dayMs
  assert.deepEqual(await hearNextDay(), { count: 0, isOld: true })
  const hearSam = await look()
  const { browser: other } = await inbox.member(sam)
  assert.deepEqual(await hearSam(), { count: 0, isOld: false })
  await other.post(actPath(id, 'move'), { to: 'not_suitable' })
  assert.deepEqual(await hearSam(), { count: 0, isOld: true })
})

function eventsIn(text: string): ICAL.Event[] {
  const calendar = new ICAL.Component(ICAL.parse(text) as unknown[])
  return calendar.getAllSubcomponents('vevent').map((each) => new ICAL.Event(each))
}

test("the owner's own texts open in his phone or, without a mobile number, in his mail, filled in [next.replies]", async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const id = await inbox.take({ ...mai, name_1: '$& Example', phone_1: '0491 570 006' })
  const { text } = await browser.get(leadPath(id))
  const { reference } = (await inbox.store.leads.find(id))!
  const words = encodeURIComponent(
    `Hello $&, I just tried to ring you about your Consultation request ${reference}.`,
  )
  assert.ok(text.includes(`href="sms:0491570006?body=${words}`))
  const { text: mailed } = await browser.get(
    leadPath(await inbox.take({ ...mai, name_1: 'Harold' })),
  )
  assert.doesNotMatch(mailed, /I tried to ring/, 'he left no number')
  assert.match(mailed, /href="mailto:[^"]*&amp;body=Hello%20Harold/)
})

test('the receipt shows the visit where the owner allows it, and never the moment of a press [next.receipt]', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const id = await take(inbox, 'Fiona')
  const path = `/receipt/${new LeadIds(secret).tokenOf(id)}`
  const receipt = async (accept = 'application/json') =>
    (await inbox.browser().get(path, { accept })).text
  const visit = { to: 'consultation_booked', day: '2026-11-20', time: '15:00' }
  await browser.post(actPath(id, 'move'), visit)
  assert.doesNotMatch(await receipt(), /visit_at|20 November/)
  await browser.post(actPath(id, 'plan'), { ...visit, plan: 'visit', shown: '1' })
  const { message, visit_at: at } = JSON.parse(await receipt()) as Record<string, string>
  assert.equal(message, 'Consultation booked: Friday 20 November, 3 pm.')
  assert.equal(at, '2026-11-20T04:00:00.000Z')
  const page = await receipt('text/html')
  assert.match(page, /<time datetime="2026-11-20T04:00:00.000Z">Friday,? 20 November 2026/)
  assert.doesNotMatch(page, /Example Street/)
  await browser.post(actPath(id, 'plan'), { plan: 'ring', day: '2026-11-24' })
  assert.doesNotMatch(await receipt(), /visit_at/)
})

test('after the visit the receipt says that we have met, and ringing again does not change that [next.receipt]', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const id = await take(inbox, 'Fiona')
  const path = `/receipt/${new LeadIds(secret).tokenOf(id)}`
  const receipt = async () => {
    const { text } = await inbox.browser().get(path, { accept: 'application/json' })
    return JSON.parse(text) as Record<string, string>
  }
  const statusOf = async () => (await receipt())['status']
  const ringAgain = () =>
    browser.post(actPath(id, 'plan'), { ring: String(inbox.clock.now + dayMs) })
  const visit = { book: 'visit', day: '2026-11-20', time: '15:00', shown: '1' }
  await browser.post(actPath(id, 'move'), visit)
  inbox.clock.now = Date.parse('2026-11-20T04:30:00Z')
  assert.equal(await statusOf(), 'consultation_booked', 'it is going on')

  inbox.clock.now = Date.parse('2026-11-20T05:00:00Z')
  const met = await receipt()
  assert.deepEqual(
    [met['status'], met['changed_at'], met['visit_at']],
    ['met', '2026-11-20T05:00:00.000Z', undefined],
  )
  assert.match(met['message']!, /^We have met\. /)
  const page = (await inbox.browser().get(path, { accept: 'text/html' })).text
  assert.match(page, /I have been in touch<.*aria-current="step"><strong>We have met</s)
  assert.doesNotMatch(page, /booked|still to come/)

  await ringAgain()
  assert.equal(await statusOf(), 'met')
  await browser.post(actPath(id, 'move'), { to: 'contacted' })
  assert.equal(await statusOf(), 'met')
  await browser.post(actPath(id, 'move'), { ...visit, day: '2026-11-27' })
  assert.equal(await statusOf(), 'consultation_booked', 'a second visit lies ahead')
  await browser.post(actPath(id, 'move'), { to: 'contacted' })
  assert.equal(await statusOf(), 'met', 'the second visit is called off, the first was held')
})

test('a visit that did not take place, or was booked by mistake, is none on the receipt [next.receipt]', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const id = await take(inbox, 'Fiona')
  const path = `/receipt/${new LeadIds(secret).tokenOf(id)}`
  const receipt = async () => (await inbox.browser().get(path, { accept: 'application/json' })).text
  await browser.post(actPath(id, 'move'), { to: 'contacted' })
  const sure = String(Date.parse('2026-11-13T04:00:00Z'))
  const past = { book: 'visit', day: '2026-11-13', time: '15:00', sure }
  await browser.post(actPath(id, 'move'), past)
  assert.match(await receipt(), /"status":"met"/, 'noted afterwards')
  await browser.post(actPath(id, 'undo'))
  assert.match(await receipt(), /"status":"contacted"/)

  await browser.post(actPath(id, 'move'), { ...past, day: '2026-11-20' })
  inbox.clock.now = Date.parse('2026-11-20T06:00:00Z')
  const { text } = await browser.get(leadPath(id))
  assert.match(
    text,
    /<h2>Outcome of the visit<.*name="to" value="contacted">The visit did not happen</s,
  )
  await browser.post(actPath(id, 'move'), { to: 'contacted' })
  assert.match(await receipt(), /"status":"contacted"/)
  await browser.post(actPath(id, 'undo'))
  assert.match(await receipt(), /"status":"met"/)
})

test('a visit that did not happen is none on the receipt, after an unanswered call and a correction, too [next.receipt]', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const id = await take(inbox, 'Fiona')
  const path = `/receipt/${new LeadIds(secret).tokenOf(id)}`
  const receipt = async () => (await inbox.browser().get(path, { accept: 'application/json' })).text
  const visit = { book: 'visit', day: '2026-11-20', time: '10:00', shown: '1' }
  await browser.post(actPath(id, 'move'), visit)
  inbox.clock.now = Date.parse('2026-11-20T01:00:00Z')
  await browser.post(actPath(id, 'plan'), { plan: 'tried' })
  await browser.post(actPath(id, 'details'), { name: 'Fiona', phone: '0491 570 006' })
  assert.match(await receipt(), /"status":"met"/)
  assert.match((await browser.get(leadPath(id))).text, />The visit did not happen</)
  await browser.post(actPath(id, 'move'), { to: 'contacted' })
  assert.match(await receipt(), /"status":"contacted"/)
})

test('no press loses a visit: not a try, not a second booking, not the sign-in between [next.visit]', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const id = await take(inbox, 'Fiona')
  const visit = { day: '2026-11-20', time: '15:00', place: '12 Example Street' }
  const found = async () => {
    const { date, visitPlace } = (await inbox.store.leads.find(id))!
    return [date?.at && new Date(date.at).toISOString(), date?.what, visitPlace]
  }
  const booked = ['2026-11-20T04:00:00.000Z', 'visit', '12 Example Street']
  const stale = String((await inbox.store.leads.find(id))!.version)
  await browser.post(actPath(id, 'move'), { to: 'consultation_booked', version: stale })
  await browser.post(actPath(id, 'move'), { to: 'consultation_booked', version: stale, ...visit })
  assert.deepEqual(await found(), booked, 'booked first without, then with the date')
  await browser.post(actPath(id, 'plan'), { plan: 'tried' })
  assert.deepEqual(await found(), booked, 'nobody answered, the visit stays')
  await browser.post(actPath(id, 'move'), { to: 'not_suitable' })
  await browser.post(actPath(id, 'move'), { to: 'consultation_booked' })
  assert.equal(
    (await found())[2],
    '12 Example Street',
    'a button without the field keeps the place',
  )

  const half = await browser.post(actPath(id, 'plan'), {
    plan: 'visit',
    day: '2026-11-24',
    place: 'Elsewhere',
  })
  assert.equal(half.status, 400)
  assert.match(half.text, /name="day" value="2026-11-24".*name="place"[^>]*value="Elsewhere"/s)
  // Enter in a field presses the first button of the form.
  assert.match(
    half.text,
    /<form class="acts"[^>]*>\s*(?:<input[^>]*>\s*)*<button type="submit" disabled hidden>/,
  )
})

test('a poll that finds nobody signed in leaves no way back behind [next.live]', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  await browser.post(paths.signOut)
  const { status, cookies } = await browser.get(paths.news)
  assert.deepEqual([status, cookies], [401, []])
})

test('Booked goes by the day, whoever wrote, and last comes what has no day [next.visit]', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const visits = { Hugh: '', Zoe: '2026-11-27', Leo: '2026-11-20', Kylie: '2026-11-19' }
  for (const [name, day] of Object.entries(visits)) {
    const id = await inbox.take({ ...mai, name_1: name })
    // `sure`: one person keeps all three visits.
    const sure = String(Date.parse(`${day}T03:30Z`))
    const visit = day === '' ? {} : { day, time: '14:30', sure }
    await browser.post(actPath(id, 'move'), { to: 'consultation_booked', ...visit })
  }
  inbox.clock.now = Date.parse('2026-11-20T00:00:00Z')
  const { text } = await browser.get(`${paths.list}?view=booked`)
  const shown = text.matchAll(/class="(?:day|who|age[^"]*)">(?:<bdi>)?([^<]*)/g)
  const late = 'Overdue|Kylie|visit over: Thu 19\u00A0Nov|Today|Leo|2:30\u00A0pm'
  const later = 'Friday 27 November|Zoe|2:30\u00A0pm|No day yet|Hugh|'
  assert.equal(Array.from(shown, ([, words]) => words).join('|'), `${late}|${later}`)
})
