/** The page of one request: the person, the newest words, what is offered, and how it is said. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { lostReasons } from '../../src/contract/states.ts'
import { actPath, leadPath, listPath, paths } from '../../src/doors/inbox/paths.ts'
import { actOn } from '../../src/lead/act.ts'
import { askForAnotherTime, correct } from '../../src/lead/life.ts'
import { detailsOf } from '../../src/store/leads/details.ts'
import { dayMs, minuteMs } from '../../src/time.ts'
import { LeadIds } from '../../src/lead/ids.ts'
import { secret } from '../support/delivery.ts'
import { openInbox, robin, type TestBrowser, type TestInbox } from '../support/inbox.ts'
import { openMailSink } from '../support/smtp.ts'

const wendy = {
  name_1: 'Wendy Cho',
  email_1: 'wendy@example.com',
  phone_1: '+61491570006',
  text_1: '2479',
  textarea_1: 'A deck and a pergola',
}

const friday = { day: '2026-11-20', time: '15:00' }

async function pageOf(browser: TestBrowser, id: string): Promise<string> {
  return (await browser.get(leadPath(id))).text
}

test('no answer on a request with a date says that it is noted, not the date [next.ring]', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const id = await inbox.take(wendy)
  await browser.post(actPath(id, 'move'), { book: 'visit', ...friday })
  await browser.post(actPath(id, 'plan'), { plan: 'tried' })
  assert.match(await pageOf(browser, id), /role="status"><p>No answer, noted: <bdi>Wendy Cho</)
  assert.match(await pageOf(browser, id), /rang, and nobody answered\.</, 'no date is repeated')
})

test('the undo of a first call that nobody answered speaks of no date', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const id = await inbox.take(wendy)
  await browser.post(actPath(id, 'plan'), { plan: 'tried' })
  await browser.post(actPath(id, 'undo'))
  assert.match(await pageOf(browser, id), /You undid that\.</)
})

test('a wrong date says what is wrong with it, and the field that is wrong has the focus [next.visit]', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const id = await inbox.take(wendy)
  const book = async (typed: object) => {
    const { status, text } = await browser.post(actPath(id, 'move'), { book: 'visit', ...typed })
    const [, focused] = /name="([\w-]+)"[^>]* autofocus/.exec(text) ?? []
    const [, alert] = /role="alert">([^<]*)/.exec(text) ?? []
    return [status, alert, focused]
  }
  const far = 'That day is too far ahead. Check the year.'
  assert.deepEqual(await book({ ...friday, day: '2062-11-20' }), [400, far, 'day'])
  const noHour = 'Choose an hour, such as 3 pm.'
  assert.deepEqual(await book({ day: friday.day }), [400, noHour, 'time'])
  assert.deepEqual(await book({}), [400, 'Choose a day.', 'day'])
  const night = 'Did you mean Friday 20 November, 3 am?'
  assert.deepEqual(await book({ ...friday, time: '03:00' }), [409, night, 'on'], 'an offered day')

  const ring = { plan: 'ring', 'ring-day': '2062-11-20' }
  const early = await browser.post(actPath(id, 'plan'), ring)
  assert.match(early.text, /role="alert">That day is too far ahead/)
  await browser.post(actPath(id, 'move'), { to: 'contacted' })
  const { text } = await browser.post(actPath(id, 'plan'), ring)
  assert.match(text, /When next\?<.*?too far ahead.*?Another day\s.*?2062-11-20" autofocus/s)
})

test('a picked day without an hour is when the business opens on that day [next.ring]', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const id = await inbox.take(wendy)
  const ringOn = async (day: string) => {
    await browser.post(actPath(id, 'plan'), { plan: 'ring', 'ring-day': day })
    return new Date((await inbox.store.leads.find(id))!.date!.at).toISOString()
  }
  assert.equal(await ringOn('2026-11-21'), '2026-11-20T21:00:00.000Z', 'Saturday, 8 am')
  assert.equal(await ringOn('2026-11-20'), '2026-11-19T20:00:00.000Z', 'Friday, 7 am')
})

test('a visit is booked on one of the next days, each with what is booked already', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const [first, second] = [await inbox.take(wendy), await inbox.take({ ...wendy, name_1: 'Kim' })]
  const { day: on, time } = friday
  await browser.post(actPath(first, 'move'), { book: 'visit', on, day: '2026-12-01', time })
  assert.equal((await inbox.store.leads.find(first))!.date?.at, Date.parse('2026-11-20T04:00Z'))
  const daysOf = async (id: string) =>
    [
      ...(await pageOf(browser, id)).matchAll(
        /name="on" value="[\d-]+"( checked)?>\s*<span>(.*?)<\/span><small>(.*?)</g,
      ),
    ].map(([, chosen = '', day, booked]) => `${day} ${booked}${chosen}`.replaceAll('\u00A0', ' '))
  assert.deepEqual((await daysOf(second)).slice(-2), ['Thu 19 free', 'Fri 20 3 pm'])
  assert.deepEqual((await daysOf(first)).slice(-2), ['Thu 19 free', 'Fri 20 free checked'])
})

test('today without an hour is due at closing time, and late an hour after it [next.ring]', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const id = await inbox.take(wendy)
  inbox.clock.now = Date.parse('2026-11-20T11:00+11:00')
  const today = { plan: 'ring', day: '2026-11-20' }
  await browser.post(actPath(id, 'plan'), today)
  const row = async () =>
    /class="(age[^"]*)">((?:late: )?ring [^<]*)/.exec((await browser.get(paths.list)).text)
  assert.deepEqual((await row())?.slice(1), ['age dated waits', 'ring 4:30\u00A0pm'])
  inbox.clock.now = Date.parse('2026-11-20T17:29+11:00')
  assert.deepEqual((await row())?.slice(1), ['age dated waits', 'ring 4:30\u00A0pm'])
  inbox.clock.now = Date.parse('2026-11-20T17:30+11:00')
  assert.deepEqual((await row())?.slice(1), ['age dated waits late', 'late: ring 4:30\u00A0pm'])
  const { status, text } = await browser.post(actPath(id, 'plan'), today)
  assert.equal(status, 400)
  assert.match(text, /role="alert">Choose an hour, such as 3 pm\./)
})

test('a place and a number are said once, and the number always in groups', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const show = async (text_1: string) => {
    const text = await pageOf(browser, await inbox.take({ ...wendy, text_1, textarea_1: text_1 }))
    const [, postcode] = /<dt>Postcode<\/dt><dd><bdi>([^<]*)/.exec(text)!
    const [, map = ''] = /maps\/search\/[^"]*query=([^"]*)/.exec(text)!
    assert.match(text, /class="number"><bdi>0491 570 006<.*href="tel:\+61491570006"/s)
    return [postcode, decodeURIComponent(map)]
  }
  assert.deepEqual(await show('2479'), ['2479, Bangalow', 'Bangalow NSW 2479'])
  assert.deepEqual(await show('Bangalow'), ['Bangalow', 'Bangalow NSW'])
  assert.deepEqual(await show('Ballina'), ['Ballina', 'Ballina NSW'])
  // Digits alone are postcodes of many countries.
  assert.deepEqual(await show('2000'), ['2000', '2000 Australia'])
})

test('once the visit has begun, no button offers to call it off by email [next.visit]', async (t) => {
  const mail = await openMailSink(t)
  const inbox = await openInbox(t, mail, { env: { VISIT_TO_SENDER: 'on' } })
  const { browser } = await inbox.member(robin)
  const id = await inbox.take(wendy)
  await browser.post(actPath(id, 'move'), { to: 'contacted' })
  await browser.post(actPath(id, 'move'), { book: 'visit', ...friday, shown: '1' })
  await browser.post(actPath(id, 'plan'), { plan: 'visit', ...friday, place: 'Here', shown: '1' })
  assert.match(
    await pageOf(browser, id),
    />Call off<.*<small>Moving it or calling it off emails Wendy\.</s,
  )
  inbox.clock.now = Date.parse('2026-11-20T04:00:00Z') + 10 * minuteMs
  const page = await pageOf(browser, id)
  assert.doesNotMatch(page, />Call off</)
  assert.match(page, />The visit did not happen</)
  await inbox.settle()
})

test('the page of a request says which other one of the person it may belong to, and joined they are a thread', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const first = await inbox.take(wendy)
  await browser.post(actPath(first, 'move'), { book: 'visit', ...friday })
  inbox.clock.now += dayMs
  const newer = 'Friday no longer works, could we do Monday?'
  const second = await inbox.take({ ...wendy, textarea_1: newer })

  const onNewer = await pageOf(browser, second)
  assert.match(onNewer, />booked Fri 3.pm<.*>Also asked on 16 Nov</s)
  assert.match(onNewer, /Wendy has an open request of 16 Nov, booked Fri 3.pm<.*>Belongs to it</s)
  assert.match(await pageOf(browser, first), />Sent 2 requests</)

  await browser.post(actPath(second, 'join'), { join: first })
  const onFirst = await pageOf(browser, first)
  assert.match(
    onFirst,
    /Asked today, by [^,]+, C-.*Friday no longer.*>Take apart<.*Asked on 16 Nov, by /s,
  )
  assert.doesNotMatch(onFirst, />Sent 2 requests<|Belongs to it/)
})

test('in Today, a new request of somebody who is visited soon says so, and is not red', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const first = await inbox.take(wendy)
  await inbox.take({ ...wendy, email_1: 'w@example.com', textarea_1: 'Also a pergola' })
  await inbox.take({ ...wendy, email_1: 'kim@example.com', phone_1: '', name_1: 'Kim' })
  await browser.post(actPath(first, 'move'), { book: 'visit', ...friday })
  inbox.clock.now = Date.parse('2026-11-18T12:00+11:00')
  const ages = async () => {
    const { text } = await browser.get(paths.list)
    const rows = text.match(/<li class="lead.*?<\/li>/gs) ?? []
    return rows.map((row) => [
      /class="(age[^"]*)"/.exec(row)![1],
      /class="chip[^>]*>([^<]*)/.exec(row)?.[1],
    ])
  }
  assert.deepEqual(await ages(), [
    ['age', 'booked Fri 3\u00A0pm'],
    ['age waits late', undefined],
  ])
  await browser.post(actPath(first, 'move'), { to: 'contacted' })
  const late = ['age waits late', undefined]
  assert.deepEqual(await ages(), [late, late], 'once the visit is called off')
})

test('what happened shows its last three lines, and the facts say how it came', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const id = await inbox.take(wendy)
  for (const to of ['contacted', 'consultation_booked', 'won']) {
    await browser.post(actPath(id, 'move'), { to })
  }
  assert.doesNotMatch(await pageOf(browser, id), /earlier</, 'a few lines are not folded')
  for (const words of ['One.', 'Two.', 'Three.']) {
    await browser.post(actPath(id, 'note'), { words })
  }
  const page = await pageOf(browser, id)
  const [, folded = '', shown = ''] = /What happened<(.*?)<\/details>(.*?)<\/section>/s.exec(page)!
  assert.match(folded, /<summary>\d earlier<.*It came in by/s)
  assert.equal(shown.match(/<li>/g)?.length, 3)
  assert.match(page, /<dt>Came by<\/dt><dd>an agent or a program</)
})

test('once the email about a visit has gone, the undo says that it sends another one', async (t) => {
  const mail = await openMailSink(t)
  const inbox = await openInbox(t, mail, { env: { VISIT_TO_SENDER: 'on' } })
  const { browser } = await inbox.member(robin)
  const id = await inbox.take(wendy)
  await browser.post(actPath(id, 'move'), { book: 'visit', ...friday, shown: '1' })
  const fresh = await pageOf(browser, id)
  assert.match(fresh, />Undo: &quot;visit Friday&quot;</)
  assert.doesNotMatch(fresh, /Email to the customer about the visit/, 'it has not left')
  await inbox.pass(5 * minuteMs)
  assert.match(await pageOf(browser, id), />Undo: &quot;visit Friday&quot; and email Wendy again</)
  assert.match(await pageOf(browser, id), /Email to the customer about the visit: sent\./)
  mail.emails.length = 0
  await browser.post(actPath(id, 'undo'))
  await inbox.pass(5 * minuteMs)
  assert.equal(mail.emails.length, 1)

  const book = () => browser.post(actPath(id, 'move'), { book: 'visit', ...friday, shown: '1' })
  const callOff = async () => {
    await browser.post(actPath(id, 'move'), { to: 'contacted' })
    const [, next] = /Visit called off: <bdi>Wendy Cho<\/bdi>\. ([^<]*) </.exec(
      await pageOf(browser, id),
    )!
    return next
  }
  await book()
  assert.equal(await callOff(), 'When next?', 'no email had told of it')
  await book()
  await inbox.pass(5 * minuteMs)
  assert.equal(await callOff(), 'Wendy gets an email in 2 minutes. When next?')
})

/** A request whose visit was yesterday. */
async function takeVisited(inbox: TestInbox, browser: TestBrowser): Promise<string> {
  const id = await inbox.take(wendy)
  await browser.post(actPath(id, 'move'), { book: 'visit', ...friday })
  inbox.clock.now = Date.parse('2026-11-21T02:00:00Z')
  return id
}

test('after the visit a proposal is sent, and comes back in a week or on a picked day', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const id = await takeVisited(inbox, browser)
  const visited = await pageOf(browser, id)
  assert.match(
    visited,
    /chip consultation_booked">visited<.*<span>The visit is over: Friday 20 November, 3 pm/s,
  )
  assert.match(visited, /Outcome of the visit<.*>Proposal sent<.*>Won<.*>Lost</s)

  const sent = await browser.post(actPath(id, 'move'), { to: 'proposal_sent' })
  assert.equal(sent.headers['location'], `${leadPath(id)}#sum`)
  const page = await pageOf(browser, id)
  assert.match(
    page,
    /role="status"><p>Proposal sent: <bdi>Wendy Cho<\/bdi>. Follow up Sat 28.Nov\. </,
  )
  assert.match(page, /class="date">\s*<span>Follow up: Saturday 28 November, 8 am</)
  assert.match(
    page,
    /Outcome of the proposal<.*>Won<.*>Lost<.*>Ring or visit again<.*>Follow up then</s,
  )
  assert.doesNotMatch(page, /Ring again: |Ring then/)
  assert.match(page, /You marked it proposal sent\. Follow up: Sat, 28 Nov, 8:00 am\./)

  await browser.post(actPath(id, 'plan'), { plan: 'ring', day: '2026-12-05' })
  assert.match(await pageOf(browser, id), /<p>Follow up Sat 5.Dec: /)
  await browser.post(actPath(id, 'undo'))
  assert.match(await pageOf(browser, id), /Back to proposal sent, follow up Sat 28.Nov: /)
})

test('what a proposal comes to is for members: in the row, in figures and export', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const id = await takeVisited(inbox, browser)
  assert.equal((await browser.post(actPath(id, 'sum'), { sum: '41000' })).status, 409)
  await browser.post(actPath(id, 'move'), { to: 'proposal_sent' })
  const wrong = await browser.post(actPath(id, 'sum'), { sum: 'about <40k>' })
  assert.equal(wrong.status, 400)
  assert.match(
    wrong.text,
    /role="alert">Type a whole number, such as 41,000\..*value="about &lt;40k&gt;"/s,
  )
  const cents = await browser.post(actPath(id, 'sum'), { sum: '2 950.50' })
  assert.match(cents.text, /role="alert">Type a whole number.*value="2 950\.50"/s)
  await browser.post(actPath(id, 'sum'), { sum: '$41,000.00' })
  assert.match(await pageOf(browser, id), /name="sum" value="41,000".*You noted the sum\./s)
  const proposals = (await browser.get(listPath({ view: 'proposals' }))).text
  assert.match(proposals, />1 out, 41,000<.*class="more">41,000/s)
  assert.match((await browser.get(paths.figures)).text, /You sent 1 proposal: .*1 out \(41,000\)\./)
  const { events } = await inbox.store.leads.historyOf((await inbox.store.leads.find(id))!)
  assert.doesNotMatch(JSON.stringify(events), /41,?000/, 'the history does not repeat it')
  const receipt = `/receipt/${new LeadIds(secret).tokenOf(id)}`
  assert.doesNotMatch((await inbox.browser().get(receipt)).text, /41,?000/)
  await browser.post(actPath(id, 'sum'), { sum: '' })
  const sumNow = async () => (await inbox.store.leads.find(id))!.proposalSum
  assert.equal(await sumNow(), undefined)
  await browser.post(actPath(id, 'note'), { words: 'Sent on paper', sum: '42,000' })
  assert.equal(await sumNow(), 42_000, 'typed beside another button')
  const won = await browser.post(actPath(id, 'move'), { to: 'won', sum: 'forty' })
  assert.match(won.text, /role="alert">That was saved, but not the sum\. Type a whole number/)
  await browser.post(actPath(id, 'undo'))
  await browser.post(actPath(id, 'move'), { to: 'won', sum: '43,000' })
  assert.equal(await sumNow(), 43_000)
  assert.match(await pageOf(browser, id), /<span class="chip won">won: 43,000<\/span>/)
  await browser.post(actPath(id, 'sum'), { sum: '44,500' })
  assert.match(await pageOf(browser, id), /chip won">won: 44,500<.*name="sum" value="44,500"/s)
  const figures = (await browser.get(paths.figures)).text
  assert.match(figures, /You sent 1 proposal: 1 became work \(44,500\), 0 were lost, 0 out\./)
})

test('a job that is won without a proposal may have a sum, which the figures count', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const id = await takeVisited(inbox, browser)
  const won = await browser.post(actPath(id, 'move'), { to: 'won' })
  assert.equal(won.headers['location'], `${leadPath(id)}#sum`)
  assert.match(await pageOf(browser, id), /chip won">won<.*id="sum".*name="sum" value=""/s)
  const wrong = await browser.post(actPath(id, 'sum'), { sum: 'lots' })
  assert.match(wrong.text, /id="sum"[^>]*>\s*<p[^>]*role="alert">Type a whole number/)
  await browser.post(actPath(id, 'sum'), { sum: '3,900' })
  assert.match(await pageOf(browser, id), /chip won">won: 3,900</)
  const figures = (await browser.get(paths.figures)).text
  assert.match(figures, /booked 1 and won 1 \(3,900\)\./)
  assert.doesNotMatch(figures, /<h2>Proposals</)
  const receipt = `/receipt/${new LeadIds(secret).tokenOf(id)}`
  assert.doesNotMatch((await inbox.browser().get(receipt)).text, /3,?900/)
})

test('undoing a proposal brings the visit back', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const id = await takeVisited(inbox, browser)
  const before = (await inbox.store.leads.find(id))!
  await browser.post(actPath(id, 'move'), { to: 'proposal_sent' })
  await browser.post(actPath(id, 'undo'))
  const { state, date } = (await inbox.store.leads.find(id))!
  assert.deepEqual(
    [state, date?.at, date?.what],
    [before.state, before.date?.at, before.date?.what],
  )
})

test('after Lost the page asks why, nobody has to answer, and the head says the reason', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const id = await takeVisited(inbox, browser)
  const explain = async (why: string) => browser.post(actPath(id, 'lost'), { why })
  assert.equal((await explain('timing')).status, 409, 'it is not lost')
  assert.doesNotMatch(await pageOf(browser, id), /id="why"/)

  const lost = await browser.post(actPath(id, 'move'), { to: 'lost' })
  assert.equal(lost.headers['location'], `${leadPath(id)}#why`)
  const asked = await pageOf(browser, id)
  const [, section = ''] = /<h2 id="why">Why\?(.*?)<\/section>/s.exec(asked)!
  assert.deepEqual(
    [...section.matchAll(/name="why" value="(\w+)"/g)].map(([, value]) => value),
    Object.keys(lostReasons),
  )
  assert.equal((await explain('the moon')).status, 400)
  assert.equal((await explain('timing')).status, 303)
  const page = await pageOf(browser, id)
  assert.match(page, /<span class="chip lost">lost: not the right time<\/span>/)
  assert.match(page, /<summary>Another reason</)
  assert.match(page, /You said why it was lost: not the right time\./)
  assert.match(page, />Undo: &quot;lost&quot;</)

  await browser.post(actPath(id, 'undo'))
  const back = (await inbox.store.leads.find(id))!
  assert.deepEqual([back.state, back.lostWhy], ['consultation_booked', undefined])
})

test('who never answered is lost from new after the second call, with the reason, and the receipt stays true', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const id = await inbox.take(wendy)
  const isOffered = async () =>
    /name="to" value="lost">Lost: never answered</.test(await pageOf(browser, id))
  const noAnswer = () => browser.post(actPath(id, 'plan'), { plan: 'tried' })
  const lose = () => browser.post(actPath(id, 'move'), { to: 'lost' })
  await noAnswer()
  await noAnswer()
  await browser.post(actPath(id, 'undo'))
  assert.equal(await isOffered(), false, 'one call only')
  assert.equal((await lose()).status, 409)
  await noAnswer()
  assert.equal(await isOffered(), true)
  assert.equal((await lose()).headers['location'], `${leadPath(id)}#why`)
  const page = await pageOf(browser, id)
  assert.match(page, /<span class="chip lost">lost: never answered<\/span>/)
  assert.match(page, /<summary>Another reason<.*>Undo: &quot;lost: never answered&quot;</s)

  const receipt = `/receipt/${new LeadIds(secret).tokenOf(id)}`
  const shown = (await inbox.browser().get(receipt, { accept: 'text/html' })).text
  assert.match(shown, /Your request is closed\..*Received<.*aria-current="step"><strong>Closed</s)
  assert.doesNotMatch(shown, /in touch/)
  const figures = (await browser.get(paths.figures)).text
  assert.match(figures, /You have got back to nobody yet\..*You lost 1: never answered \(1\)/s)

  await browser.post(actPath(id, 'undo'))
  const { state, lostWhy } = (await inbox.store.leads.find(id))!
  assert.deepEqual([state, lostWhy], ['new', undefined])
  await lose()
  await browser.post(actPath(id, 'details'), { name: 'Wendy Choi', phone: wendy.phone_1 })
  assert.match(await pageOf(browser, id), /name="to" value="new"[^>]*>Step back to new</)
  await browser.post(actPath(id, 'move'), { to: 'new' })
  assert.equal((await inbox.store.leads.find(id))!.state, 'new')
})

/** A booked request whose customer asks for another time. */
async function takeAsking(inbox: TestInbox, browser: TestBrowser, words: string): Promise<string> {
  const id = await inbox.take(wendy)
  await browser.post(actPath(id, 'move'), { book: 'visit', ...friday, shown: '1' })
  await actOn(inbox.store, id, askForAnotherTime(words, { at: inbox.clock.now }))
  return id
}

test('the row of a customer who asks for another time shows those words; on paper, notes too', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const id = await takeAsking(inbox, browser, 'Monday after 4 <b>')
  await browser.post(actPath(id, 'note'), { words: 'Gate code 1234\nmind the dog' })
  const row = async () =>
    /<li class="lead".*?<\/li>/s.exec((await browser.get(paths.list)).text)![0]
  assert.match(await row(), /<span class="what"><bdi>Monday after 4 &lt;b&gt;<\/bdi>/)
  assert.match(
    await row(),
    /<span class="paper">Note: <bdi>Gate code 1234 mind the dog</,
    'what the customer wrote is no note',
  )
  inbox.clock.now = Date.parse('2026-11-20T12:00+11:00')
  await browser.post(actPath(id, 'plan'), { plan: 'visit', ...friday, time: '16:00' })
  assert.match(await row(), /<span class="what"><bdi>A deck and a pergola</, 'once it is answered')
})

test('a customer who asks for another time is at the head, with the words and both answers', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const id = await takeAsking(inbox, browser, 'Monday after 4, or ring 0491 570 156 <b>')
  const page = await pageOf(browser, id)
  const [, box = ''] = /<div class="date asks">(.*?)<\/header>/s.exec(page)!
  assert.match(box, /Asks for another time<.*Monday after 4.*href="tel:0491570156".*&lt;b&gt;/s)
  assert.match(
    box,
    /The customer, 1 min ago.*<summary class="button">Another time<.*>Save visit<.*>Keep the time</s,
  )
  assert.match(box, /Keeping it sends no email: ring or write to them\./)
  assert.match(page, /<span>Visit: Friday 20 November, 3 pm</, 'the visit stands')
  assert.match(page, /The customer asked for another time\./)
  assert.doesNotMatch(page, /<section class="notes"/, 'the words are said once')

  const [, keep = ''] = /name="keep" value="(\d+)"/.exec(box)!
  await browser.post(actPath(id, 'plan'), { keep })
  const kept = await pageOf(browser, id)
  assert.doesNotMatch(kept, /class="date asks"/)
  assert.match(kept, /<p>Visit Fri 20.Nov, 3.pm: /)
  const [, note = ''] = /<section class="notes".*?<li>(.*?)<\/li>/s.exec(kept)!
  assert.match(note, /<small>The customer, /)
  assert.doesNotMatch(note, /Edit/)
  await browser.post(actPath(id, 'undo'))
  assert.match(await pageOf(browser, id), /class="date asks"/, 'undo asks again')
  await browser.post(actPath(id, 'plan'), { plan: 'visit', day: '2026-11-23', time: '16:00' })
  const moved = await pageOf(browser, id)
  assert.match(moved, /<span>Visit: Monday 23 November, 4 pm</)
  assert.doesNotMatch(moved, /class="date asks"/)
})

test('beside "Keep the time" stands who is mailed, where visits are mailed', async (t) => {
  const mail = await openMailSink(t)
  const inbox = await openInbox(t, mail, { env: { VISIT_TO_SENDER: 'on' } })
  const { browser } = await inbox.member(robin)
  const id = await takeAsking(inbox, browser, 'Another day')
  await inbox.settle()
  const hint = /Keeping it emails Wendy that the time stays\./
  assert.match(await pageOf(browser, id), hint)
  assert.match(await pageOf(browser, id), />Save visit<.*Saving it emails Wendy the new time\./s)
  const lead = (await inbox.store.leads.find(id))!
  const unmailed = { ...detailsOf(lead), email: '', emailKey: '' }
  await actOn(inbox.store, id, correct(unmailed, { by: 'ann', at: inbox.clock.now }))
  assert.match(await pageOf(browser, id), /Keeping it sends no email: ring or write to them\./)
})

test('a time that somebody else has changed meanwhile is not kept', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const id = await takeAsking(inbox, browser, 'Another day')
  const { version, date } = (await inbox.store.leads.find(id))!
  await browser.post(actPath(id, 'plan'), { plan: 'visit', day: '2026-11-23', time: '16:00' })
  const stale = { keep: String(date?.at), version: String(version) }
  const refused = await browser.post(actPath(id, 'plan'), stale)
  assert.equal(refused.status, 409)
  assert.match(refused.text, /You set a date just now, so nothing was changed\./)
})
