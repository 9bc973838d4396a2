import assert from 'node:assert/strict'
import test from 'node:test'
import { eraseLead } from '../support/life.ts'
import {
  longestDelayMs,
  nobody as noRecipients,
  retryDelaysMs,
} from '../../src/contract/notices.ts'
import type { Ending } from '../../src/store/deliveries/deliveries.ts'
import type { Delivery } from '../../src/store/deliveries/rows.ts'
import { Store } from '../../src/store/store.ts'
import { findDelivery, openTestDelivery } from '../support/delivery.ts'
import { newDatabase } from '../support/engines.ts'
import { robin, sam, newLead, nowMs } from '../support/leads.ts'
import { bothChannels, byWebhook, openWebhookSink, verified } from '../support/sink.ts'
import { until } from '../support/until.ts'
import { messageIdOf, openMailSink, parseEmail } from '../support/smtp.ts'

test('a leased delivery is leased again when its lease has ended, and not before', async (t) => {
  const store = new Store(newDatabase(t).open(), noRecipients)
  t.after(() => store.close())
  await store.leads.keep(newLead(1, { deliverTo: ['mail'] }))
  const leaseAt = async (now: number) => {
    const lease = { channel: 'mail', now, leaseUntil: nowMs + 60_000, limit: 9 }
    return (await store.deliveries.lease(lease)).map(({ attempts }) => attempts)
  }
  assert.deepEqual(await leaseAt(nowMs + 1_000), [1])
  assert.deepEqual(await leaseAt(nowMs + 59_999), [])
  assert.deepEqual(await leaseAt(nowMs + 60_000), [2])
})

test('a worker whose lease has ended ends no try of another worker, not even after a retry by hand', async (t) => {
  const store = new Store(newDatabase(t).open(), noRecipients)
  t.after(() => store.close())
  const { id } = newLead(1)
  await store.leads.keep(newLead(1, { deliverTo: ['mail'] }))
  let now = nowMs
  const lease = async () => {
    now += 60_000
    const wish = { channel: 'mail', now, leaseUntil: now + 60_000, limit: 1 }
    const [leased] = await store.deliveries.lease(wish)
    return leased!
  }
  const end = (leased: Delivery, ending: Ending) => {
    const note = { at: now, outcome: 'failed', answer: '', ms: 1 }
    return store.deliveries.finish(leased, { ending, at: now, note })
  }
  const outcome = async () => (await findDelivery(store, id, 'mail'))?.outcome

  const late = await lease()
  const second = await lease()
  await end(late, { kind: 'dead' })
  assert.equal(await outcome(), '', 'the second worker is still sending')
  await end(second, { kind: 'again', dueAt: now })

  const third = await lease()
  now += 60_000
  assert.equal(await store.deliveries.retry(now), 1)
  await end(third, { kind: 'dead' })
  assert.equal(await outcome(), '', 'the retry is still to come')
  // The retry counts from the beginning, so that these tries have the numbers of earlier ones.
  for (let number = 1; number < third.attempts; number += 1) {
    await end(await lease(), { kind: 'again', dueAt: now })
  }
  const last = await lease()
  assert.equal(last.attempts, third.attempts)
  await end(third, { kind: 'dead' })
  assert.equal(await outcome(), '', 'the last worker is still sending')
  await end(last, { kind: 'delivered' })
  assert.equal(await outcome(), 'delivered')
})

test('a lead that is erased while its notice is being sent leaves no record of the try', async (t) => {
  const database = newDatabase(t)
  const store = new Store(database.open(), noRecipients)
  t.after(() => store.close())
  await store.leads.keep(newLead(1, { deliverTo: ['mail'] }))
  const lease = { channel: 'mail', now: nowMs + 1_000, leaseUntil: nowMs + 60_000, limit: 1 }
  const [leased] = await store.deliveries.lease(lease)
  const lead = await store.leads.find(newLead(1).id)
  await eraseLead(store, lead!, { by: 'sender', at: nowMs + 2_000 })
  const at = nowMs + 3_000
  const note = { at, outcome: 'delivered', answer: '250', ms: 1 }
  await store.deliveries.finish(leased!, { ending: { kind: 'delivered' }, at, note })
  assert.deepEqual(await database.execute('select * from delivery_try'), [])
})

test('a lead is told by mail and by webhook as soon as it is committed [webhook.signed]', async (t) => {
  const [mail, hook] = [await openMailSink(t), await openWebhookSink(t)]
  const service = await openTestDelivery(t, {
    database: newDatabase(t),
    env: { ...bothChannels(mail, hook), MAIL_FROM: 'site@example.com' },
  })
  const id = await service.take(robin)
  await service.delivery.settled()

  const [email] = mail.emails
  assert.deepEqual(email!.recipients, ['owner@example.com'])
  assert.equal(messageIdOf(email!), `<${id}.mail@decks.example.com>`)
  const read = await parseEmail(email!)
  assert.equal(
    read.subject,
    'Robin Example, Lismore: A hardwood deck of about 4 by 6 metres, one step up from the lawn.',
  )
  assert.deepEqual(read.replyTo, [{ name: '', address: robin.email_1 }])
  assert.equal(read.from?.address, 'site@example.com')
  assert.match(read.text!, /> A hardwood deck of about 4 by 6 metres/)
  assert.match(read.html!, /href="tel:0491570006"/)
  assert.match(read.html!, /@media \(prefers-color-scheme: dark\)/)
  assert.match(read.html!, /href="mailto:robin@example\.com\?subject=/)

  const [told] = hook.received
  const { type, data, ...rest } = verified(told!)
  assert.equal(type, 'lead.received')
  assert.equal(rest.id, id)
  assert.equal(told!.headers['webhook-id'], id)
  const { lead } = data as { lead: Record<string, unknown> }
  assert.equal(lead['name_1'], robin.name_1)
  assert.equal(lead['reference'], (await service.store.leads.find(id))!.reference)
  assert.equal(mail.emails.length, 1)
  assert.equal(hook.received.length, 1)
})

test('the schedule is exact, and after the last try comes a dead delivery [deliver.retry]', async (t) => {
  const hook = await openWebhookSink(t)
  const service = await openTestDelivery(t, { database: newDatabase(t), env: byWebhook(hook) })
  hook.mood = { status: 500 }
  const start = service.clock.now
  const id = await service.take(robin)
  await service.delivery.settled()
  for (const delay of retryDelaysMs) {
    await service.pass(delay - 1)
    await service.pass(1)
  }
  const tries = await service.triesBy('webhook', id)
  const seconds = tries.map(({ at }) => (at - start) / 1000)
  const expected = [0, ...retryDelaysMs].map(
    (_, n) => retryDelaysMs.slice(0, n).reduce((a, b) => a + b, 0) / 1000,
  )
  assert.deepEqual(seconds, expected)
  assert.equal(Math.floor(expected.at(-1)! / 3600), 72)
  assert.equal((await findDelivery(service.store, id, 'webhook'))?.outcome, 'dead')
  await service.pass(30 * 24 * 3600 * 1000)
  assert.equal(hook.asked, retryDelaysMs.length + 1)
})

test('a delivery whose tries ended with the process each time is given up without another try [deliver.dead]', async (t) => {
  const [hook, database] = [await openWebhookSink(t), newDatabase(t)]
  const service = await openTestDelivery(t, { database, env: byWebhook(hook) })
  hook.mood = { status: 500 }
  const id = await service.take(robin)
  await service.delivery.settled()
  await database.execute(`update delivery set attempts = ${retryDelaysMs.length + 1}`)
  await service.pass(retryDelaysMs[0]!)
  const dead = await findDelivery(service.store, id, 'webhook')
  assert.deepEqual([dead?.outcome, dead?.problem, hook.asked], ['dead', 'refused never ended', 1])
})

test('Retry-After is honoured, in seconds and as a date, for a day at most', async (t) => {
  const hook = await openWebhookSink(t)
  const service = await openTestDelivery(t, { database: newDatabase(t), env: byWebhook(hook) })
  hook.mood = { status: 503, headers: { 'retry-after': '120' } }
  const id = await service.take(robin)
  await service.delivery.settled()
  const due = async () =>
    (await findDelivery(service.store, id, 'webhook'))!.dueAt - service.clock.now
  assert.equal(await due(), 120_000)
  const date = new Date(service.clock.now + 120_000 + 3_600_000).toUTCString()
  hook.mood = { status: 429, headers: { 'retry-after': date } }
  await service.pass(120_000)
  assert.equal(await due(), 3_600_000)
  hook.mood = { status: 503, headers: { 'retry-after': '99999999' } }
  await service.pass(3_600_000)
  assert.equal(await due(), longestDelayMs)
})

test('after a timeout the next try waits five minutes, since the first may have arrived', async (t) => {
  const [mail, hook] = [await openMailSink(t), await openWebhookSink(t)]
  const env = bothChannels(mail, hook)
  const service = await openTestDelivery(t, { database: newDatabase(t), env, timeoutMs: 300 })
  mail.mood = { onData: 'late' }
  hook.mood = { how: 'late' }
  const id = await service.take(robin)
  await service.delivery.settled()
  const outcomes = async () => {
    const tries = await service.store.deliveries.triesOfLead(id)
    return tries.map((each) => each.outcome)
  }
  assert.deepEqual(await outcomes(), ['timed-out', 'timed-out'])
  await service.pass(5 * 60_000 - 1)
  assert.equal((await outcomes()).length, 2)
  await service.pass(1)
  assert.equal((await outcomes()).length, 4)
})

test('410 and a permanent refusal of the mail server are final, and every other channel is told [deliver.dead]', async (t) => {
  const [mail, hook] = [await openMailSink(t), await openWebhookSink(t)]
  const service = await openTestDelivery(t, {
    database: newDatabase(t),
    env: bothChannels(mail, hook),
  })
  hook.mood = { status: 410 }
  const gone = await service.take(robin)
  await service.delivery.settled()
  assert.equal((await findDelivery(service.store, gone, 'webhook'))?.outcome, 'dead')
  hook.mood = {}
  mail.mood = { onRecipient: 550 }
  const refused = await service.take(sam)
  await service.delivery.settled()
  const dead = await findDelivery(service.store, refused, 'mail')
  assert.deepEqual([dead?.outcome, dead?.problem], ['dead', 'refused RCPT TO: 550'])
  assert.equal(service.lines.filter((line) => line.includes('"delivery.dead"')).length, 2)

  mail.mood = {}
  await service.pass(11 * 60_000)
  const email = await parseEmail(mail.emails.at(-1)!)
  assert.equal(email.subject, 'Not delivered: 1 notice through webhook')
  assert.match(email.text!, /Robin Example/)
  assert.match(email.text!, /lead-intake (?:-- )?deliveries retry"/, 'as the command is typed')
  const told = hook.received.map(verified).find(({ type }) => type === 'delivery.dead')
  const { channel } = told!.data as { channel: string }
  assert.equal(channel, 'mail')

  assert.equal(await service.store.deliveries.retry(service.clock.now), 2)
  await service.settle()
  assert.equal((await findDelivery(service.store, gone, 'webhook'))?.outcome, 'delivered')
  assert.equal((await findDelivery(service.store, refused, 'mail'))?.outcome, 'delivered')
})

test('a hanging channel delays nobody, and is given back at a stop', async (t) => {
  const [mail, hook] = [await openMailSink(t), await openWebhookSink(t)]
  const env = bothChannels(mail, hook)
  const service = await openTestDelivery(t, { database: newDatabase(t), env })
  mail.mood = { onConnect: 'hang' }
  const id = await service.take(robin)
  await until(() => hook.received.length === 1, 'the webhook was called')
  await until(() => mail.connections === 1, 'the mail server hangs')
  await service.delivery.stop(50)
  const waiting = await findDelivery(service.store, id, 'mail')
  assert.deepEqual(
    [waiting?.attempts, waiting?.outcome, waiting!.dueAt <= service.clock.now],
    [0, '', true],
  )
  mail.mood = {}
  const { database, clock } = service
  const next = await openTestDelivery(t, { env, database, now: clock.now })
  await next.settle()
  assert.deepEqual(mail.emails.map(messageIdOf), [`<${id}.mail@decks.example.com>`])
})
