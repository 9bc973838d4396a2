import assert from 'node:assert/strict'
import test from 'node:test'
import { MailServer, mailFailureWords, tryMailServer } from '../../src/delivery/mail/smtp.ts'
import type { Cleaner } from '../support/service.ts'
import { openMailSink, parseEmail } from '../support/smtp.ts'

function open(t: Cleaner, { url }: { url: string }): MailServer {
  const from = { name: 'Robin, Decks & Co', address: 'site@example.com' }
  const server = new MailServer({ url, from })
  t.after(() => server.close())
  return server
}

function email(number: number) {
  return {
    to: ['owner@example.com'],
    subject: `Email ${number}`,
    text: 'Hello\n',
    html: '<p>Hello</p>',
    messageId: `<${number}@decks.example.com>`,
    date: Date.UTC(2026, 10, 15),
  }
}

const never = new AbortController().signal

test('an email has the id, the date and the addresses it was given, and no header more', async (t) => {
  const sink = await openMailSink(t)
  assert.deepEqual(await open(t, sink).send(email(1), never), { kind: 'delivered', answer: '250' })
  const [taken] = sink.emails
  assert.deepEqual(taken!.recipients, ['owner@example.com'])
  const { headers, messageId, date, from } = await parseEmail(taken!)
  assert.equal(messageId, '<1@decks.example.com>')
  assert.equal(date, '2026-11-15T00:00:00.000Z')
  assert.deepEqual(from, { name: 'Robin, Decks & Co', address: 'site@example.com' })
  assert.deepEqual(headers.map(({ key }) => key).toSorted(), [
    'auto-submitted',
    'content-type',
    'date',
    'from',
    'message-id',
    'mime-version',
    'subject',
    'to',
  ])
})

test('an email that nobody will ever take is given up', async (t) => {
  const sink = await openMailSink(t)
  const server = open(t, sink)
  for (const mood of [
    { onRecipient: '550 5.1.1 No such user' },
    { onData: '554 5.7.1 Looks like spam' },
  ] as const) {
    sink.mood = mood
    assert.equal((await server.send(email(1), never)).kind, 'refused')
  }
})

test('a look at the mail server logs in, sends nothing, and says what is wrong with SMTP_URL', async (t) => {
  const sink = await openMailSink(t)
  const wordsOf = async (url: string) => {
    const problem = await tryMailServer(url)
    return problem && mailFailureWords(problem, url)
  }
  assert.equal(await wordsOf(sink.url), undefined)
  const place = `127.0.0.1:${sink.port}`
  assert.match((await wordsOf(`smtp://user:hunter2@${place}`))!, /refuses the user or the password/)
  assert.match((await wordsOf(`smtps://${place}`))!, /write smtp:\/\/ in place of smtps:/)
  assert.match((await wordsOf('smtp://mail.invalid'))!, /mail\.invalid:587 cannot be found/)
  sink.mood = { onConnect: 'drop' }
  assert.match((await wordsOf(sink.url))!, /ends the connection/)
  await sink.close()
  assert.match((await wordsOf(`smtp://user:hunter2@${place}`))!, /^[^@]+nothing listens there/)
  assert.deepEqual(sink.emails, [])
})
