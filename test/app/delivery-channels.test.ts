/** What an email holds, and what comes through after a refusal: the same on either engine. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { leadPath, paths } from '../../src/doors/inbox/paths.ts'
import { fields } from '../../src/contract/fields.ts'
import { retryDelaysMs } from '../../src/contract/notices.ts'
import { openTestDelivery } from '../support/delivery.ts'
import { mailedCode, openInbox } from '../support/inbox.ts'
import { robin, sam } from '../support/leads.ts'
import { byMail, byWebhook, openWebhookSink, verified, type WebhookMood } from '../support/sink.ts'
import { messageIdOf, openMailSink, parseEmail, type Mood } from '../support/smtp.ts'

test('an email shows every field of a request, and leads to it in the inbox [deliver.email]', async (t) => {
  const mail = await openMailSink(t)
  const service = await openTestDelivery(t, { env: byMail(mail) })
  const sent = Object.fromEntries(fields.map(({ name, example }) => [name, example]))
  const id = await service.take(sent)
  await service.delivery.settled()
  const { text = '' } = await parseEmail(mail.emails[0]!)
  const missing = fields.filter(({ example }) => !text.includes(example))
  assert.deepEqual(missing, [])
  const [nobody, long] = [
    { ...sam, textarea_1: ' ' },
    { ...sam, textarea_1: 'deck '.repeat(30) },
  ]
  for (const body of [nobody, long]) await service.take(body)
  await service.delivery.settled()
  const emails = await Promise.all(mail.emails.slice(1).map(parseEmail))
  assert.deepEqual(
    emails.map(({ subject = '' }) => subject).toSorted(),
    ['Sam', `Sam: ${'deck '.repeat(16)}deck…`],
    'without a place or message the part is left out',
  )
  const link = `Open in the inbox: https://decks.example.com${leadPath(id)}\n`
  assert.ok(text.includes(link), text)
})

test('a scanner that opens every link of an email moves no lead and signs nobody in [sign-in.email]', async (t) => {
  const mail = await openMailSink(t)
  const inbox = await openInbox(t, mail)
  await inbox.member({ name: 'Robin', email: 'owner@example.com' })
  const id = await inbox.take(robin)
  await inbox.settle()
  const { html } = await parseEmail(mail.emails[0]!)
  const links = Array.from(html!.matchAll(/href="(http[^"]+)"/g), ([, href]) => new URL(href!))
  assert.deepEqual([...new Set(links.map(({ pathname }) => pathname))], [leadPath(id)])
  const scanner = inbox.browser()
  for (const { pathname } of links) {
    for (const answer of [await scanner.get(pathname), await scanner.post(pathname)]) {
      assert.equal(answer.headers['location'] ?? paths.signIn, paths.signIn)
      assert.doesNotMatch(answer.text, /Robin/)
    }
  }
  assert.equal((await inbox.store.leads.find(id))!.state, 'new')
  assert.ok(![...scanner.jar.keys()].some((name) => name.endsWith('inbox')))
  // Whoever can read the mail of a member signs in there, and is led to the lead.
  await scanner.post(paths.signIn, { email: 'owner@example.com' })
  const done = await scanner.post(paths.signInCode, { code: await mailedCode(mail, 2) })
  assert.equal(done.headers['location'], leadPath(id))
})

const mailFailures: Record<string, Mood> = {
  'a busy greeting': { onMail: 421 },
  'a recipient put off': { onRecipient: 450 },
  'an email put off': { onData: 451 },
  'a connection dropped in DATA': { onData: 'drop' },
  'a connection dropped at once': { onConnect: 'drop' },
}

for (const [what, mood] of Object.entries(mailFailures)) {
  test(`mail comes through after ${what}, under the same Message-ID`, async (t) => {
    const mail = await openMailSink(t)
    const service = await openTestDelivery(t, { env: byMail(mail) })
    mail.mood = mood
    const id = await service.take(robin)
    await service.delivery.settled()
    assert.equal(mail.emails.length, 0)
    mail.mood = {}
    await service.pass(retryDelaysMs[0]! - 1)
    assert.equal(mail.emails.length, 0)
    await service.pass(1)
    assert.deepEqual(mail.emails.map(messageIdOf), [`<${id}.mail@decks.example.com>`])
    const tries = await service.triesBy('mail', id)
    assert.deepEqual(
      tries.map(({ number }) => number),
      [1, 2],
    )
    assert.equal(tries[1]!.outcome, 'delivered')
    assert.doesNotMatch(JSON.stringify(tries), /@|Robin/)
  })
}

const hookFailures: Record<string, WebhookMood> = {
  'a 500': { status: 500 },
  'a 404': { status: 404 },
  'a redirect': { status: 302, headers: { location: '/elsewhere' } },
  'a dropped connection': { how: 'drop' },
}

for (const [what, mood] of Object.entries(hookFailures)) {
  test(`a webhook comes through after ${what}, under the same id`, async (t) => {
    const hook = await openWebhookSink(t)
    const service = await openTestDelivery(t, { env: byWebhook(hook) })
    hook.mood = mood
    const id = await service.take(robin)
    await service.delivery.settled()
    assert.deepEqual([hook.asked, hook.received.length], [1, 0])
    hook.mood = {}
    await service.pass(retryDelaysMs[0]!)
    assert.deepEqual(
      hook.received.map((each) => verified(each).id),
      [id],
    )
  })
}
