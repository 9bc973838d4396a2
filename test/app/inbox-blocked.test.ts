import assert from 'node:assert/strict'
import test from 'node:test'
import type { State } from '../../src/contract/states.ts'
import { actPath, listPath, paths } from '../../src/doors/inbox/paths.ts'
import { byRetention } from '../../src/lead/retention.ts'
import { dayMs } from '../../src/time.ts'
import { openInbox, robin, type TestBrowser, type TestInbox } from '../support/inbox.ts'
import { eraseLead } from '../support/life.ts'
import { openMailSink } from '../support/smtp.ts'

const spammer = { name_1: 'SEO Team', email_1: 'seo@example.com', phone_1: '0491 570 006' }
const spamPath = listPath({ view: 'spam' })
let sent = 0

/** Each request says something else, so that none is a repeat. */
async function send({ store, take }: TestInbox, body: object) {
  sent += 1
  const id = await take({ textarea_1: `Number ${sent}`, ...body })
  const { state, judgement } = (await store.leads.find(id))!
  return { id, state, reasons: judgement.reasons }
}

function moveTo(browser: TestBrowser, id: string, to: State) {
  return browser.post(actPath(id, 'move'), { to })
}

async function openWithSpam(t: Parameters<typeof openInbox>[0]) {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const { id } = await send(inbox, spammer)
  await moveTo(browser, id, 'spam')
  return { inbox, browser, id }
}

const byEmail = { name_1: 'Somebody', email_1: 'SEO@example.com' }
const byNumber = { name_1: 'Somebody', email_1: 'x@example.com', phone_1: '+61 491 570 006' }
const blocked = { state: 'held', reasons: ['blocked'] }

async function judged(inbox: TestInbox, body: object) {
  const { state, reasons } = await send(inbox, body)
  return { state, reasons }
}

test('a sender who was marked as spam is held from then on, by email and by number [spam.blocked]', async (t) => {
  const mail = await openMailSink(t)
  const inbox = await openInbox(t, mail)
  const { browser } = await inbox.member(robin)
  const { id } = await send(inbox, spammer)
  await moveTo(browser, id, 'spam')
  await inbox.settle()
  mail.emails.length = 0
  assert.deepEqual(await judged(inbox, byEmail), blocked)
  assert.deepEqual(await judged(inbox, byNumber), blocked)
  await inbox.settle()
  assert.deepEqual(mail.emails, [])
  const { text } = await browser.get(listPath({ view: 'held' }))
  assert.match(text, /<p>You marked this sender as spam\.<\/p>/)
  const other = { name_1: 'Kim', email_1: 'kim@example.com', phone_1: '0491 570 156' }
  assert.deepEqual(await judged(inbox, other), { state: 'new', reasons: [] })
  await inbox.settle()
})

test('a blocked number is known in every spelling that a person can read [spam.blocked]', async (t) => {
  const { inbox } = await openWithSpam(t)
  const spellings = [
    '0491570006',
    '(04) 9157-0006',
    '0061 491 570 006',
    '０４９１ ５７０ ００６',
    '٠٤٩١ ٥٧٠ ٠٠٦',
    '۰۴۹۱ ۵۷۰ ۰۰۶',
    '०४९१ ५७० ००६',
    '0\u200b4\u200b9\u200b1\u200b570\u2060006',
    '\u202a0491 570 006\u202c',
    '0\u03324\u03329\u03321\u0332 570 006',
    '0491/570/006',
    '0491_570_006',
    '0491, 570, 006',
    '0491 570 156 or 0491 570 006',
    '(02) 5550 0100; ０４９１_570/006',
  ]
  const held = []
  for (const phone_1 of spellings) {
    const { state } = await send(inbox, { name_1: 'A', email_1: 'new@example.com', phone_1 })
    if (state === 'held') held.push(phone_1)
  }
  assert.deepEqual(held, spellings)
  // Dots and tags are part of an address: only its own provider knows whether they name somebody else.
  const others = [
    { email_1: 's.eo@example.com' },
    { email_1: 'seo+1@example.com' },
    { phone_1: '0491 570 0061' },
  ]
  for (const other of others) {
    const body = { name_1: 'B', email_1: 'other@example.com', ...other }
    assert.equal((await send(inbox, body)).state, 'new', JSON.stringify(other))
  }
})

test('Not spam, Release and Undo each unblock the sender', async (t) => {
  const { inbox, browser, id } = await openWithSpam(t)
  await moveTo(browser, id, 'new')
  assert.equal((await send(inbox, byEmail)).state, 'new')
  assert.equal((await send(inbox, byNumber)).state, 'new')

  await moveTo(browser, id, 'spam')
  await browser.post(actPath(id, 'undo'), {
    version: String((await inbox.store.leads.find(id))!.version),
  })
  assert.equal((await inbox.store.leads.find(id))!.state, 'new')
  assert.equal((await send(inbox, byEmail)).state, 'new')

  await moveTo(browser, id, 'spam')
  const held = await send(inbox, { ...spammer, name_1: 'The same' })
  assert.equal(held.state, 'held')
  await moveTo(browser, held.id, 'new')
  assert.equal((await send(inbox, byEmail)).state, 'new')
  assert.equal((await send(inbox, byNumber)).state, 'new')
})

test('a sender stays blocked after retention has erased the spam', async (t) => {
  const { inbox, browser, id } = await openWithSpam(t)
  inbox.clock.now += dayMs
  const spam = (await inbox.store.leads.find(id))!
  await eraseLead(inbox.store, spam, { by: byRetention, at: inbox.clock.now })
  assert.equal((await inbox.store.leads.find(id))!.state, 'erased')
  assert.deepEqual(await judged(inbox, byNumber), blocked)
  const page = (await browser.get(spamPath)).text
  assert.match(page, /Also blocked.*Erased request<small>marked as spam Mon, 16 Nov/s)
  await browser.post(paths.blocked, { allow: id })
  assert.equal((await send(inbox, byNumber)).state, 'new')
  await browser.post(paths.blocked)
  assert.deepEqual(await judged(inbox, byNumber), blocked, 'Undo blocks an erased sender again')
})

test('Allow again ends the block of this sender only, and its undo blocks it again', async (t) => {
  const { inbox, browser, id } = await openWithSpam(t)
  const other = await send(inbox, { name_1: 'Casino', email_1: 'win@example.com' })
  await moveTo(browser, other.id, 'spam')
  const old = await browser.get(paths.blocked)
  assert.deepEqual([old.status, old.headers['location']], [303, spamPath])
  assert.doesNotMatch((await browser.get(spamPath)).text, /Also blocked/)
  const allowed = await browser.post(paths.blocked, { allow: id })
  assert.deepEqual([allowed.status, allowed.headers['location']], [303, spamPath])
  const page = (await browser.get(spamPath)).text
  assert.match(page, /Allowed again: <bdi>SEO Team<\/bdi>\..*<button type="submit">Undo/s)
  assert.doesNotMatch(
    page,
    /Allow again/,
    'a row of Spam has Not spam, which allows its sender, too',
  )
  assert.equal((await send(inbox, byEmail)).state, 'new')
  assert.equal((await send(inbox, byNumber)).state, 'new')
  assert.equal((await send(inbox, { name_1: 'C', email_1: 'win@example.com' })).state, 'held')
  await browser.post(paths.blocked)
  assert.deepEqual(await judged(inbox, byEmail), blocked)
  assert.deepEqual(await judged(inbox, byNumber), blocked)
  const after = (await browser.get(spamPath)).text
  assert.doesNotMatch(after, /Undo/)
})

test('a request that is no spam after all ends its block, also where its details were corrected since', async (t) => {
  const { inbox, browser, id } = await openWithSpam(t)
  const corrected = { name: 'SEO Team', email: 'team@example.com', phone: '' }
  assert.equal((await browser.post(actPath(id, 'details'), corrected)).status, 303)
  await moveTo(browser, id, 'new')
  assert.equal((await send(inbox, byEmail)).state, 'new')
  assert.equal((await send(inbox, byNumber)).state, 'new')
})

test('after Allow again the bar says what of the sender is still held, and leads there', async (t) => {
  const { inbox, browser, id } = await openWithSpam(t)
  const first = await send(inbox, byEmail)
  await browser.post(paths.blocked, { allow: id })
  const { text } = await browser.get(spamPath)
  const one = `<a href="/inbox/lead/${first.id}?view=held">One request</a> is still held.`
  assert.ok(text.includes(`Allowed again: <bdi>SEO Team</bdi>. ${one}`))
})
