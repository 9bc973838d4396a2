/** What the pages say of a customer who has written again. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { actPath, leadPath, paths } from '../../src/doors/inbox/paths.ts'
import { dayMs, minuteMs } from '../../src/time.ts'
import { sam } from '../support/inbox.ts'
import { onFriday, openWendy, pageOf, toldThursday, wendy } from '../support/wendy.ts'

test('a page that was opened before a colleague moved the request joins nothing [next.one, move.overtaken]', async (t) => {
  const { inbox, browser, first, again, states } = await openWendy(t)
  const { version } = (await inbox.store.leads.find(again))!
  const colleague = await inbox.member(sam)
  await colleague.browser.post(actPath(again, 'move'), { to: 'contacted' })
  const late = await browser.post(actPath(again, 'join'), { join: first, version: String(version) })
  assert.equal(late.status, 409)
  assert.match(late.text, /Sam marked it contacted just now, so nothing was changed/)
  assert.deepEqual(await states(), ['consultation_booked', 'contacted'])
})

test('who has a visit by another request is booked again only after a question, asked once [next.one]', async (t) => {
  const { browser, first, again, states, lead } = await openWendy(t)
  const typed = { ...onFriday, place: '7 Example Lane', words: 'Bring samples' }
  const asked = await browser.post(actPath(again, 'move'), typed)
  assert.equal(asked.status, 409)
  assert.match(
    asked.text,
    /role="alert">Wendy has a visit on Thursday 19 November, 3 pm, by another request\.</,
  )
  assert.match(
    asked.text,
    />Move that visit to Fri, 20 Nov, [^<]*<.*>Book a second visit<.*7 Example Lane.*Bring samples/s,
  )
  const [, sure = ''] = /name="sure" value="(\d+)"/.exec(asked.text)!
  const both = await browser.post(actPath(again, 'move'), { ...onFriday, sure })
  assert.equal(both.status, 303)
  assert.deepEqual(await states(), ['consultation_booked', 'consultation_booked'])

  const refused = await browser.post(actPath(again, 'join'), { join: first })
  assert.equal(refused.status, 409)
  assert.match(refused.text, /Both have a visit\. Call off one of them first\./)
  assert.equal((await lead(again)).joinedTo, '')
})

test('the day typed on a further request moves the visit of the first, and both are one [next.one]', async (t) => {
  const { browser, first, again, lead } = await openWendy(t)
  const asked = await browser.post(actPath(again, 'move'), onFriday)
  const [, sure = ''] = /name="sure" value="(\d+)"/.exec(asked.text)!
  const moved = await browser.post(actPath(again, 'join'), { ...onFriday, join: first, sure })
  assert.equal(moved.headers['location'], leadPath(first))
  assert.equal((await lead(again)).joinedTo, first)
  assert.equal((await lead(first)).date?.at, Number(sure))
  assert.match((await browser.get(leadPath(first))).text, /<p>Visit Fri 20.Nov, /)
})

test('a booked request without a day is no part of another one, so only a second visit is offered [next.one]', async (t) => {
  const { browser, first, again, join } = await openWendy(t)
  await browser.post(actPath(again, 'move'), { to: 'consultation_booked' })
  const asked = await browser.post(actPath(again, 'plan'), { ...onFriday, plan: 'visit' })
  assert.equal(asked.status, 409)
  assert.match(asked.text, />Book a second visit</)
  assert.doesNotMatch(asked.text, /Belongs to it|Move that visit/)
  const refused = await join(again, first)
  assert.match(refused.text, /The request is now booked, so this is no longer possible/)
})

test('a detail that a joined request says otherwise is used by a press, as a correction [next.one]', async (t) => {
  const other = { ...wendy, phone_1: '0491 570 156' }
  const { browser, first, again, join, lead } = await openWendy(t, other)
  await join()
  const page = await pageOf(browser, first)
  assert.match(page, /<bdi>0491 570 156<.bdi><.span>\s*<button[^>]*>Use this</)
  const [, form = ''] = /<form class="differs"[^>]*>(.*?)<\/form>/s.exec(page)!
  const fields = Array.from(
    form.matchAll(/name="([^"]+)" value="([^"]*)"/g),
    ([, name, value]): [string, string] => [name!, value!],
  )
  const used = await browser.post(actPath(first, 'details'), Object.fromEntries(fields))
  assert.equal(used.status, 303)
  assert.equal((await lead(first)).values.phone, '0491 570 156')
  assert.equal((await lead(again)).values.phone, '0491 570 156')
  const corrected = await pageOf(browser, first)
  assert.doesNotMatch(corrected, /Use this/)
  assert.match(corrected, /Undo: &quot;details corrected&quot;/)
  await browser.post(actPath(first, 'undo'))
  assert.equal((await lead(first)).values.phone, wendy.phone_1)
})

test('a number and an email that are only typed otherwise are the same [next.one]', async (t) => {
  const other = { ...wendy, phone_1: '+61 491 570 006', email_1: 'Wendy@Example.com' }
  const { browser, first, join } = await openWendy(t, other)
  await join()
  assert.doesNotMatch(await pageOf(browser, first), /Use this/)
})

test('who erases a request is told of the visit that lies ahead [erase.shown]', async (t) => {
  const { browser, first, again, emails } = await openWendy(t)
  assert.deepEqual(await emails(), [toldThursday])
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
  const { browser, again, emails } = await openWendy(t, pat)
  assert.deepEqual(await emails(), [toldThursday])
  const page = (await browser.get(actPath(again, 'erase'))).text
  const told =
    /Wendy<.bdi> has a visit with another .*&quot;All with this email or phone&quot; erases/s
  assert.match(page, told)
})

test('the email that calls off a visit goes out before the time after which the page says to erase [erase.shown]', async (t) => {
  const { inbox, browser, first, emails } = await openWendy(t)
  await emails()
  const page = (await browser.get(actPath(first, 'erase'))).text
  const [, minutes] = /erase the request after (\d+) minutes/.exec(page)!
  await browser.post(actPath(first, 'move'), { to: 'contacted' })
  inbox.clock.now += Number(minutes) * minuteMs
  await inbox.settle()
  await browser.post(actPath(first, 'erase'), { which: 'one' })
  assert.deepEqual(await emails(), [toldThursday, 'Your Consultation is called off'])
})

test('spam in her name touches neither request, and a joined one is not marked itself [next.one]', async (t) => {
  const { inbox, browser, first, again, join, states, rows } = await openWendy(t)
  await join()
  const refused = await browser.post(actPath(again, 'move'), { to: 'spam' })
  assert.equal(refused.status, 409)
  const spam = await inbox.take({ ...wendy, textarea_1: 'Buy pills' })
  await browser.post(actPath(spam, 'move'), { to: 'spam' })
  const later = await inbox.take({ ...wendy, textarea_1: 'When do you come?' })
  assert.deepEqual(await states(), ['consultation_booked', 'joined'])
  assert.deepEqual([await rows('held'), await rows('all')], [[later], [later, spam, first]])
})

test('two people with one number are not written about as one [next.one]', async (t) => {
  const jill = { name_1: 'Jill', email_1: 'jill@example.com' }
  const wendys = await openWendy(t, jill)
  const { browser, first, again, join, receipt } = wendys
  const list = async (view: string) => (await browser.get(`${paths.list}?view=${view}`)).text
  const asOne = /Also asked|Sent 2|2nd request|wrote again/
  for (const view of ['today', 'booked', 'all']) assert.doesNotMatch(await list(view), asOne, view)
  const [onFirst, onAgain] = [await pageOf(browser, first), await pageOf(browser, again)]
  assert.match(onFirst, />Same number: <bdi>Jill</)
  assert.match(onAgain, />Same number: <bdi>Wendy</)
  assert.doesNotMatch(onFirst + onAgain, asOne)
  await join()
  const { message } = await receipt(again)
  assert.equal(message, 'I have put this together with another request about this.')

  const third = await wendys.inbox.take({ ...wendy, email_1: 'w@example.com', name_1: 'Wendy Cho' })
  assert.match(await pageOf(browser, third), />Also asked today</)
})

test('a customer whose request was won and who writes again is known by it [next.one]', async (t) => {
  const { inbox, browser, first, again } = await openWendy(t)
  const jill = await inbox.take({ ...wendy, name_1: 'Jill', email_1: 'jill@example.com' })
  inbox.clock.now += 5 * dayMs
  for (const to of ['proposal_sent', 'won']) await browser.post(actPath(first, 'move'), { to })
  inbox.clock.now += dayMs
  const rowOf = async (id: string, view: string) => {
    const { text } = await browser.get(`${paths.list}?view=${view}`)
    return new RegExp(`id="r-${id}".*?</li>`, 's').exec(text)![0]
  }
  assert.match(await rowOf(again, 'today'), /2nd request · <span class="chip won">won on \d+ Nov</)
  assert.match(
    await pageOf(browser, again),
    new RegExp(`href="${leadPath(first)}[^>]*>won on \\d+ Nov<`),
  )
  assert.doesNotMatch(await rowOf(jill, 'today'), /won on/)
  assert.doesNotMatch(await rowOf(first, 'done'), /won on/, 'not by itself')
})
