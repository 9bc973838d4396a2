import assert from 'node:assert/strict'
import test from 'node:test'
import { openTestDelivery, type TestDelivery } from '../support/delivery.ts'
import { newDatabase } from '../support/engines.ts'
import {
  bothChannels,
  byMail,
  byWebhook,
  openWebhookSink,
  verified,
  type WebhookMood,
} from '../support/sink.ts'
import { messageIdOf, openMailSink, type Mood } from '../support/smtp.ts'

const rounds = Number(process.env['STORY_DELIVERY_ROUNDS'] ?? 1)
/** In a trial two beside each other. */
const leadsPerMood = rounds > 1 ? 2 : 1
const hour = 60 * 60_000

/** `late` takes it and never says so: what the sender sees of an answer after its timeout. */
const mailMoods: Mood[] = [
  { onConnect: 'drop' },
  { onConnect: 'hang' },
  { onMail: 421 },
  { onMail: 451 },
  { onRecipient: 450 },
  { onRecipient: 550 },
  { onData: 451 },
  { onData: 554 },
  { onData: 'drop' },
  { onData: 'hang' },
  { onData: 'late' },
]
const hookMoods: WebhookMood[] = [
  { how: 'drop' },
  { how: 'hang' },
  { how: 'late' },
  { status: 400 },
  { status: 401 },
  { status: 404 },
  { status: 410 },
  { status: 429, headers: { 'retry-after': '7' } },
  { status: 500 },
  { status: 503 },
  { status: 302, headers: { location: 'http://127.0.0.1:9/' } },
]

test('every lead is told at least once, by every channel, under one id [deliver.all]', async (t) => {
  const [mail, hook] = [await openMailSink(t), await openWebhookSink(t)]
  const database = newDatabase(t)
  const env = bothChannels(mail, hook)
  const failing = await openTestDelivery(t, { database, env, timeoutMs: 400 })
  const ids: string[] = []
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, mood] of mailMoods.entries()) {
      mail.mood = mood
      hook.mood = hookMoods[index]!
      for (let n = 0; n < leadsPerMood; n += 1) {
        const name = `Lead ${round}-${index}-${n}`
        ids.push(await failing.take({ name_1: name, email_1: 'robin@example.com' }))
      }
      await failing.pass(60_000)
      // A stop in the middle of all this, as a restart is.
      if (index === 5) await restartBeside(t, failing)
    }
  }
  await failing.delivery.stop()
  mail.mood = {}
  hook.mood = {}
  // From here on with the timeouts of the channels, which no healthy send exceeds.
  const service = await openTestDelivery(t, { database, env, now: failing.clock.now })
  for (let n = 0; n < 24; n += 1) await service.pass(4 * hour)
  await service.store.deliveries.retry(service.clock.now)
  await service.pass(hour)

  const told = {
    mail: mail.emails.map(messageIdOf),
    webhook: hook.received.map((each) => verified(each).id),
  }
  const lost = {
    mail: ids.filter((id) => !told.mail.includes(`<${id}.mail@decks.example.com>`)).length,
    webhook: ids.filter((id) => !told.webhook.includes(id)).length,
  }
  const left = await service.store.deliveries.list({ outcome: 'waiting', limit: 1_000 })
  const mailsTwice = told.mail.length - new Set(told.mail).size
  const webhooksTwice = told.webhook.length - new Set(told.webhook).size
  const counts = { leads: ids.length, mailsTwice, webhooksTwice }
  t.diagnostic(JSON.stringify({ story: 'failing channels', ...counts }))
  assert.deepEqual(lost, { mail: 0, webhook: 0 })
  assert.deepEqual(
    left.filter(({ kind }) => kind === 'lead.received'),
    [],
  )
  const others = told.mail.filter((id) => /^<[0-9a-f-]{36}\.mail@/.test(id))
  assert.equal(new Set(others).size, ids.length, 'a repeat has the id of the first')
})

/** A second worker on the same database shares the work and is stopped in the middle of it. */
async function restartBeside(
  t: Parameters<typeof openTestDelivery>[0],
  first: TestDelivery,
): Promise<void> {
  const second = await openTestDelivery(t, {
    env: first.env,
    database: first.database,
    now: first.clock.now,
    timeoutMs: 400,
  })
  second.delivery.wake()
  first.delivery.wake()
  await second.delivery.stop(5)
  await first.delivery.settled()
}

test('another worker sends what a vanished worker held, once its lease has expired [deliver.all]', async (t) => {
  const mail = await openMailSink(t)
  const env = byMail(mail)
  const service = await openTestDelivery(t, { database: newDatabase(t), env })
  await service.delivery.stop()
  const id = await service.take({ name_1: 'Robin', email_1: 'robin@example.com' })
  const { now } = service.clock
  const lease = { channel: 'mail', now, leaseUntil: now + 60_000, limit: 5 }
  assert.equal((await service.store.deliveries.lease(lease)).length, 1)
  assert.equal((await service.store.deliveries.lease(lease)).length, 0)

  const beside = { env, database: service.database }
  const other = await openTestDelivery(t, { ...beside, now: now + 59_999 })
  await other.settle()
  assert.equal(mail.emails.length, 0)
  await other.pass(1)
  assert.deepEqual(mail.emails.map(messageIdOf), [`<${id}.mail@decks.example.com>`])
})

test('two workers on one database send nothing twice [deliver.once]', async (t) => {
  const hook = await openWebhookSink(t)
  const env = byWebhook(hook)
  const one = await openTestDelivery(t, { database: newDatabase(t), env })
  const other = await openTestDelivery(t, { env, database: one.database, now: one.clock.now })
  const taking = Array.from({ length: 60 }, (_, n) =>
    (n % 2 ? one : other).take({ name_1: `Lead ${n}`, email_1: `lead-${n}@example.com` }),
  )
  const ids = await Promise.all(taking)
  await Promise.all([one.settle(), other.settle()])
  const told = hook.received.map((each) => verified(each).id)
  assert.deepEqual(told.toSorted(), ids.toSorted())
})
