import assert from 'node:assert/strict'
import test from 'node:test'
import { listPath } from '../../src/doors/inbox/paths.ts'
import { openTestDelivery, type TestDelivery } from '../support/delivery.ts'
import { newDatabase } from '../support/engines.ts'
import { bot, sam } from '../support/leads.ts'
import { bothChannels, openWebhookSink, verified } from '../support/sink.ts'
import { openMailSink, parseLetter } from '../support/smtp.ts'

const evening = Date.parse('2026-11-17T22:00:00+11:00')
const morning = Date.parse('2026-11-18T07:01:00+11:00')

test('the digest of held leads shows the likeliest people first, then the newest [deliver.held]', async (t) => {
  const [mail, hook] = [await openMailSink(t), await openWebhookSink(t)]
  const service = await openTestDelivery(t, {
    database: newDatabase(t),
    env: bothChannels(mail, hook),
    now: evening,
  })
  const links = Array.from({ length: 6 }, (_, n) => `https://example.com/${n}`).join(' ')
  const held = [
    ...Array.from({ length: 12 }, (_, n) => ({ ...bot, name_1: `Early ${n}` })),
    { ...sam, name_1: 'A person', textarea_1: links },
    { ...bot, name_1: 'Worst', textarea_1: links },
    ...Array.from({ length: 12 }, (_, n) => ({ ...bot, name_1: `Late ${n}` })),
  ]
  const ids: string[] = []
  for (const [n, body] of held.entries()) {
    service.clock.now += 1_000
    ids.push(await service.take({ ...body, email_1: `person-${n}@example.com` }))
  }
  service.clock.now = morning
  await runJobs(service)

  const late = Array.from({ length: 12 }, (_, n) => `Late ${11 - n}`)
  const early = Array.from({ length: 7 }, (_, n) => `Early ${11 - n}`)
  const { text } = await parseLetter(mail.letters[0]!)
  const names = Array.from(text!.matchAll(/^(.+) \(C-[\w-]{11}, /gm), ([, name]) => name)
  assert.deepEqual(names, ['A person', ...late, ...early])
  const open = `And 6 more.\nOpen the inbox: https://decks.example.com${listPath({ view: 'held' })}\n`
  assert.ok(text!.includes(open), text ?? '')
  const { leads } = verified(hook.received[0]!).data as { leads: { id: string }[] }
  assert.deepEqual([leads[0]?.id, leads[1]?.id], [ids[12], ids.at(-1)])
})

async function runJobs(service: TestDelivery): Promise<void> {
  await service.delivery.jobs.run()
  await service.settle()
}
