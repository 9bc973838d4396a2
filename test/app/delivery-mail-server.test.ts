/** What the mail server does to connections that are kept open, and what that means for a letter. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { MailServer, mailFailureWords, tryMailServer } from '../../src/delivery/mail/smtp.ts'
import type { Cleaner } from '../support/service.ts'
import { openMailSink, parseLetter } from '../support/smtp.ts'

function open(t: Cleaner, { url }: { url: string }): MailServer {
  const from = { name: 'Robin, Decks & Co', address: 'site@example.com' }
  const server = new MailServer({ url, from })
  t.after(() => server.close())
  return server
}

function letter(number: number) {
  return {
    to: 'owner@example.com',
    subject: `Letter ${number}`,
    text: 'Hello\n',
    html: '<p>Hello</p>',
    messageId: `<${number}@decks.example.com>`,
    date: Date.UTC(2026, 10, 15),
  }
}

const never = new AbortController().signal

test('a letter has the id, the date and the addresses it was given, and no header more', async (t) => {
  const sink = await openMailSink(t)
  assert.deepEqual(await open(t, sink).send(letter(1), never), { kind: 'delivered', answer: '250' })
  const [taken] = sink.letters
  assert.deepEqual(taken!.recipients, ['owner@example.com'])
  const { headers, messageId, date, from } = await parseLetter(taken!)
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

/** As mail servers word it when an account has sent too much, or a mailbox is full. */
const quotas = [
  { onMail: '550 5.4.5 Daily user sending quota exceeded.' },
  { onData: '550 5.4.5 Daily user sending quota exceeded.' },
  { onRecipient: '550 5.1.90 You have reached your daily limit for message recipients' },
  { onRecipient: '552 5.2.2 Mailbox full' },
  { onRecipient: '452 4.2.2 Over quota' },
  { onData: '452 4.3.1 Insufficient system storage' },
  { onMail: '421 4.7.0 Try again later' },
  { onRecipient: '450 4.7.1 Too many messages' },
] as const

for (const mood of quotas) {
  test(`a letter is put off, not given up, after ${Object.values(mood)[0]}`, async (t) => {
    const sink = await openMailSink(t)
    const server = open(t, sink)
    sink.mood = mood
    const sent = await server.send(letter(1), never)
    assert.equal(sent.kind, 'failed')
    assert.match(sent.answer, /: \d{3} \d\.\d\.\d+$/)
    sink.mood = {}
    assert.equal((await server.send(letter(1), never)).kind, 'delivered')
  })
}

test('a letter that nobody will ever take is given up', async (t) => {
  const sink = await openMailSink(t)
  const server = open(t, sink)
  for (const mood of [
    { onRecipient: '550 5.1.1 No such user' },
    { onData: '554 5.7.1 Looks like spam' },
  ] as const) {
    sink.mood = mood
    assert.equal((await server.send(letter(1), never)).kind, 'refused')
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
  assert.deepEqual(sink.letters, [])
})
