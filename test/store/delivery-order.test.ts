import assert from 'node:assert/strict'
import test from 'node:test'
import { moveLead } from '../support/life.ts'
import { openTestDelivery, type TestDelivery } from '../support/delivery.ts'
import { newDatabase } from '../support/engines.ts'
import { bot, robin } from '../support/leads.ts'
import { bothChannels, byWebhook, openWebhookSink, verified } from '../support/sink.ts'
import { openMailSink, parseEmail } from '../support/smtp.ts'

test('emails and events that waited together about one lead come in order [deliver.order]', async (t) => {
  const { service, mail, hook } = await openWithBoth(t)
  mail.mood = { onConnect: 'drop' }
  hook.mood = { status: 500 }
  const ids = []
  // More than leave at once.
  const people = 6
  for (let n = 0; n < people; n += 1) {
    ids.push(await service.take({ name_1: `Person ${n}`, email_1: 'sam@example.com' }))
    await service.settle()
    await service.withdraw(ids[n]!)
    await service.settle()
  }
  assert.deepEqual([mail.emails.length, hook.received.length], [0, 0])
  mail.mood = hook.mood = {}
  // Each waits for its own time.
  await service.pass(10 * 60_000)

  const emails = await Promise.all(mail.emails.map(parseEmail))
  const events = hook.received.map(verified)
  assert.deepEqual([emails.length, events.length], [people, 2 * people])
  for (const [n, id] of ids.entries()) {
    const subjects = emails.map(({ subject = '' }) => subject)
    assert.deepEqual(
      subjects.filter((subject) => subject.endsWith(`Person ${n}`)),
      [`Request withdrawn: Person ${n}`],
      'nobody is to ring a person who withdrew',
    )
    const told = events.filter(({ data }) => leadIn(data).id === id)
    assert.deepEqual(
      told.map(({ type }) => type),
      ['lead.received', 'lead.withdrawn'],
    )
  }
})

test('what comes later waits while the earlier is on its way, at whichever node, and not once it is given up', async (t) => {
  const hook = await openWebhookSink(t)
  const database = newDatabase(t)
  const service = await openTestDelivery(t, { database, env: byWebhook(hook) })
  await service.delivery.stop()
  const id = await service.take(robin)
  const other = await service.take({ ...robin, email_1: 'other@example.com' })
  await move(service, id, 'contacted')
  const { store, clock } = service
  const lease = () => {
    const { now } = clock
    return store.deliveries.lease({ channel: 'webhook', now, leaseUntil: now + 60_000, limit: 9 })
  }
  const [first, second, ...more] = await lease()
  assert.deepEqual([first?.leadId, second?.leadId, more.length], [id, other, 0])
  assert.deepEqual(await lease(), [], 'the first is leased')
  assert.equal(await store.deliveries.nextDue('webhook', clock.now), undefined)
  const dueAt = clock.now + 5_000
  const again = { kind: 'again', dueAt } as const
  await store.deliveries.finish(first!, { ending: again, at: clock.now })
  assert.deepEqual(await lease(), [], 'the first is tried again later')
  assert.equal(await store.deliveries.nextDue('webhook', clock.now), dueAt)
  clock.now += 5_000
  const [retried] = await lease()
  assert.equal(retried?.id, first?.id)
  await store.deliveries.finish(retried!, { ending: { kind: 'dead' }, at: clock.now })
  assert.deepEqual(
    (await lease()).map(({ kind, leadId }) => [kind, leadId]),
    [['lead.state_changed', id]],
  )
})

function leadIn(data: unknown): { id: string } {
  return (data as { lead: { id: string } }).lead
}

async function move({ store, clock }: TestDelivery, id: string, to: 'new' | 'contacted') {
  const lead = await store.leads.find(id)
  await moveLead(store, lead!, { to, by: 'owner', at: clock.now })
}

test('a lead that nobody was told of is withdrawn without a word', async (t) => {
  const { service, mail, hook } = await openWithBoth(t)
  const held = await service.take(bot)
  const spam = await service.take({ ...bot, email_1: 'other@example.com' })
  const lead = await service.store.leads.find(spam)
  await moveLead(service.store, lead!, { to: 'spam', by: 'owner', at: service.clock.now })
  for (const id of [held, spam]) {
    await service.withdraw(id)
    assert.equal((await service.store.leads.find(id))?.state, 'withdrawn')
  }
  await service.settle()
  // The owner's own move is told to programs, the withdrawals to nobody.
  const types = hook.received.map((each) => verified(each).type)
  assert.deepEqual([mail.emails.length, types], [0, ['lead.state_changed']])
})

test('a lead that was released is withdrawn with a word, and so is one that was never spam', async (t) => {
  const { service, mail, hook } = await openWithBoth(t)
  const id = await service.take(bot)
  const lead = await service.store.leads.find(id)
  await moveLead(service.store, lead!, { to: 'new', by: 'owner', at: service.clock.now })
  await service.settle()
  await service.withdraw(id)
  await service.settle()
  const other = await service.take(robin)
  await service.settle()
  await service.withdraw(other)
  await service.settle()
  const types = hook.received.map((each) => verified(each).type)
  const told = ['lead.released', 'lead.withdrawn', 'lead.received', 'lead.withdrawn']
  assert.deepEqual(types, told)
  assert.equal(mail.emails.length, 4)
})

test('the email about a withdrawal names the request and repeats nothing of it', async (t) => {
  const { service, mail } = await openWithBoth(t)
  const id = await service.take({ ...robin, preferred_days: 'Friday' })
  await service.settle()
  await service.withdraw(id)
  await service.settle()
  const { subject, text, html, replyTo } = await parseEmail(mail.emails[1]!)
  assert.equal(subject, 'Request withdrawn: Robin Example, Lismore')
  const { reference } = (await service.store.leads.find(id))!
  assert.ok(text!.includes(reference) && html!.includes(reference))
  assert.doesNotMatch(`${text}${html}`, /hardwood|Friday|0491|robin@|\/inbox\//)
  assert.equal(replyTo, undefined)
})

async function openWithBoth(t: Parameters<typeof openMailSink>[0]) {
  const [mail, hook] = [await openMailSink(t), await openWebhookSink(t)]
  const env = bothChannels(mail, hook)
  const service: TestDelivery = await openTestDelivery(t, { database: newDatabase(t), env })
  return { service, mail, hook }
}
