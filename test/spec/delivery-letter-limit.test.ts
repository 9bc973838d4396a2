/** Past so many letters an hour, one digest every ten minutes tells of leads instead. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { retryDelaysMs } from '../../src/contract/retries.ts'
import { openTestDelivery } from '../support/delivery.ts'
import type { TestDelivery } from '../support/delivery.ts'
import { newDatabase, onPostgres } from '../support/engines.ts'
import { sam } from '../support/people.ts'
import { byMail } from '../support/sink.ts'
import { openMailSink, parseLetter } from '../support/smtp.ts'
import type { MailSink } from '../support/smtp.ts'

const minute = 60_000
/** Closed, so that no reminder is due. */
const evening = Date.parse('2026-11-16T20:05:00+11:00')

test('past thirty letters an hour one digest names every further lead once, newest first [deliver.thirty]', async (t) => {
  const mail = await openMailSink(t)
  const service = await openLimited(t, mail)
  const names = await takeMany(service, 1, 42)
  await service.settle()
  assert.deepEqual((await requestsIn(mail)).toSorted(), names.slice(0, 30).toSorted())

  await service.pass(5 * minute)
  const digest = await parseLetter(mail.letters[30]!)
  assert.equal(mail.letters.length, 31)
  assert.equal(digest.subject, 'Consultation requests: 12 in one letter')
  assert.deepEqual(namesIn(digest.text!), names.slice(30).toReversed())
  const [lead] = await service.store.listLeads({ limit: 1 })
  assert.ok(digest.text!.includes(`Person 42 (${lead!.reference}, `))
  assert.match(digest.html!, /\/inbox\/lead\/[\w-]+"[^>]*>Open in the inbox</)

  await takeMany(service, 43, 3)
  await service.settle()
  assert.equal(mail.letters.length, 31, 'still too many')
  await service.pass(10 * minute)
  const second = await parseLetter(mail.letters[31]!)
  assert.deepEqual(namesIn(second.text!), ['Person 45', 'Person 44', 'Person 43'])

  await service.pass(60 * minute)
  await takeMany(service, 46, 1)
  await service.settle()
  assert.deepEqual((await requestsIn(mail)).slice(30), ['Person 46'])
  assert.equal(mail.letters.length, 33)
})

test('the database counts letters: after a restart the limit is the same, and the digest comes', async (t) => {
  const mail = await openMailSink(t)
  const database = newDatabase(t)
  const before = await openLimited(t, mail, { database })
  await takeMany(before, 1, 20)
  await before.settle()
  await before.delivery.stop()
  const after = await openLimited(t, mail, { database })
  await takeMany(after, 21, 20)
  await after.settle()
  assert.equal(mail.letters.length, 30)
  await after.delivery.stop()
  const later = await openLimited(t, mail, { database, now: evening + 5 * minute })
  await later.settle()
  assert.equal(mail.letters.length, 31)
  assert.equal(namesIn((await parseLetter(mail.letters[30]!)).text!).length, 10)
})

test(
  'two nodes share the limit and the digest, and every lead is told of once',
  { skip: !onPostgres },
  async (t) => {
    const mail = await openMailSink(t)
    const database = newDatabase(t)
    const [one, other] = [
      await openLimited(t, mail, { database }),
      await openLimited(t, mail, { database }),
    ]
    const taken = await Promise.all([takeMany(one, 1, 40), takeMany(other, 41, 40)])
    await Promise.all([one.settle(), other.settle()])
    const letters = await requestsIn(mail)
    // Four letters are under way at each node, at most.
    assert.ok(letters.length >= 30 && letters.length <= 38, `${letters.length} letters`)
    one.clock.now = other.clock.now = evening + 6 * minute
    await Promise.all([one.settle(), other.settle()])
    assert.equal(mail.letters.length, letters.length + 1)
    const { text } = await parseLetter(mail.letters.at(-1)!)
    assert.deepEqual([...letters, ...namesIn(text!)].toSorted(), taken.flat().toSorted())
  },
)

test('nothing about a lead overtakes the digest that tells of it, and it is told once', async (t) => {
  const mail = await openMailSink(t)
  const service = await openLimited(t, mail, { env: { LETTERS_PER_HOUR: '2' } })
  await takeMany(service, 1, 3)
  await service.settle()
  const [lead] = await service.store.listLeads({ limit: 1 })
  await service.withdraw(lead!.id)
  await service.settle()
  assert.equal(mail.letters.length, 2)
  await service.pass(5 * minute)
  await service.pass(60 * minute)
  assert.equal(mail.letters.length, 3)
  const { text } = await parseLetter(mail.letters[2]!)
  assert.match(text!, /Person 3 \(C-[\w-]+, [^)]*\): withdrawn by the sender\./)
  assert.doesNotMatch(text!, /person-3@/)
})

test('a digest that cannot be sent is tried again, and what comes meanwhile goes into the next', async (t) => {
  const mail = await openMailSink(t)
  const service = await openLimited(t, mail, { env: { LETTERS_PER_HOUR: '2' } })
  await takeMany(service, 1, 4)
  await service.settle()
  mail.mood = { onData: 451 }
  await service.pass(5 * minute)
  await takeMany(service, 5, 1)
  await service.settle()
  mail.mood = {}
  await service.pass(retryDelaysMs[0])
  assert.deepEqual(namesIn((await parseLetter(mail.letters[2]!)).text!), ['Person 4', 'Person 3'])
  await service.pass(10 * minute)
  assert.deepEqual(namesIn((await parseLetter(mail.letters[3]!)).text!), ['Person 5'])
  assert.equal(mail.letters.length, 4)
})

test('notes to senders stop at the limit too, and other letters do not', async (t) => {
  const mail = await openMailSink(t)
  const env = { LETTERS_PER_HOUR: '3', CONFIRM_TO_SENDER: 'on', DIGESTS: 'on' }
  const service = await openLimited(t, mail, { env, now: Date.parse('2026-11-16T07:00:00+11:00') })
  await takeMany(service, 1, 6)
  await service.settle()
  const notes = mail.letters.filter(({ recipients }) => recipients[0] !== 'owner@example.com')
  assert.equal(notes.length, 3)
  service.delivery.start(service.app.takeLead)
  await service.delivery.jobsDone()
  await service.settle()
  const subjects = await Promise.all(
    mail.letters.map(async (each) => (await parseLetter(each)).subject),
  )
  assert.ok(subjects.some((subject) => subject?.startsWith('Your week')))
})

type Given = Partial<Parameters<typeof openTestDelivery>[1] & object>

function openLimited(t: Parameters<typeof openMailSink>[0], mail: MailSink, given: Given = {}) {
  const { database = newDatabase(t), now = evening, env = {} } = given
  return openTestDelivery(t, {
    database,
    now,
    env: { ...byMail(mail), LETTERS_PER_HOUR: '30', ...env },
  })
}

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

function namesIn(text: string): string[] {
  return Array.from(text.matchAll(/^(Person \d+) \(C-/gm), ([, name]) => name!)
}
