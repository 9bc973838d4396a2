/** What the morning email says of held requests. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { toIdStart } from '../../src/store/leads/rows.ts'
import { openTestDelivery } from '../support/delivery.ts'
import { newDatabase } from '../support/engines.ts'
import { bot, newLead } from '../support/leads.ts'
import { moveLead } from '../support/life.ts'
import { type Cleaner } from '../support/service.ts'
import { byMail } from '../support/sink.ts'
import { openMailSink, parseEmail } from '../support/smtp.ts'

const sydney = (text: string) => Date.parse(`${text}:00+11:00`)

async function openMornings(t: Cleaner) {
  const mail = await openMailSink(t)
  const service = await openTestDelivery(t, {
    database: newDatabase(t),
    env: byMail(mail),
    now: sydney('2026-11-17T22:00'),
  })
  /** The texts of the emails that come at this time. */
  const morning = async (text: string) => {
    mail.emails.splice(0)
    service.clock.now = sydney(text)
    await service.delivery.jobs.run()
    await service.settle()
    return (await Promise.all(mail.emails.map(parseEmail))).map((email) => email.text ?? '')
  }
  return { service, morning }
}

test('a held request that waited in a journal over opening time is in the next morning email, once [deliver.held]', async (t) => {
  const { service, morning } = await openMornings(t)
  await service.take(bot)
  assert.match((await morning('2026-11-18T07:00')).join(), /SEO Team/)
  const receivedAt = sydney('2026-11-18T06:50')
  const id = `${toIdStart(receivedAt)}-7000-8000-000000000001`
  const values = { ...newLead(1).values, name: 'Late Example' }
  const judgement = { score: 100, reasons: ['rate'] }
  const keptAt = sydney('2026-11-18T08:30')
  const late = { id, receivedAt, keptAt, values, judgement, state: 'held' } as const
  await service.store.leads.keep(newLead(1, late))
  const [thursday = ''] = await morning('2026-11-19T07:00')
  assert.match(thursday, /Today: 1 held[^]*Late Example/)
  assert.doesNotMatch(thursday, /SEO Team/)
  assert.deepEqual(await morning('2026-11-20T07:00'), [], 'nothing else was held')
})

const wendy = { name_1: 'Wendy Cho', email_1: 'wendy@example.com', phone_1: '0491 570 006' }

test('a blocked sender who writes other words from elsewhere is named first among the held [deliver.held, spam.blocked]', async (t) => {
  const { service, morning } = await openMornings(t)
  const send = async (body: object, from: string) => {
    service.clock.now += 1_000
    const headers = { 'content-type': 'application/json' }
    const { status } = await service.ask('POST', '/api/lead', {
      headers,
      body: JSON.stringify(body),
      from,
    })
    assert.equal(status, 200)
    return (await service.store.views.list({ limit: 1 }))[0]!
  }
  const spam = await send({ ...wendy, textarea_1: 'Cheap casino' }, '192.0.2.66')
  await moveLead(service.store, spam, { to: 'spam', by: 'owner', at: service.clock.now })
  await send({ ...wendy, name_1: 'Same words', textarea_1: 'Cheap casino' }, '192.0.2.67')
  await send({ ...wendy, name_1: 'Same network', textarea_1: 'Cheap pills' }, '192.0.2.66')
  await send({ ...wendy, textarea_1: 'A deck off the kitchen, please' }, '192.0.2.1')
  for (let n = 0; n < 25; n += 1) {
    await send({ ...bot, email_1: `bot-${n}@example.com` }, `192.0.2.${100 + n}`)
  }
  await service.settle()
  const [text = ''] = await morning('2026-11-18T07:00')
  assert.match(
    text,
    /Held: perhaps not spam\n-+\n\nWendy Cho\n> A deck off the kitchen, please\n.*; you marked this sender as spam, but this came from elsewhere, with other words\n/,
  )
  assert.match(text, /Held: these look like spam\n-+\n\n[^]*and 8 more/)
  assert.doesNotMatch(text, /\nSame (?:words|network)\n[^]*perhaps not spam/)
})
