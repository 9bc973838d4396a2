import assert from 'node:assert/strict'
import test from 'node:test'
import { actPath, leadPath, listPath, paths } from '../../src/doors/inbox/paths.ts'
import { openInbox, robin, sam, type TestBrowser, type TestInbox } from '../support/inbox.ts'
import { byWebhook, openWebhookSink, verified } from '../support/sink.ts'
import { openMailSink, parseEmail } from '../support/smtp.ts'

const wendy = { name: 'Wendy Example', phone: '0491 570 006' }
const minute = 60_000

/** The id of the lead that an answer leads to. */
function idIn({ headers }: { headers: Record<string, string> }): string {
  return /\/inbox\/lead\/([0-9a-f-]{36})/.exec(headers['location'] ?? '')?.[1] ?? ''
}

/** Fills in the form as it is on the page, with its hidden fields. */
async function fillIn(browser: TestBrowser, fields: Record<string, string>) {
  const { text } = await browser.get(paths.add)
  const nonce = /name="nonce" value="([^"]+)"/.exec(text)![1]!
  return { nonce, ...fields }
}

function countLeads({ store }: TestInbox) {
  return store.views.list({ limit: 50 }).then((leads) => leads.length)
}

test('a name or a number is enough to add a request, and its page opens', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const list = (await browser.get(paths.list)).text
  assert.match(list, /<a class="add" href="\/inbox\/add">/)

  const named = await browser.post(paths.add, await fillIn(browser, { name: 'Wendy' }))
  assert.equal(named.status, 303)
  const number = await browser.post(paths.add, await fillIn(browser, { phone: '0491 570 006' }))
  const page = await browser.get(leadPath(idIn(number)))
  assert.match(page.text, /<h1[^>]*>.*0491 570 006/s)
  const both = [idIn(named), idIn(number)]
  for (const [index, name] of ['Wendy', '0491 570 006'].entries()) {
    const lead = (await inbox.store.leads.find(both[index]!))!
    assert.deepEqual(
      [lead.values.name, lead.values.email, lead.door, lead.state],
      [name, '', 'phone', 'new'],
    )
  }
  const rows = (await browser.get(paths.list)).text
  // There is no email, so nothing leads to one.
  assert.doesNotMatch(rows + page.text, /mailto:/)
  assert.doesNotMatch(rows, /aria-label="Mail/)
  assert.match(page.text, />Hello, I just tried to ring you/)
  assert.match(page.text, /Nothing was written down.*You added it after a call\./s)
  assert.doesNotMatch(page.text, /No message was sent|It came in/)
})

test('a number alone is the heading, and a corrected number takes its place', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const added = await browser.post(paths.add, await fillIn(browser, { phone: '0491570006' }))
  const id = idIn(added)
  const nameNow = async () => (await inbox.store.leads.find(id))!.values.name
  const correct = (phone: string, name = '') => browser.post(form, { phone, name })
  const form = actPath(id, 'details')
  assert.match((await browser.get(form)).text, /name="name"\s+value=""/)
  const [header = ''] =
    /<header><h1.*?<\/header>/s.exec((await browser.get(leadPath(id))).text) ?? []
  assert.equal(header.match(/0491 570 006/g)?.length, 1, 'said once')

  await correct('0491 570 156')
  const corrected = (await browser.get(leadPath(id))).text
  assert.match(corrected, /<h1><bdi>0491 570 156</)
  assert.match(corrected, /<dt>Phone<.*at first: <bdi>0491570006</s)
  assert.doesNotMatch(corrected, /<dt>Name</)
  const list = (await browser.get(paths.list)).text
  assert.match(list, />0491 570 156</)
  assert.doesNotMatch(list, /0491 ?570 ?006/)
  // From a page that still has the number in the name.
  await correct('0491 570 157', '0491570156')
  assert.equal(await nameNow(), '0491 570 157')
  await correct('0491 570 157', 'Wendy')
  assert.equal(await nameNow(), 'Wendy')
  assert.match((await browser.get(form)).text, /name="name"\s+value="Wendy"/)
  await browser.post(actPath(id, 'undo'))
  assert.match((await browser.get(leadPath(id))).text, /<h1><bdi>0491 570 157</)
})

test('nothing is added without a name and a way to reach the person; what was typed stays', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const empty = await browser.post(paths.add, { message: 'A deck <b>' })
  assert.equal(empty.status, 400)
  assert.match(empty.text, /role="alert">Type a name, a number or an email\./)
  assert.match(empty.text, /A deck &lt;b&gt;<\/textarea>/)
  const wrong = await browser.post(paths.add, { ...wendy, email: 'wendy at example' })
  assert.equal(wrong.status, 400)
  assert.match(
    wrong.text,
    /name="email"\s+value="wendy at example"[^>]*aria-invalid="true"[^>]*autofocus/,
  )
  assert.equal(wrong.text.match(/ autofocus/g)?.length, 1)
  assert.equal(
    (await browser.post(paths.add, { ...wendy, message: 'x'.repeat(10_001) })).status,
    400,
  )
  assert.equal(await countLeads(inbox), 0)
})

test('a number with a digit too few or too many is asked about once; nothing typed is lost', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const add = async (fields: Record<string, string>) => {
    const { status, text, headers } = await browser.post(paths.add, fields)
    const [, alert] = /role="alert">([^<]*)/.exec(text) ?? []
    const [, asked = ''] = /name="asked" value="([^"]*)"/.exec(text) ?? []
    return { status, text, headers, alert, asked }
  }
  const filled = await fillIn(browser, { name: 'Wendy', phone: '0491 570 00', message: 'A deck' })
  const first = await add(filled)
  assert.equal(first.status, 400)
  assert.equal(first.alert, 'This number has 9 digits, Australian numbers have 10. Save anyway?')
  assert.match(first.text, /name="phone"\s+value="0491 570 00"[^>]*autofocus.*A deck<\/textarea>/s)
  const other = await add({ ...filled, asked: first.asked, phone: '0491 570 0066' })
  assert.match(other.alert!, /^This number has 11 digits/, 'another number is another question')
  assert.equal(await countLeads(inbox), 0)
  const saved = await add({ ...filled, asked: first.asked })
  assert.equal(saved.status, 303)
  assert.equal((await inbox.store.leads.find(idIn(saved)))!.values.phone, '0491 570 00')
  for (const phone of ['+44 20 7946', '5550 0100', '0491 570 156 after 5', '13 12 34', 'at work']) {
    assert.equal((await add(await fillIn(browser, { name: 'Kim', phone }))).status, 303, phone)
  }
})

test('the public doors still demand an email', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const form = await browser.post('/api/lead', { name_1: 'Wendy', phone_1: wendy.phone })
  assert.doesNotMatch(form.headers['location'] ?? '', /thanks/)
  await assert.rejects(inbox.take({ name_1: 'Wendy', phone_1: wendy.phone }), /was not taken/)
  assert.equal(await countLeads(inbox), 0)
})

test('who was just spoken to is contacted, with a day to ring or a visit to book', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const { text } = await browser.get(paths.add)
  const [, at = ''] = /name="next" value="(\d+)">Tomorrow/.exec(text)!
  const filled = await fillIn(browser, wendy)
  const rung = await browser.post(paths.add, { ...filled, next: at })
  const again = await browser.post(paths.add, { ...filled, next: at })
  assert.deepEqual([rung, again].map(idIn), [idIn(rung), idIn(rung)], 'pressed twice')
  const lead = (await inbox.store.leads.find(idIn(rung)))!
  assert.deepEqual([lead.state, lead.date], ['contacted', { what: 'ring', at: Number(at) }])
  assert.equal(lead.version, 2)

  const visit = await browser.post(paths.add, await fillIn(browser, { name: 'Kim', next: 'book' }))
  assert.equal(visit.headers['location'], `${leadPath(idIn(visit))}#book`)
  assert.equal((await inbox.store.leads.find(idIn(visit)))!.state, 'contacted')
  const odd = await browser.post(paths.add, await fillIn(browser, { name: 'Mai', next: '9e99' }))
  assert.equal((await inbox.store.leads.find(idIn(odd)))!.state, 'new')

  inbox.clock.now += 20 * minute
  const known = { ...(await fillIn(browser, wendy)), next: 'book' }
  const asked = await browser.post(paths.add, known)
  assert.match(
    asked.text,
    /name="next" value="book"/,
    'the choice stays while the page asks who it is',
  )
  const added = await browser.post(paths.add, { ...known, to: lead.id })
  assert.equal(added.headers['location'], `${leadPath(lead.id)}#book`)
})

test('a button pressed twice adds one request, in turn and at once', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  for (const fields of [wendy, { name: 'Only a name' }]) {
    const filled = await fillIn(browser, fields)
    const answers = await Promise.all([
      browser.post(paths.add, filled),
      browser.post(paths.add, filled),
    ])
    answers.push(await browser.post(paths.add, filled))
    assert.deepEqual(
      answers.map(({ status }) => status),
      [303, 303, 303],
    )
    assert.equal(new Set(answers.map(idIn)).size, 1)
  }
  assert.equal(await countLeads(inbox), 2)
})

test('somebody known is named before anything is saved, by number in another spelling or by email', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const first = await inbox.take({
    name_1: 'Wendy Example',
    email_1: 'wendy@example.com',
    phone_1: '0491 570 006',
    textarea_1: 'A deck',
  })
  inbox.clock.now += 20 * minute
  for (const known of [{ phone: '+61 491 570 006' }, { name: 'W', email: 'Wendy@Example.com' }]) {
    const asked = await browser.post(paths.add, await fillIn(browser, known))
    assert.equal(asked.status, 409)
    assert.match(asked.text, /Wendy Example<\/bdi> sent a request on 16 Nov/)
    assert.match(asked.text, new RegExp(`name="to" value="${first}"`))
    assert.match(asked.text, /name="to" value="new">New request/)
    assert.doesNotMatch(asked.text, /autofocus/)
  }
  assert.equal(await countLeads(inbox), 1)
})

test('somebody who rings from a second phone is known', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const typed = { name: 'Wendy Example', phone: '0491 570 006', secondPhone: '(02) 5550 0100' }
  const id = idIn(await browser.post(paths.add, await fillIn(browser, wendy)))
  await browser.post(actPath(id, 'details'), typed)
  const words = { name: 'Kim', message: 'My sister has 02 5550 0100' }
  await browser.post(paths.add, await fillIn(browser, words))
  const asked = await browser.post(paths.add, await fillIn(browser, { phone: '+61 2 5550 0100' }))
  assert.equal(asked.status, 409)
  assert.match(asked.text, new RegExp(`name="to" value="${id}">Add to it`))
  assert.equal(asked.text.match(/Add to it/g)?.length, 1, 'a number in a message is no phone')
})

test('what a known person wants becomes a note of the earlier request, once', async (t) => {
  const inbox = await openInbox(t)
  const { browser, member } = await inbox.member(robin)
  const first = await inbox.take({
    name_1: 'Wendy Example',
    email_1: 'wendy@example.com',
    phone_1: '0491 570 006',
  })
  const filled = await fillIn(browser, {
    phone: '0491 570 006',
    email: 'new@example.com',
    message: 'Now also a pergola',
    to: first,
  })
  for (let press = 0; press < 2; press += 1) {
    const added = await browser.post(paths.add, filled)
    assert.deepEqual([added.status, added.headers['location']], [303, `${leadPath(first)}#notes`])
  }
  const notes = await inbox.store.leads.notesOf([{ id: first }])
  assert.deepEqual(
    notes.map(({ words, memberId }) => [words, memberId]),
    [['They rang: Now also a pergola\nEmail: new@example.com', member.id]],
  )
  assert.equal(await countLeads(inbox), 1)
})

test('a closed request is named, but cannot take a call that would be buried in it', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const first = await inbox.take({
    name_1: 'Ivy Example',
    email_1: 'ivy@example.com',
    phone_1: '0491 570 006',
  })
  await browser.post(actPath(first, 'move'), { to: 'not_suitable' })
  inbox.clock.now += 20 * minute
  const call = { phone: '0491 570 006', message: 'Now I want it', to: first }
  const asked = await browser.post(paths.add, await fillIn(browser, call))
  assert.equal(asked.status, 409)
  assert.match(asked.text, /Ivy Example<\/bdi> sent a request/)
  assert.doesNotMatch(asked.text, /Add to it/)
  assert.deepEqual(await inbox.store.leads.notesOf([{ id: first }]), [])
})

test('a known person can have a new request; somebody else who is known is named again', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const first = await inbox.take({
    name_1: 'Wendy',
    email_1: 'wendy@example.com',
    phone_1: '0491 570 006',
  })
  const other = await inbox.take({ name_1: 'Kim', email_1: 'kim@example.com' })
  inbox.clock.now += 20 * minute
  const filled = await fillIn(browser, { phone: '0491 570 006', message: 'A second deck' })
  const asked = await browser.post(paths.add, filled)
  const seen = /name="seen" value="([^"]*)"/.exec(asked.text)![1]!
  assert.equal(seen, first)
  // Meanwhile he types the email of another customer.
  const changed = { ...filled, email: 'kim@example.com', seen, to: 'new' }
  assert.match((await browser.post(paths.add, changed)).text, new RegExp(`value="${other}"`))
  const added = await browser.post(paths.add, { ...filled, seen, to: 'new' })
  assert.equal(added.status, 303)
  assert.notEqual(idIn(added), first)
  // The button was pressed once more.
  const again = await browser.post(paths.add, { ...filled, seen, to: 'new' })
  assert.equal(idIn(again), idIn(added))
  assert.equal(await countLeads(inbox), 3)
})

test('webhooks hear of an added request, members and the customer do not', async (t) => {
  const mail = await openMailSink(t)
  const hook = await openWebhookSink(t)
  const env = { ...byWebhook(hook), CONFIRM_TO_SENDER: 'on' }
  const inbox = await openInbox(t, mail, { env })
  const { browser } = await inbox.member(robin)
  const form = (await browser.get(paths.add)).text
  assert.match(form, /type="checkbox" name="emails" value="1">/)
  const email = 'wendy@example.com'
  const id = idIn(await browser.post(paths.add, await fillIn(browser, { ...wendy, email })))
  const nameless = idIn(await browser.post(paths.add, await fillIn(browser, { name: 'Kim' })))
  await inbox.settle()
  assert.deepEqual(mail.emails, [])
  const sent = hook.received.map(verified) as { type: string; data: { lead: object } }[]
  assert.deepEqual(
    sent
      .map(({ type, data }) => [type, data.lead])
      .map(([type, lead]) => {
        const { id: of, door, email_1: to } = lead as Record<string, string>
        return [type, of, door, to]
      }),
    [
      ['lead.received', id, 'phone', email],
      ['lead.received', nameless, 'phone', ''],
    ],
  )
})

test('the customer gets an email only if the box is ticked, which needs an email', async (t) => {
  const mail = await openMailSink(t)
  const inbox = await openInbox(t, mail, { env: { CONFIRM_TO_SENDER: 'on' } })
  const { browser } = await inbox.member(robin)
  const without = await browser.post(paths.add, { ...wendy, emails: '1' })
  assert.equal(without.status, 400)
  assert.match(without.text, /role="alert">Type their email, or leave the box unticked\./)
  assert.match(without.text, /name="emails" value="1" checked>/)
  const email = 'wendy@example.com'
  await browser.post(paths.add, await fillIn(browser, { ...wendy, email, emails: '1' }))
  await inbox.settle()
  const emails = await Promise.all(mail.emails.map(parseEmail))
  assert.deepEqual(
    emails.map(({ to }) => to?.map(({ address }) => address)),
    [[email]],
  )
  const [{ subject, text } = {}] = emails
  assert.equal(subject, 'Thank you for your call')
  assert.match(text!, /I have written down your request for .*If you didn't ring me/s)
  assert.doesNotMatch(
    text!,
    /I usually answer|you left a number|If you didn't ask|good to talk|Wendy/,
  )
})

test('without confirmations there is no box, and a ticked one does nothing', async (t) => {
  const mail = await openMailSink(t)
  const inbox = await openInbox(t, mail)
  const { browser } = await inbox.member(robin)
  assert.doesNotMatch((await browser.get(paths.add)).text, /name="emails"/)
  const email = 'wendy@example.com'
  await browser.post(paths.add, await fillIn(browser, { ...wendy, email, emails: '1' }))
  await inbox.settle()
  assert.deepEqual(mail.emails, [])
})

test('an added request is found, moved, booked, exported and erased like any other', async (t) => {
  const mail = await openMailSink(t)
  const inbox = await openInbox(t, mail, { env: { VISIT_TO_SENDER: 'on' } })
  const { browser } = await inbox.member(robin)
  const message = 'A pergola in Wardell'
  const id = idIn(await browser.post(paths.add, await fillIn(browser, { ...wendy, message })))
  const other = idIn(await browser.post(paths.add, await fillIn(browser, { name: 'Kim' })))

  for (const q of ['570006', 'wardell', 'wendy']) {
    const to = (await browser.post(paths.search, { q })).headers['location']!
    assert.match((await browser.get(to)).text, new RegExp(id), q)
  }
  await browser.post(actPath(id, 'move'), { to: 'contacted', version: '1' })
  const visit = { to: 'consultation_booked', plan: 'visit', day: '2026-11-19', time: '10:00' }
  await browser.post(actPath(id, 'move'), { ...visit, shown: 'yes', place: '8 Dibbs Street' })
  const booked = (await inbox.store.leads.find(id))!
  assert.equal(booked.state, 'consultation_booked')
  assert.match((await browser.get(listPath({ view: 'booked' }))).text, new RegExp(id))
  // Nobody can be mailed about the visit.
  await inbox.pass(5 * minute)
  assert.deepEqual(mail.emails, [])

  const csv = (await browser.post(paths.export, { view: 'all', format: 'csv' })).text
  assert.match(csv, /"Wendy Example","0491 570 006",.*"the phone"/s)
  const own = await browser.post(actPath(other, 'export'), { format: 'json', which: 'email' })
  assert.deepEqual(
    (JSON.parse(own.text) as { id: string }[]).map((lead) => lead.id),
    [other],
  )
  const choices = (await browser.get(actPath(other, 'erase'))).text
  assert.doesNotMatch(choices, /All with this email/)
  await browser.post(actPath(other, 'erase'), { which: 'email' })
  assert.equal((await inbox.store.leads.find(other))!.state, 'erased')
  assert.equal((await inbox.store.leads.find(id))!.state, 'consultation_booked')
})

test('what was typed comes back after signing in again', async (t) => {
  const inbox = await openInbox(t)
  const { browser, member } = await inbox.member(sam)
  browser.jar.clear()
  const sent = await browser.post(paths.add, { ...wendy, message: 'A deck' })
  assert.equal(sent.headers['location'], paths.signIn)
  assert.equal(await countLeads(inbox), 0)
  const back = await browser.post(await inbox.linkFor(member))
  assert.equal(back.headers['location'], paths.add)
  assert.match(
    (await browser.get(paths.add)).text,
    /signed in again.*Wendy Example.*A deck<\/text/s,
  )
})
