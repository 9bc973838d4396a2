/** One person has one visit, unless the member keeps both. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { actPath, leadPath } from '../../src/doors/inbox/paths.ts'
import { eraseLead } from '../../src/lead/act.ts'
import { dayMs, minuteMs, secondMs } from '../../src/time.ts'
import { openInbox, robin, sam, type TestBrowser } from '../support/inbox.ts'
import { type Cleaner } from '../support/service.ts'
import { openMailSink, parseLetter } from '../support/smtp.ts'

const wendy = { name_1: 'Wendy', email_1: 'wendy@example.com', phone_1: '0491 570 006' }
const [thursday, friday] = ['2026-11-19T04:00:00.000Z', '2026-11-19T22:30:00.000Z']
const onThursday = { book: 'visit', day: '2026-11-19', time: '15:00', shown: '1' }
const onFriday = { book: 'visit', day: '2026-11-20', time: '09:30', shown: '1' }

async function openWendy(t: Cleaner, second: Partial<typeof wendy> = {}) {
  const mail = await openMailSink(t)
  const inbox = await openInbox(t, mail, { env: { VISIT_TO_SENDER: 'on' } })
  const { browser } = await inbox.member(robin)
  const first = await inbox.take({ ...wendy, textarea_1: 'A deck' })
  const again = await inbox.take({ ...wendy, textarea_1: 'Friday suits me better', ...second })
  await browser.post(actPath(first, 'move'), { ...onThursday, place: '12 Example Street' })
  const stands = async (id: string) => {
    const { state, date, visitPlace } = (await inbox.store.leads.find(id))!
    return [state, date?.at && new Date(date.at).toISOString(), visitPlace]
  }
  /** Presses the button of the page that asks. */
  const press = async (label: string, more = {}, id = again) => {
    const { text } = await browser.post(actPath(id, 'move'), { ...onFriday, ...more })
    const [, book = ''] = new RegExp(`name="book" value="([^"]+)"[^>]*>${label}<`).exec(text)!
    const [, sure = ''] = /name="sure" value="(\d+)"/.exec(text)!
    return browser.post(actPath(id, 'move'), { ...onFriday, book, sure, ...more })
  }
  /** The subjects of the letters about visits that leave after the last change. */
  const letters = async (address = wendy.email_1) => {
    await inbox.pass(2 * minuteMs + secondMs)
    const own = mail.letters.filter(({ recipients }) => recipients.includes(address))
    const subjects = (await Promise.all(own.map(parseLetter))).map(({ subject = '' }) => subject)
    return subjects.filter((subject) => subject.startsWith('Your Consultation'))
  }
  return {
    inbox,
    browser,
    first,
    again,
    both: () => Promise.all([first, again].map(stands)),
    press,
    letters,
  }
}

test('who erases a request is told of the visit that lies ahead [erase.shown]', async (t) => {
  const { browser, first, again, letters } = await openWendy(t)
  assert.deepEqual(await letters(), [toldThursday])
  const page = (await browser.get(actPath(first, 'erase'))).text
  assert.match(
    page,
    /Wendy<.bdi> has a visit: Thursday 19 November, 3.pm\..*No email calls it off/s,
  )
  const other = (await browser.get(actPath(again, 'erase'))).text
  assert.match(
    other,
    new RegExp(`another request, <a href="${leadPath(first)}">C-[^<]+</a>: Thursday`),
  )
  assert.match(other, /&quot;All with this email&quot; erases it, too\.\s+No email calls it off/)
})

test('who erases a request is told of a visit of somebody with the same phone [erase.shown]', async (t) => {
  const pat = { name_1: 'Pat', email_1: 'pat@example.com' }
  const { browser, again, letters } = await openWendy(t, pat)
  assert.deepEqual(await letters(), [toldThursday])
  const page = (await browser.get(actPath(again, 'erase'))).text
  const told =
    /Wendy<.bdi> has a visit with another .*&quot;All with this email or phone&quot; erases/s
  assert.match(page, told)
})

test('the email that calls off a visit goes out before the time after which the page says to erase [erase.shown]', async (t) => {
  const { inbox, browser, first, letters } = await openWendy(t)
  await letters()
  const page = (await browser.get(actPath(first, 'erase'))).text
  const [, minutes] = /erase the request after (\d+) minutes/.exec(page)!
  await browser.post(actPath(first, 'move'), { to: 'contacted' })
  inbox.clock.now += Number(minutes) * minuteMs
  await inbox.settle()
  await browser.post(actPath(first, 'erase'), { which: 'one' })
  assert.deepEqual(await letters(), [toldThursday, 'Your Consultation is called off'])
})

test('the email about a moved visit keeps nothing of the request that gave it away [erase.shown]', async (t) => {
  const { inbox, first, again, press, letters } = await openWendy(t)
  assert.deepEqual(await letters(), [toldThursday])
  assert.equal((await press('Move it', { place: '7 Example Lane' })).status, 303)
  assert.deepEqual(await letters(), [toldThursday, toldFriday])
  await eraseLead(inbox.store, { leadId: first, at: inbox.clock.now })
  const rows = JSON.stringify(await inbox.store.deliveries.ofLead(again))
  assert.match(rows, /7 Example Lane/)
  assert.doesNotMatch(rows, /12 Example Street/)
})

const keptThursday = ['consultation_booked', thursday, '12 Example Street']
const unbooked = ['new', undefined, undefined]
const toldThursday = 'Your Consultation: Thursday 19 November, 3 pm'
const toldFriday = 'Your Consultation is now: Friday 20 November, 9:30 am'

test('who has a visit ahead is booked again only after a question, asked once, and both requests say so [next.one]', async (t) => {
  const { inbox, browser, first, again, both, press, letters } = await openWendy(t)
  const asked = await browser.post(actPath(again, 'move'), {
    ...onFriday,
    place: '7 Example Lane',
    words: 'Bring samples',
  })
  assert.equal(asked.status, 409)
  assert.deepEqual(await both(), [keptThursday, unbooked])
  const question = 'Wendy has a visit on Thursday 19 November, 3 pm: move it, or keep both.'
  assert.match(asked.text, new RegExp(`role="alert">${question}<`))
  assert.match(asked.text, />Move it<.*>Keep both<.*value="09:30".*7 Example Lane.*Bring samples/s)
  assert.doesNotMatch(asked.text, /all the same/)

  assert.equal((await press('Keep both')).status, 303)
  assert.deepEqual(await both(), [keptThursday, ['consultation_booked', friday, '']])
  const heads = await Promise.all([first, again].map(async (id) => headOf(browser, id)))
  assert.match(heads[0]!, /Visit: Thursday 19 November, 3 pm/)
  assert.match(heads[0]!, new RegExp(`href="${leadPath(again)}">booked Fri 9:30.am<`))
  assert.match(heads[1]!, new RegExp(`href="${leadPath(first)}">booked Thu 3.pm<`))
  const third = await inbox.take({ ...wendy, textarea_1: 'And a pergola?' })
  assert.match(await headOf(browser, third), /booked Thu 3.pm<.*booked Fri 9/s)
  const later = { ...onFriday, plan: 'visit', time: '11:00' }
  assert.equal((await browser.post(actPath(again, 'plan'), later)).status, 303, 'not asked again')
  const told = [toldThursday, 'Your Consultation: Friday 20 November, 11 am']
  assert.deepEqual((await letters()).toSorted(), told.toSorted())

  inbox.clock.now = Date.parse(friday) + dayMs
  const next = { ...onFriday, day: '2026-11-24' }
  assert.equal((await browser.post(actPath(third, 'move'), next)).status, 303, 'both are over')
  assert.doesNotMatch(await headOf(browser, third), /booked Thu/)
})

test('the visit of a person moves to the other request in one press, with one email [next.one, deliver.visit]', async (t) => {
  const { inbox, browser, first, again, both, press, letters } = await openWendy(t)
  assert.deepEqual(await letters(), [toldThursday])
  assert.equal((await press('Move it')).status, 303)
  const moved = [
    ['contacted', undefined, '12 Example Street'],
    ['consultation_booked', friday, ''],
  ]
  assert.deepEqual(await both(), moved)
  assert.match(await headOf(browser, first), /booked Fri 9:30.am</)
  const page = (await browser.get(leadPath(first))).text
  assert.match(page, /visit was moved to another request/)
  assert.match(
    page,
    /about the visit: goes out 2 minutes after your last change, if it is needed then/,
  )
  assert.deepEqual(await letters(), [toldThursday, toldFriday])

  inbox.clock.now += dayMs
  await browser.post(actPath(again, 'move'), { to: 'contacted' })
  const off = 'Your Consultation is called off'
  assert.deepEqual((await letters()).slice(2), [off], 'Friday, not Thursday once more')
})

test('the email about a moved visit replaces the one before, though the first request has a new visit [next.one, deliver.visit]', async (t) => {
  const { first, press, letters } = await openWendy(t)
  assert.deepEqual(await letters(), [toldThursday])
  assert.equal((await press('Move it')).status, 303)
  assert.equal((await press('Keep both', { day: '2026-11-24' }, first)).status, 303)
  const toldTuesday = 'Your Consultation: Tuesday 24 November, 9:30 am'
  const told = [toldThursday, toldFriday, toldTuesday]
  assert.deepEqual((await letters()).toSorted(), told.toSorted())
})

test('one undo takes a moved visit back, and only an email that was sent is put right [next.one, undo.move]', async (t) => {
  const { inbox, browser, first, again, both, press, letters } = await openWendy(t)
  assert.deepEqual(await letters(), [toldThursday])
  const third = await inbox.take({ ...wendy, textarea_1: 'And a pergola?' })
  const stateOfThird = async () => (await inbox.store.leads.find(third))!.state
  const also = { with: `${third}.1` }
  const asked = await browser.post(actPath(again, 'move'), { ...onFriday, ...also })
  assert.match(asked.text, new RegExp(`name="with" value="${third}.1" checked`), 'the tick is kept')
  await press('Move it', also)
  assert.equal(await stateOfThird(), 'contacted')
  const bar = /role="status">.*?name="of" value="([^"]+)"/s
  const [, of = ''] = bar.exec((await browser.get(leadPath(again))).text)!
  await browser.post(actPath(again, 'undo'), { of })
  assert.deepEqual(await both(), [keptThursday, unbooked])
  assert.equal(await stateOfThird(), 'new')
  assert.deepEqual(await letters(), [toldThursday], 'nobody hears of a slip')

  await press('Move it')
  assert.deepEqual(await letters(), [toldThursday, toldFriday])
  browser.jar.delete('inbox-done')
  const slip = /name="of" value="([^"]+)" class="plain undo"/
  const [, alsoOf = ''] = slip.exec((await browser.get(leadPath(first))).text)!
  await browser.post(actPath(first, 'undo'), { of: alsoOf })
  assert.deepEqual(await both(), [keptThursday, unbooked])
  const back = 'Your Consultation is now: Thursday 19 November, 3 pm'
  assert.deepEqual(await letters(), [toldThursday, toldFriday, back])
})

test('the undo of a moved visit sends one email, though the request goes back to a day to ring [next.one, undo.move]', async (t) => {
  const { browser, first, again, press, letters } = await openWendy(t)
  await browser.post(actPath(again, 'plan'), { plan: 'ring', 'ring-day': '2026-11-23' })
  assert.deepEqual(await letters(), [toldThursday])
  await press('Move it')
  assert.deepEqual(await letters(), [toldThursday, toldFriday])
  browser.jar.delete('inbox-done')
  const both = /name="of" value="([^"]+)" class="plain undo"/
  const [, of = ''] = both.exec((await browser.get(leadPath(first))).text)!
  await browser.post(actPath(first, 'undo'), { of })
  const back = 'Your Consultation is now: Thursday 19 November, 3 pm'
  assert.deepEqual(await letters(), [toldThursday, toldFriday, back])
})

test('a visit that moves to where the customer does not see it is called off only with that one [next.one, deliver.visit]', async (t) => {
  const { again, browser, press, letters } = await openWendy(t)
  assert.deepEqual(await letters(), [toldThursday])
  assert.equal((await press('Move it', { shown: '' })).status, 303)
  assert.deepEqual(await letters(), [toldThursday], 'the owner tells Wendy himself')
  await browser.post(actPath(again, 'move'), { to: 'contacted' })
  assert.deepEqual(await letters(), [toldThursday, 'Your Consultation is called off'])
})

test('the visit of a second request replaces none that the owner moved without an email [next.one, deliver.visit]', async (t) => {
  const { browser, first, press, letters } = await openWendy(t)
  assert.deepEqual(await letters(), [toldThursday])
  await browser.post(actPath(first, 'plan'), { ...onFriday, plan: 'visit', shown: '' })
  assert.deepEqual(await letters(), [toldThursday], 'the owner tells Wendy himself')
  assert.equal((await press('Keep both', { day: '2026-11-24' })).status, 303)
  const toldTuesday = 'Your Consultation: Tuesday 24 November, 9:30 am'
  assert.deepEqual(await letters(), [toldThursday, toldTuesday])
})

test('a visit that moves to a request with another email is called off at the first address [next.one, deliver.visit]', async (t) => {
  const pat = { name_1: 'Pat', email_1: 'pat@example.com' }
  const { both, press, letters } = await openWendy(t, pat)
  await letters()
  await press('Move it')
  assert.deepEqual((await both())[0], ['contacted', undefined, '12 Example Street'])
  assert.deepEqual(await letters(), [toldThursday, 'Your Consultation is called off'])
  const toPat = ['Your Consultation: Friday 20 November, 9:30 am']
  assert.deepEqual(await letters(pat.email_1), toPat)
})

test('a visit that a colleague changed meanwhile stays, and a clash is asked with the same question [next.one]', async (t) => {
  const { inbox, browser, first, again, both, press, letters } = await openWendy(t)
  const { browser: other } = await inbox.member(sam)
  const naomi = await inbox.take({ name_1: 'Naomi', email_1: 'naomi@example.com' })
  await browser.post(actPath(naomi, 'move'), { ...onFriday, time: '10:00' })
  const { text } = await browser.post(actPath(again, 'move'), onFriday)
  const question = /Wendy has a visit on .*: move it, or keep both\. You visit Naomi then: /
  assert.match(text, question)
  const [, book = ''] = /name="book" value="([^"]+)"[^>]*>Move it</.exec(text)!
  await other.post(actPath(first, 'plan'), { ...onThursday, plan: 'visit', time: '16:00' })
  await press('Move it', { book })
  const later = ['consultation_booked', '2026-11-19T05:00:00.000Z', '']
  assert.deepEqual(await both(), [later, ['consultation_booked', friday, '']])
  const page = (await browser.get(leadPath(again))).text
  assert.match(page, /One was left as it is: it has changed meanwhile/)
  assert.match(page, /booked Thu 4.pm</)
  const told = ['Thursday 19 November, 4 pm', 'Friday 20 November, 9:30 am']
  const subjects = told.map((when) => `Your Consultation: ${when}`)
  assert.deepEqual((await letters()).toSorted(), subjects.toSorted())
})

async function headOf(browser: TestBrowser, id: string): Promise<string> {
  const { text } = await browser.get(leadPath(id))
  return /<header><h1>.*?<\/header>/s.exec(text)![0]
}
