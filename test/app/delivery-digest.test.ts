import assert from 'node:assert/strict'
import test from 'node:test'
import { listPath } from '../../src/doors/inbox/paths.ts'
import { addDeliveries } from '../support/add-deliveries.ts'
import { openTestDelivery, type TestDelivery } from '../support/delivery.ts'
import { newDatabase } from '../support/engines.ts'
import { bot, sam } from '../support/people.ts'
import { bothChannels, byMail, openWebhookSink, verified } from '../support/sink.ts'
import { openMailSink, parseLetter } from '../support/smtp.ts'

const hour = 60 * 60_000
const evening = Date.parse('2026-11-17T22:00:00+11:00')
const morning = Date.parse('2026-11-18T07:01:00+11:00')

test('the digest of held leads shows the likeliest people first, then the newest [deliver.held]', async (t) => {
  const [mail, hook] = [await openMailSink(t), await openWebhookSink(t)]
  const service = await openTestDelivery(t, {
    database: newDatabase(t),
    env: { ...bothChannels(mail, hook), DIGESTS: 'on' },
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

test('a digest that could not be added is added by the next run, once, and tells of all', async (t) => {
  const mail = await openMailSink(t)
  const service = await openTestDelivery(t, {
    database: newDatabase(t),
    env: { ...byMail(mail), DIGESTS: 'on' },
    now: evening,
  })
  await service.take(bot)
  service.clock.now = morning
  // Until the index goes, no second delivery of a channel can be added.
  const other = { id: 'other/mail', leadId: '', about: '', dueAt: morning + 24 * hour }
  await addDeliveries(service.store, [{ ...other, channel: 'mail', kind: 'disk.low' }])
  await service.database.execute('create unique index one_each on delivery (channel)')
  await runJobs(service)
  await service.database.execute('drop index one_each')
  assert.ok(service.lines.some((line) => line.includes('daily-job.failed')))
  for (let run = 0; run < 2; run += 1) {
    service.clock.now += 60_000
    await runJobs(service)
  }
  assert.equal(mail.letters.length, 1)
  assert.match((await parseLetter(mail.letters[0]!)).text!, /SEO Team/)
})

test('an address with a plus is the address without it: one note a day', async (t) => {
  const mail = await openMailSink(t)
  const service = await openWithNotes(t, mail)
  const addresses = ['a@example.com', 'a+x@example.com', 'A+y+z@Example.com', 'b@example.com']
  for (const email_1 of addresses) {
    await service.take({ ...sam, email_1 })
    await service.settle()
  }
  const notes = mail.letters.flatMap(({ recipients }) => recipients)
  assert.deepEqual(
    notes.filter((to) => to !== 'owner@example.com'),
    ['a@example.com', 'b@example.com'],
  )
})

test('that somebody got a note is forgotten after a day', async (t) => {
  const mail = await openMailSink(t)
  const service = await openWithNotes(t, mail)
  const remembered = async () => {
    const rows = await service.database.execute(`select id from once where id like 'sender %'`)
    return rows.length
  }
  await service.take(sam)
  await service.settle()
  await runJobs(service)
  assert.equal(await remembered(), 1)
  service.clock.now += 14 * hour
  await service.take({ ...sam, email_1: 'late@example.com' })
  await service.settle()
  service.clock.now += 11 * hour
  await runJobs(service)
  assert.equal(await remembered(), 1, 'the one of today')
  service.clock.now += 25 * hour
  await runJobs(service)
  assert.equal(await remembered(), 0)
})

function openWithNotes(t: Parameters<typeof openMailSink>[0], mail: { url: string }) {
  const env = { ...byMail(mail), CONFIRM_TO_SENDER: 'on' }
  return openTestDelivery(t, { database: newDatabase(t), env })
}

async function runJobs(service: TestDelivery): Promise<void> {
  await service.delivery.jobs.run()
  await service.settle()
}
