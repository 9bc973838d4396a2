import assert from 'node:assert/strict'
import test from 'node:test'
import { dayMs } from '../../src/durations.ts'
import { checkDeliveries } from '../../src/operator/deliveries-doctor.ts'
import { addDeliveries } from '../support/add-deliveries.ts'
import { openTestApp } from '../support/app.ts'
import { leadIntake } from '../support/operator.ts'
import { newInstallation } from '../support/installation.ts'
import { robin } from '../support/people.ts'
import { startServiceProcess } from '../support/service.ts'
import { bothChannels, byMail, openWebhookSink, verified } from '../support/sink.ts'
import { openMailSink, parseLetter } from '../support/smtp.ts'
import { until } from '../support/until.ts'

test('the operator finds a dead letter, sees why, and sends it again', async (t) => {
  const mail = await openMailSink(t)
  const { place } = await newInstallation(t)
  const { dataDir } = place
  const env = { ...place.env, ...byMail(mail) }
  mail.mood = { onRecipient: 550 }
  let service = await startServiceProcess({ dataDir, env })
  t.after(() => service.stop())
  const answer = await fetch(`${service.url}/api/lead`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(robin),
  })
  const { reference } = (await answer.json()) as { reference: string }
  await until(() => service.lines.some((line) => line.includes('delivery.dead')), 'it died')
  assert.doesNotMatch(service.lines.join('\n'), /robin@|Robin|owner@/)

  const list = await leadIntake({ dataDir }, ['deliveries', 'list', '--dead', '--json'], env)
  const [dead] = JSON.parse(list.out) as { id: string; channel: string; problem: string }[]
  assert.deepEqual([dead!.channel, dead!.problem], ['mail', 'refused RCPT TO: 550'])
  const show = await leadIntake({ dataDir }, ['deliveries', 'show', reference], env)
  assert.match(show.out, /lead\.received {2}dead\n/)
  assert.match(show.out, /1 +refused +RCPT TO: 550 +\d+ ms/)
  const doctor = await leadIntake({ dataDir }, ['doctor'], env)
  assert.equal(doctor.code, 1)
  assert.match(doctor.out, /failed +deliveries, mail +1 could not be delivered/)
  const failing = await leadIntake({ dataDir }, ['test-notification'], env)
  assert.equal(failing.code, 1)
  assert.match(failing.out, /mail +refused +RCPT TO: 550 +the mail server \S+ refuses the letter/)

  await service.stop()
  mail.mood = {}
  const retry = await leadIntake({ dataDir }, ['deliveries', 'retry', reference], env)
  assert.match(retry.out, /to retry: 1\./)
  service = await startServiceProcess({ dataDir, env })
  await until(() => mail.letters.length === 1, 'the letter came')
  assert.match((await parseLetter(mail.letters[0]!)).subject!, /Robin Example/)
})

test('what failed and waits is retried by command, and only what is due counts as waiting', async (t) => {
  const { store, clock } = openTestApp(t)
  const { now } = clock
  const common = { leadId: '', channel: 'mail', kind: 'leads.week', about: '' } as const
  await addDeliveries(store, [
    { id: 'failed', ...common, dueAt: now },
    { id: 'tomorrow', ...common, dueAt: now + dayMs },
  ])
  const [leased] = await store.leaseDeliveries({
    channel: 'mail',
    now,
    leaseUntil: now + 1,
    limit: 1,
  })
  const note = { at: now, outcome: 'not-let-in', answer: 'AUTH PLAIN: 535', ms: 1 }
  const ending = { kind: 'again', dueAt: now + dayMs } as const
  await store.finishDelivery(leased!, { ending, at: now, note })
  assert.equal((await store.countDeliveries())[0]!.waiting, 2)
  assert.equal((await store.countDeliveries(now))[0]!.waiting, 1)
  assert.equal(await store.retryDeliveries({ channel: 'mail' }, now), 1)
  assert.equal(await store.nextDue('mail', now), now)
})

test('doctor tells what is late from what waits for its time', async (t) => {
  const { store } = openTestApp(t)
  const look = () => checkDeliveries(store, ['mail', 'crm'])
  const common = { leadId: '', channel: 'mail', kind: 'leads.week', about: '' } as const
  await addDeliveries(store, [
    { id: 'tomorrow', ...common, dueAt: Date.now() + dayMs },
    { id: 'the day after', ...common, dueAt: Date.now() + 2 * dayMs },
  ])
  assert.deepEqual(await look(), [
    { check: 'deliveries, mail', result: 'ok', words: 'none is late; 2 wait for their time' },
    { check: 'deliveries, crm', result: 'ok', words: 'none is waiting' },
  ])
  await addDeliveries(store, [{ id: 'today', ...common, dueAt: Date.now() }])
  assert.equal((await look())[0]!.words, 'due now: 1; 2 wait for their time')
})

test('a test notification goes through every channel', async (t) => {
  const [mail, hook] = [await openMailSink(t), await openWebhookSink(t)]
  const { place } = await newInstallation(t)
  const env = {
    ...place.env,
    ...bothChannels(mail, hook),
  }
  const service = await startServiceProcess({ dataDir: place.dataDir, env })
  t.after(() => service.stop())
  const run = await leadIntake(place, ['test-notification', '--json'], env)
  assert.deepEqual(JSON.parse(run.out), [
    { channel: 'mail', outcome: 'delivered', answer: '250' },
    { channel: 'webhook', outcome: 'delivered', answer: '204' },
  ])
  assert.equal((await parseLetter(mail.letters[0]!)).subject, 'Test notification')
  assert.equal(verified(hook.received[0]!).type, 'service.test')
})
