import assert from 'node:assert/strict'
import test from 'node:test'
import { dayMs } from '../../src/time.ts'
import { openTestApp } from '../support/app.ts'
import { openTestDelivery } from '../support/delivery.ts'
import { newDatabase } from '../support/engines.ts'
import { leadIntake, placeOf } from '../support/operator.ts'
import { robin, addDeliveries } from '../support/leads.ts'
import { bothChannels, byMail, openWebhookSink, verified } from '../support/sink.ts'
import { openMailSink, parseEmail } from '../support/smtp.ts'

test('the operator finds a dead email, sees why, and sends it again', async (t) => {
  const mail = await openMailSink(t)
  const env = byMail(mail)
  const service = await openTestDelivery(t, { database: newDatabase(t), env })
  const place = await placeOf(t, service)
  const run = (...args: string[]) => leadIntake(place, args, env)
  mail.mood = { onRecipient: 550 }
  const { reference } = (await service.store.leads.find(await service.take(robin)))!
  await service.settle()
  assert.match(service.lines.join('\n'), /delivery\.dead/)
  assert.doesNotMatch(service.lines.join('\n'), /robin@|Robin|owner@/)

  const list = await run('deliveries', 'list', '--dead', '--json')
  const [dead] = JSON.parse(list.out) as { id: string; channel: string; problem: string }[]
  assert.deepEqual([dead!.channel, dead!.problem], ['mail', 'refused RCPT TO: 550'])
  const own = await run('deliveries', 'list', reference)
  assert.match(own.out, /lead\.received +dead +1 +\S+ +refused RCPT TO: 550\n/)
  const doctor = await run('doctor')
  assert.equal(doctor.code, 1)
  assert.match(doctor.out, /failed +deliveries, mail +1 could not be delivered/)
  const failing = await run('test-notification')
  assert.equal(failing.code, 1)
  assert.equal(failing.error, '1 of 1 channel failed.\n')
  assert.match(failing.out, /mail +refused +RCPT TO: 550 +the mail server \S+ refuses the email/)

  mail.mood = {}
  assert.match((await run('deliveries', 'retry')).out, /to retry: 1\./)
  service.clock.now = Math.max(service.clock.now, Date.now())
  await service.settle()
  assert.match((await parseEmail(mail.emails[0]!)).subject!, /Robin Example/)
})

test('what failed and waits is retried by command, and only what is due counts as waiting', async (t) => {
  const { store, clock } = openTestApp(t)
  const { now } = clock
  const common = { leadId: '', channel: 'mail', kind: 'disk.low', about: '' } as const
  await addDeliveries(store, [
    { id: 'failed', ...common, dueAt: now },
    { id: 'but-newest', ...common, dueAt: now + dayMs },
  ])
  const listed = await store.deliveries.list({ limit: 2 })
  assert.deepEqual(
    listed.map(({ id }) => id),
    ['but-newest', 'failed'],
  )
  const [leased] = await store.deliveries.lease({
    channel: 'mail',
    now,
    leaseUntil: now + 1,
    limit: 1,
  })
  const note = { at: now, outcome: 'not-let-in', answer: 'AUTH PLAIN: 535', ms: 1 }
  const ending = { kind: 'again', dueAt: now + dayMs } as const
  await store.deliveries.finish(leased!, { ending, at: now, note })
  assert.equal((await store.deliveries.count())[0]!.waiting, 2)
  assert.equal((await store.deliveries.count(now))[0]!.waiting, 1)
  assert.equal(await store.deliveries.retry(now), 1)
  assert.equal(await store.deliveries.nextDue('mail', now), now)
})

test('a test notification goes through every channel', async (t) => {
  const [mail, hook] = [await openMailSink(t), await openWebhookSink(t)]
  const env = bothChannels(mail, hook)
  const place = await placeOf(t, await openTestDelivery(t, { database: newDatabase(t), env }))
  const run = await leadIntake(place, ['test-notification'], env)
  assert.match(run.out, /^mail +delivered +250\nwebhook +delivered +204\n/m)
  assert.equal((await parseEmail(mail.emails[0]!)).subject, 'Test notification')
  assert.equal(verified(hook.received[0]!).type, 'service.test')
})
