import assert from 'node:assert/strict'
import test from 'node:test'
import { actPath, leadPath, paths } from '../../src/doors/inbox/paths.ts'
import { hourMs, minuteMs, secondMs } from '../../src/time.ts'
import { actOn } from '../../src/lead/act.ts'
import { askForAnotherTime } from '../../src/lead/life.ts'
import { moveLead } from '../support/life.ts'
import { bot, robin as lismore } from '../support/leads.ts'
import { findDelivery } from '../support/delivery.ts'
import { baseUrl, mailedCode, openInbox, robin, sam, type TestBrowser } from '../support/inbox.ts'
import { newPhone, openPushService, verifySender, type Phone } from '../support/push-service.ts'
import type { Cleaner } from '../support/service.ts'
import { openMailSink, parseEmail, type MailSink } from '../support/smtp.ts'

const byron = { name_1: 'Mai Example', email_1: 'mai@example.com', text_1: '2481' }

async function openPhones(t: Cleaner, mail?: MailSink) {
  const service = await openPushService(t)
  const inbox = await openInbox(t, mail, { pushServices: [service.origin] })
  const { browser } = await inbox.member(robin)
  const { member: second, browser: samsBrowser } = await inbox.member(sam)
  const [phone, samsPhone] = [newPhone(service, 'robins'), newPhone(service, 'sams')]
  await add(browser, phone)
  await add(samsBrowser, samsPhone)
  return { service, inbox, browser, phone, second, samsBrowser, samsPhone }
}

/** Presses "Turn on notifications". */
async function add(browser: TestBrowser, phone: Phone): Promise<void> {
  const added = await browser.send(paths.devices, phone.subscription)
  assert.deepEqual([added.status, added.json], [200, { to: paths.devices }])
}

async function idsFor(browser: TestBrowser): Promise<string[]> {
  const { text } = await browser.get(paths.devices)
  const path = paths.removeDevice.replaceAll('/', '\\/')
  const rows = text.matchAll(new RegExp(`action="${path}">\\s*<input[^>]* value="([^"]+)"`, 'g'))
  return [...rows].map(([, id]) => id!)
}

function notice(title: string, more: object, count: number) {
  const notification = { title, ...more, app_badge: String(count) }
  return { web_push: 8030, notification, app_badge: count }
}

test('a new request is on the phone of every member, with its place and no name [push.notified, push.known]', async (t) => {
  const { service, inbox, browser, phone, samsPhone } = await openPhones(t)
  const id = await inbox.take(byron)
  await inbox.settle()
  const { reference } = (await inbox.store.leads.find(id))!
  const navigate = `${baseUrl}${leadPath(id)}`
  const told = notice('New request, Byron Bay', { tag: reference, navigate }, 1)
  assert.deepEqual(phone.messages(), [told])
  assert.deepEqual(samsPhone.messages(), [told])
  const [first] = service.received
  const { ttl, urgency, topic, 'content-encoding': encoding } = first!.headers
  assert.deepEqual([ttl, urgency, topic, encoding], ['86400', 'high', reference, 'aes128gcm'])
  const { claims, key } = verifySender(first!)
  assert.equal(claims['aud'], service.origin)
  assert.match(String(claims['sub']), /^mailto:.+@.+/)
  const lastsS = Number(claims['exp']) - Date.now() / secondMs
  assert.ok(lastsS > 0 && lastsS < 24 * 60 * 60)
  const page = await browser.get(paths.devices)
  assert.ok(page.text.includes(`data-push="${key}"`), 'browsers subscribe with the same key')
  assert.match(page.text, /iPhone<small>Added /)
  assert.match((await browser.get(leadPath(id))).text, /Notification on your phones about the/)
  const log = inbox.lines.join('\n')
  assert.match(log, /"inbox":"device added"/)
  assert.ok(!log.includes(service.origin) && !log.includes(phone.subscription.keys.auth))
})

test('a held request is told of when it is released, and no move is [push.notified]', async (t) => {
  const { inbox, browser, phone } = await openPhones(t)
  const id = await inbox.take({ ...bot, text_1: '9999' })
  await inbox.settle()
  assert.deepEqual(phone.messages(), [])
  const move = async (to: string) => {
    const { version } = (await inbox.store.leads.find(id))!
    const moved = await browser.post(actPath(id, 'move'), { to, version: String(version) })
    assert.equal(moved.status, 303)
    await inbox.settle()
  }
  await move('new')
  const { reference } = (await inbox.store.leads.find(id))!
  const told = { tag: reference, navigate: `${baseUrl}${leadPath(id)}` }
  assert.deepEqual(phone.messages(), [notice('New request', told, 1)])
  await move('contacted')
  assert.equal(phone.messages().length, 1)
})

test('a customer who asks for another time is on the phone, with the place and the day [push.notified]', async (t) => {
  const { inbox, phone } = await openPhones(t)
  const id = await inbox.take(byron)
  const lead = (await inbox.store.leads.find(id))!
  const next = { at: Date.parse('2026-11-19T04:00:00Z'), what: 'visit' } as const
  const at = inbox.clock.now
  await moveLead(inbox.store, lead, { to: 'consultation_booked', by: 'a', at, next, shown: true })
  await inbox.settle()
  const told = phone.messages().length
  await actOn(inbox.store, id, askForAnotherTime('Friday?', { at }))
  await inbox.settle()
  const tap = { tag: lead.reference, navigate: `${baseUrl}${leadPath(id)}` }
  const words = { body: 'For the visit on Thu 19 Nov, 3 pm', ...tap }
  assert.deepEqual(phone.messages().slice(told), [
    notice('Another time, please: Byron Bay', words, 0),
  ])
})

test('a phone whose push service fails is told later; the others are told once [push.once]', async (t) => {
  const { service, inbox, phone, samsPhone } = await openPhones(t)
  service.status.set(phone.path, 503)
  const id = await inbox.take(byron)
  await inbox.settle()
  // A redirect is not followed.
  service.status.set(phone.path, 307)
  await inbox.pass(minuteMs)
  assert.deepEqual([phone.messages().length, samsPhone.messages().length], [0, 1])
  service.status.clear()
  await inbox.pass(hourMs)
  await inbox.pass(hourMs)
  assert.deepEqual([phone.messages().length, samsPhone.messages().length], [1, 1])
  const [delivery] = await inbox.store.deliveries.ofLead(id)
  assert.equal(delivery!.outcome, 'delivered')
  const answers = (await inbox.store.deliveries.triesOfLead(id)).map(({ answer }) => answer)
  assert.deepEqual(
    answers.map((answer) => answer.match(/:\d+/g)!.toSorted()),
    [[':201', ':503'], [':307'], [':201']],
  )
})

test('a push that is given up is notified by mail, and an email that is given up by push [push.notified, deliver.dead]', async (t) => {
  const mail = await openMailSink(t)
  const { service, inbox, phone } = await openPhones(t, mail)
  mail.mood = { onRecipient: 550 }
  await inbox.take(byron)
  await inbox.settle()
  await inbox.pass(10 * minuteMs)
  const alarm = { body: '1 notice could not be sent through mail.', tag: 'alarm' }
  const told = notice('The inbox needs you', { ...alarm, navigate: `${baseUrl}${paths.list}` }, 1)
  assert.deepEqual(phone.messages().slice(1), [told])

  mail.mood = {}
  service.status.set(phone.path, 500)
  const id = await inbox.take(lismore)
  for (let hours = 0; hours < 4 * 24; hours += 1) await inbox.pass(hourMs)
  const { outcome } = (await findDelivery(inbox.store, id, 'push'))!
  assert.equal(outcome, 'dead')
  const emails = await Promise.all(mail.emails.map(parseEmail))
  const alarms = emails.filter(({ subject }) => subject!.startsWith('Not delivered'))
  assert.deepEqual(
    alarms.map(({ subject }) => subject),
    ['Not delivered: 1 notice through push'],
  )
})

test('a phone that its push service knows no more is removed at once [push.ends]', async (t) => {
  const { service, inbox, browser, phone, samsBrowser, samsPhone } = await openPhones(t)
  service.status.set(phone.path, 410)
  const id = await inbox.take(byron)
  await inbox.settle()
  assert.deepEqual(await idsFor(browser), [])
  assert.equal((await idsFor(samsBrowser)).length, 1)
  assert.equal((await inbox.store.deliveries.ofLead(id))[0]!.outcome, 'delivered')
  // Without any device there is nothing to tell.
  service.status.set(samsPhone.path, 404)
  const last = await inbox.take(lismore)
  await inbox.settle()
  assert.equal((await inbox.store.deliveries.ofLead(last))[0]!.outcome, 'dropped')
  assert.deepEqual(await inbox.access.listDevices(), [])
})

test('a phone is told nothing once its session is ended, and stays when its member signs in again [push.ends]', async (t) => {
  const mail = await openMailSink(t)
  const { service, inbox, browser, phone, second } = await openPhones(t, mail)
  const names = async () =>
    (await inbox.access.listDevices()).map(({ endpoint }) => endpoint.replace(/.*\//, '')).sort()
  const signIn = async (own: TestBrowser, { email }: { email: string }) => {
    const emails = mail.emails.length
    await own.post(paths.signIn, { email })
    const code = await mailedCode(mail, emails + 1)
    assert.equal((await own.post(paths.signInCode, { code })).status, 303)
  }
  await signIn(browser, robin)
  assert.deepEqual(await names(), ['robins', 'sams'], 'signed in again')
  await add(browser, newPhone(service, 'robins-newer'))
  assert.deepEqual(await names(), ['robins-newer', 'sams'], 'a browser has one subscription')

  const laptop = inbox.browser()
  await signIn(laptop, robin)
  await add(laptop, newPhone(service, 'laptop'))
  await browser.post(paths.signOutOthers)
  assert.deepEqual(await names(), ['robins-newer', 'sams'], 'signed out from elsewhere')
  await signIn(laptop, robin)
  await browser.post(paths.signOut)
  assert.deepEqual(await names(), ['sams'], 'signed out')
  assert.equal((await laptop.post(paths.endMember, { id: second.id })).status, 303)
  assert.deepEqual(await names(), [], 'its membership has ended')

  await add(laptop, phone)
  await laptop.post(paths.members, sam)
  await signIn(laptop, sam)
  assert.deepEqual(await names(), [], 'another member has signed in there')
})

test('a member tests and removes his own phones, nobody else [push.own]', async (t) => {
  const { service, browser, phone, samsBrowser } = await openPhones(t)
  const [id = ''] = await idsFor(browser)
  assert.ok(!(await idsFor(samsBrowser)).includes(id))
  assert.equal((await samsBrowser.post(paths.testDevice, { id })).status, 404)
  await samsBrowser.post(paths.removeDevice, { id })
  assert.deepEqual(phone.messages(), [])
  assert.deepEqual(await idsFor(browser), [id])

  const tested = await browser.post(paths.testDevice, { id })
  assert.match(tested.text, /The test is on its way/)
  const told = { tag: 'test', navigate: `${baseUrl}${paths.list}` }
  assert.deepEqual(phone.messages(), [notice('New requests look like this', told, 0)])
  service.status.set(phone.path, 500)
  const failed = await browser.post(paths.testDevice, { id })
  assert.deepEqual([failed.status, /refused the test \(500\)/.test(failed.text)], [502, true])
  assert.match((await browser.get(paths.settings)).text, /Notifications.*On 1 device</s)
  assert.equal((await browser.post(paths.removeDevice, { id })).headers['location'], paths.devices)
  assert.deepEqual(await idsFor(browser), [])
})

test('a device that cannot be told keeps no other from being told, and is removed [push.once]', async (t) => {
  const { service, inbox, browser, phone, samsPhone } = await openPhones(t)
  const [own] = await inbox.access.listDevices()
  // An earlier version took such devices.
  const broken = [
    { ...own!, id: 'point', sessionId: 'a', p256dh: 'AA' },
    { ...own!, id: 'blob', sessionId: 'b', endpoint: `blob:${service.origin}/x` },
    { ...own!, id: 'capitals', sessionId: 'c', endpoint: `HTTPS${own!.endpoint.slice(5)}-2` },
  ]
  for (const device of broken) await inbox.access.saveDevice(device)
  const id = await inbox.take(byron)
  await inbox.settle()
  await inbox.pass(hourMs)
  assert.deepEqual([phone.messages().length, samsPhone.messages().length], [1, 1])
  assert.equal((await inbox.store.deliveries.ofLead(id))[0]!.outcome, 'delivered')
  const left = (await inbox.access.listDevices()).map((device) => device.id)
  assert.ok(!left.includes('point') && !left.includes('blob'), left.join(' '))
  assert.equal(service.received.length, 3, 'capitals in an address mean nothing')

  await inbox.access.saveDevice(broken[0]!)
  assert.equal((await browser.post(paths.testDevice, { id: 'point' })).status, 404)
})

test('what is no subscription at a known push service is refused [push.known]', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const id = await inbox.take(byron)
  assert.deepEqual(await inbox.store.deliveries.ofLead(id), [], 'without a device nothing waits')
  const { keys } = newPhone({ origin: '', received: [], status: new Map() }, 'x').subscription
  const known = 'https://web.push.apple.com/Q'
  for (const value of [
    ...[
      'https://evil.example.com/x',
      'http://web.push.apple.com/x',
      'https://web.push.apple.com.evil.example.com/x',
      'https://evilpush.apple.com/x',
      'https://evil.example.com/.push.apple.com',
      'https://fcm.googleapis.com:8443/x',
      'https://evil@fcm.googleapis.com/x',
      'blob:https://fcm.googleapis.com/x',
      `https://fcm.googleapis.com/${'x'.repeat(1_000)}`,
      7,
    ].map((endpoint) => ({ endpoint, keys })),
    { endpoint: known },
    { endpoint: known, keys: { ...keys, auth: 'AAAA' } },
    // The point at infinity.
    { endpoint: known, keys: { ...keys, p256dh: 'AA' } },
    { endpoint: known, keys: { ...keys, p256dh: Buffer.alloc(65, 4).toString('base64url') } },
    null,
  ]) {
    const { status, json } = await browser.send(paths.devices, value)
    assert.deepEqual([status, Object.keys(json)], [400, ['say']], JSON.stringify(value))
  }
  for (const endpoint of [
    known,
    'https://fcm.googleapis.com/wp/x',
    'https://a.b.notify.windows.com/w/?t=x',
    'HTTPS://FCM.googleapis.com/wp/y',
  ]) {
    assert.equal((await browser.send(paths.devices, { endpoint, keys })).status, 200, endpoint)
  }
  const [device] = await inbox.access.listDevices()
  assert.equal(device!.endpoint, 'https://fcm.googleapis.com/wp/y')
})
