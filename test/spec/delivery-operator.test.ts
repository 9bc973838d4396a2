import assert from 'node:assert/strict'
import test from 'node:test'
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
  assert.match(failing.out, /mail +refused +RCPT TO: 550/)

  await service.stop()
  mail.mood = {}
  const retry = await leadIntake({ dataDir }, ['deliveries', 'retry', reference], env)
  assert.match(retry.out, /to retry: 1\./)
  service = await startServiceProcess({ dataDir, env })
  await until(() => mail.letters.length === 1, 'the letter came')
  assert.match((await parseLetter(mail.letters[0]!)).subject!, /Robin Example/)
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
