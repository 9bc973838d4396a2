/** After thirty letters an hour, one letter says how many more there are. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { openTestDelivery, type TestDelivery } from '../support/delivery.ts'
import { sam } from '../support/leads.ts'
import { byMail } from '../support/sink.ts'
import { openMailSink, parseLetter, type MailSink } from '../support/smtp.ts'

const minute = 60_000
/** Closed, so that no reminder is due. */
const evening = Date.parse('2026-11-16T20:05:00+11:00')

test('after thirty letters an hour one letter says how many more there are [deliver.thirty]', async (t) => {
  const mail = await openMailSink(t)
  const service = await openTestDelivery(t, {
    now: evening,
    env: byMail(mail),
    lettersPerHour: 30,
  })
  const names = await takeMany(service, 1, 42)
  await service.settle()
  assert.deepEqual((await requestsIn(mail)).toSorted(), names.slice(0, 30).toSorted())

  await service.pass(54 * minute)
  assert.equal(mail.letters.length, 30)
  await service.pass(minute)
  assert.equal(mail.letters.length, 31)
  const { subject, text } = await parseLetter(mail.letters[30]!)
  assert.equal(subject, '12 more: open the inbox')
  assert.match(
    text!,
    /^12 more requests\n[^]*Open the inbox: https:\/\/decks\.example\.com\/inbox\/\n/,
  )
  assert.doesNotMatch(text!, /Person/)
  const told = await service.store.toldOf(
    (await service.store.listLeads({ limit: 1 })).map(({ id }) => id),
  )
  assert.deepEqual([...told.values()], ['told'])

  await takeMany(service, 43, 3)
  await service.settle()
  assert.equal(mail.letters.length, 31, 'still too many in an hour')
  await service.pass(10 * minute)
  await takeMany(service, 46, 1)
  await service.settle()
  assert.deepEqual((await requestsIn(mail)).slice(30), ['Person 46'])
  await service.pass(60 * minute)
  assert.equal((await parseLetter(mail.letters[32]!)).subject, '3 more: open the inbox')
})

/** Each a little later than the one before. */
async function takeMany(service: TestDelivery, from: number, count: number): Promise<string[]> {
  const names = Array.from({ length: count }, (_, n) => `Person ${from + n}`)
  for (const name of names) {
    service.clock.now += 1
    const email = `${name.toLowerCase().replace(' ', '-')}@example.com`
    await service.take({ ...sam, name_1: name, email_1: email })
  }
  return names
}

async function requestsIn({ letters }: MailSink): Promise<string[]> {
  const read = await Promise.all(letters.map(parseLetter))
  return read.flatMap(({ subject = '' }) => /^Consultation request: (.*)$/.exec(subject)?.[1] ?? [])
}
