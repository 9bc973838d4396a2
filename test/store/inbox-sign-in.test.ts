import assert from 'node:assert/strict'
import test from 'node:test'
import { paths } from '../../src/doors/inbox/paths.ts'
import { openTestDelivery } from '../support/delivery.ts'
import { mailedCode, openInbox, robin, sam, type TestBrowser } from '../support/inbox.ts'
import { byMail } from '../support/sink.ts'
import { openMailSink, parseEmail, type MailSink } from '../support/smtp.ts'
import { until } from '../support/until.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

test('the first address makes the first member, once, and opening it changes nothing [sign-in.link]', async (t) => {
  const inbox = await openInbox(t)
  const [link, other] = [await inbox.linkFor(), await inbox.linkFor()]
  const scanner = inbox.browser()
  for (let time = 0; time < 3; time += 1) {
    const page = await scanner.get(link)
    assert.equal(page.status, 200)
    assert.match(page.text, /Set up your inbox/)
  }
  assert.deepEqual([(await inbox.access.listMembers()).length, scanner.jar.size], [0, 0])

  const browser = inbox.browser()
  const typo = await browser.post(link, { name: 'Robin', email: 'robin' })
  assert.deepEqual([typo.status, typo.cookies], [400, []])
  assert.match(typo.text, /value="Robin"/, 'what was typed is kept')
  const done = await browser.post(link, robin)
  assert.deepEqual([done.status, done.headers['location']], [303, paths.passkeys])
  assert.equal((await browser.get(paths.list)).status, 200)
  // Neither the same address nor another one from before makes a second member.
  for (const used of [link, other]) {
    assert.equal((await inbox.browser().post(used, sam)).status, 410)
    assert.equal((await inbox.browser().get(used)).status, 410)
  }
  assert.deepEqual(
    (await inbox.access.listMembers()).map(({ email }) => email),
    [robin.email],
  )
})

test('an address signs its member in once, within 30 minutes, and ends his other sessions [sign-in.link]', async (t) => {
  const inbox = await openInbox(t)
  const { member, browser: earlier } = await inbox.member(robin)
  const [first, second, late] = [
    await inbox.linkFor(member),
    await inbox.linkFor(member),
    await inbox.linkFor(member),
  ]
  const browser = inbox.browser()
  assert.match((await browser.get(first)).text, /Hello, Robin/)
  assert.equal((await browser.post(first)).status, 303)
  assert.equal((await inbox.browser().post(first)).status, 410, 'used')
  assert.equal((await earlier.get(paths.list)).status, 303, 'the earlier device is signed out')
  // Side by side, one of two presses gets in.
  const both = await Promise.all([inbox.browser().post(second), inbox.browser().post(second)])
  assert.deepEqual(new Set(both.map(({ status }) => status)), new Set([303, 410]))
  inbox.clock.now += 31 * minute
  assert.equal((await inbox.browser().post(late)).status, 410, 'too old')
})

test('a code by mail signs in: once, in the browser that asked, within ten minutes [sign-in.code]', async (t) => {
  const mail = await openMailSink(t)
  const inbox = await openInbox(t, mail)
  await inbox.member(robin)
  const browser = inbox.browser()
  const asked = await browser.post(paths.signIn, { email: ' Robin@Example.com ' })
  assert.deepEqual([asked.status, asked.headers['location']], [303, paths.signInCode])
  assert.match((await browser.get(paths.signInCode)).text, /name="code"/)
  const code = await mailedCode(mail, 1)
  assert.deepEqual(mail.emails[0]!.recipients, [robin.email])
  assert.equal((await parseEmail(mail.emails[0]!)).subject, `${code} is your code`)

  const other = inbox.browser({ network: '192.0.2.9' })
  await other.post(paths.signIn, { email: 'nobody@example.com' })
  assert.equal((await other.post(paths.signInCode, { code })).status, 403, 'another browser')
  const done = await browser.post(paths.signInCode, { code: code.toLowerCase() })
  assert.deepEqual([done.status, done.headers['location']], [303, paths.list])
  assert.equal((await browser.get(paths.list)).status, 200)
  assert.equal((await browser.post(paths.signInCode, { code })).status, 403, 'a second time')

  const late = inbox.browser()
  await late.post(paths.signIn, { email: robin.email })
  const second = await mailedCode(mail, 2)
  inbox.clock.now += 11 * minute
  assert.equal((await late.post(paths.signInCode, { code: second })).status, 403, 'too old')
})

test('the sixth try of a code is too late, even if it is right [sign-in.guess]', async (t) => {
  const mail = await openMailSink(t)
  const inbox = await openInbox(t, mail)
  await inbox.member(robin)
  const browser = inbox.browser()
  await browser.post(paths.signIn, { email: robin.email })
  const code = await mailedCode(mail, 1)
  const wrong = await Promise.all(
    Array.from({ length: 5 }, (_, n) => browser.post(paths.signInCode, { code: `0000 000${n}` })),
  )
  assert.deepEqual(new Set(wrong.map(({ status }) => status)), new Set([403]))
  assert.equal((await browser.post(paths.signInCode, { code })).status, 403)
  assert.equal((await browser.get(paths.list)).status, 303)
})

test('a session ends 30 days after the last visit, and 90 days after it began [sign-in.ends]', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const isIn = async () => (await browser.get(paths.list)).status === 200
  for (let days = 0; days < 87; days += 29) {
    inbox.clock.now += 29 * day
    assert.ok(await isIn())
  }
  inbox.clock.now += 4 * day
  assert.ok(!(await isIn()), 'after 91 days')
  const { browser: second } = await inbox.member(sam)
  inbox.clock.now += 31 * day
  assert.equal((await second.get(paths.list)).status, 303, 'after a month without a visit')
})

test('a session ends at the next request: signed out, from elsewhere, with its member [sign-in.members]', async (t) => {
  const mail = await openMailSink(t)
  const inbox = await openInbox(t, mail)
  const { member, browser } = await inbox.member(robin)
  const { member: second, browser: samsBrowser } = await inbox.member(sam)
  assert.match((await browser.get(paths.settings)).text, /Only in this browser/)
  const lost = inbox.browser()
  await signInByCode(lost, mail, robin.email)
  assert.match((await browser.get(paths.settings)).text, /one other browser.*everywhere else/s)
  const ended = await browser.post(paths.signOutOthers)
  assert.equal(ended.headers['location'], paths.settings)
  assert.equal((await lost.get(paths.list)).status, 303)
  assert.equal((await browser.get(paths.list)).status, 200)
  assert.equal((await samsBrowser.get(paths.list)).status, 200, 'other members stay')

  const copy = inbox.browser()
  for (const [name, value] of browser.jar) copy.jar.set(name, value)
  const out = await browser.post(paths.signOut)
  assert.equal(out.headers['clear-site-data'], '"cache", "storage"')
  assert.equal(out.headers['location'], paths.signIn)
  assert.equal((await copy.get(paths.list)).status, 303, 'the cookie is worth nothing now')

  const last = inbox.browser()
  await last.post(await inbox.linkFor(member))
  const link = await inbox.linkFor(second)
  assert.equal((await last.post(paths.endMember, { id: second.id })).status, 303)
  assert.equal((await samsBrowser.get(paths.list)).status, 303, 'an ended member is out')
  assert.equal((await inbox.browser().post(link)).status, 410, 'and has no way in')
})

test('of two members who end each other at once, one stays and is signed in [sign-in.members]', async (t) => {
  const inbox = await openInbox(t)
  const { member, browser } = await inbox.member(robin)
  const { member: second, browser: samsBrowser } = await inbox.member(sam)
  await Promise.all([
    browser.post(paths.endMember, { id: second.id }),
    samsBrowser.post(paths.endMember, { id: member.id }),
  ])
  const pages = [await browser.get(paths.list), await samsBrowser.get(paths.list)]
  assert.deepEqual(new Set(pages.map(({ status }) => status)), new Set([200, 303]))
  assert.equal((await inbox.access.listMembers()).length, 1)

  // Without the inbox in between, the two are closer still.
  const { access, clock } = inbox
  for (let round = 0; round < 20; round += 1) {
    const [one, other] = [`one-${round}`, `other-${round}`]
    for (const id of [one, other]) {
      await access.addMember({ id, name: id, email: `${id}@example.com`, madeAt: clock.now })
    }
    const ended = await Promise.all([
      access.endMember(one, other, clock.now),
      access.endMember(other, one, clock.now),
    ])
    assert.deepEqual(new Set(ended), new Set([false, true]))
  }
})

async function signInByCode(browser: TestBrowser, mail: MailSink, email: string) {
  const emails = mail.emails.length
  await browser.post(paths.signIn, { email })
  return browser.post(paths.signInCode, { code: await mailedCode(mail, emails + 1) })
}

test('a new member is notified by mail, gets the emails about requests in the same email as the owner, and can switch them off [member.emails]', async (t) => {
  const mail = await openMailSink(t)
  const inbox = await openInbox(t, mail)
  const { browser } = await inbox.member(robin)
  await browser.post(paths.members, { name: 'Sam', email: sam.email })
  await until(() => mail.emails.length === 1, 'the invitation has come')
  const invitation = await parseEmail(mail.emails[0]!)
  assert.match(invitation.subject!, /^Robin has added you to the inbox of /)
  assert.deepEqual(addressesOf(invitation), [sam.email])

  const told = async (name: string) => {
    await inbox.take({ name_1: name, email_1: `${name}@example.com` })
    await inbox.settle()
    return addressesOf(await parseEmail(mail.emails.at(-1)!))
  }
  const all = await told('One')
  assert.ok(all.includes(robin.email) && all.includes(sam.email))
  assert.equal(new Set(all).size, all.length, 'each address once')
  await browser.post(paths.emails, { emails: 'off' })
  const others = await told('Two')
  assert.ok(!others.includes(robin.email) && others.includes(sam.email))
  await browser.post(paths.emails, { emails: 'on' })
  assert.deepEqual(await told('Three'), all)
})

test('a member whose mail server refuses for now gets the email later, the others get it once, also after a restart [member.emails]', async (t) => {
  const mail = await openMailSink(t)
  const inbox = await openInbox(t, mail)
  for (const member of [robin, sam]) await inbox.member(member)
  mail.mood = { refuses: [sam.email] }
  await inbox.take({ name_1: 'Mai', email_1: 'mai@example.com' })
  await inbox.settle()
  const recipients = () => mail.emails.flatMap((email) => email.recipients)
  assert.ok(recipients().includes(robin.email) && !recipients().includes(sam.email))
  mail.mood = {}
  const { database } = inbox
  const now = inbox.clock.now + minute
  const later = await openTestDelivery(t, { database, env: byMail(mail), now })
  await later.settle()
  assert.equal(recipients().filter((address) => address === sam.email).length, 1)
  assert.equal(new Set(recipients()).size, recipients().length)
})

test('an email whose last recipient is no longer a member is done [member.emails]', async (t) => {
  const mail = await openMailSink(t)
  const inbox = await openInbox(t, mail)
  const [first, { member }] = [await inbox.member(robin), await inbox.member(sam)]
  mail.mood = { refuses: [sam.email] }
  await inbox.take({ name_1: 'Mai', email_1: 'mai@example.com' })
  await inbox.settle()
  await inbox.access.endMember(member.id, first.member.id, inbox.clock.now)
  mail.mood = {}
  const now = inbox.clock.now + minute
  const later = await openTestDelivery(t, { database: inbox.database, env: byMail(mail), now })
  await later.settle()
  assert.deepEqual(await inbox.store.deliveries.count(), [], 'nothing waits, and nothing is dead')
  assert.equal(mail.emails.length, 1)
})

function addressesOf(email: Awaited<ReturnType<typeof parseEmail>>): string[] {
  return (email.to ?? []).map(({ address }) => address!)
}
