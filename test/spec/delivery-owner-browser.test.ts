/** A link of a letter moves a lead only in a browser of the owner: one that typed a code mailed to him. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { openTestDelivery, ownersBrowser } from '../support/delivery.ts'
import type { TestDelivery } from '../support/delivery.ts'
import { newDatabase } from '../support/engines.ts'
import { robin, sam } from '../support/people.ts'
import { byMail, byWebhook, openWebhookSink } from '../support/sink.ts'
import { openMailSink, parseLetter } from '../support/smtp.ts'
import type { MailSink } from '../support/smtp.ts'

const minute = 60_000

test('a scanner that follows every link and submits every form moves no lead and sends one letter', async (t) => {
  const { service, mail, lead } = await openWithLead(t)
  const links = linksIn((await parseLetter(mail.letters[0]!)).html!)
  assert.equal(links.length, 4)
  for (let time = 0; time < 3; time += 1) {
    for (const link of links) {
      const scanner = createBrowser(service)
      let page = await scanner.open('GET', link)
      // Also what it gets back, with whatever it makes up for the fields.
      for (let depth = 0; depth < 4; depth += 1) {
        const form = formIn(page.text)
        if (form === undefined) break
        page = await scanner.open('POST', form.action, { ...form.hidden, code: '12345678' })
      }
    }
  }
  assert.equal((await service.store.findLead(lead))!.state, 'new')
  assert.equal(mail.letters.length, 2, 'one with the request, one with a code')
})

test('one press of the button mails nothing yet, so a scanner that presses it once costs no letter', async (t) => {
  const { service, mail } = await openWithLead(t)
  const [link] = linksIn((await parseLetter(mail.letters[0]!)).html!)
  const page = await createBrowser(service).open('POST', link!)
  assert.equal(page.status, 403)
  assert.match(page.text, /Mail the code/)
  assert.equal(mail.letters.length, 1)
})

test('a sender who gets the links back in a quoted reply cannot move the lead', async (t) => {
  const { service, mail, lead } = await openWithLead(t)
  const { text } = await parseLetter(mail.letters[0]!)
  const quoted = text!.replaceAll(/^/gm, '> ')
  const [, spam] = /> Spam: https:\/\/decks\.example\.com(\/tap\/[\w-]+)/.exec(quoted)!
  const sender = createBrowser(service)
  await sender.open('POST', spam!)
  await sender.open('POST', spam!, { send: 'code' })
  const code = await codeIn(mail)
  for (let guess = 0; guess < 5; guess += 1) {
    const page = await sender.open('POST', spam!, { code: `AAAA AAA${guess + 2}` })
    assert.equal(page.status, guess < 4 ? 403 : 429)
  }
  // The sixth, although right, comes too late.
  assert.equal((await sender.open('POST', spam!, { code })).status, 429)
  assert.equal((await service.store.findLead(lead))!.state, 'new')
  for (let time = 0; time < 50; time += 1) {
    await createBrowser(service).open('POST', spam!, { send: 'code' })
  }
  assert.equal(mail.letters.length, 2, 'asking again and again sends no letter')
  await service.pass(11 * minute)
  await sender.open('POST', spam!, { send: 'code' })
  assert.equal(mail.letters.length, 3)
})

test('the owner types the code once; then one press is enough in that browser', async (t) => {
  const { service, mail, lead } = await openWithLead(t)
  const [contacted] = linksIn((await parseLetter(mail.letters[0]!)).html!)
  const owner = createBrowser(service)
  await owner.open('POST', contacted!)
  const asked = await owner.open('POST', contacted!, { send: 'code' })
  assert.deepEqual([asked.status, formIn(asked.text)?.action], [200, contacted])
  const code = await codeIn(mail)
  assert.equal((await owner.open('POST', contacted!, { code: 'wrong' })).status, 403)
  // It belongs to the browser that asked.
  await createBrowser(service).open('POST', contacted!, { code })
  assert.equal((await service.store.findLead(lead))!.state, 'new')
  const done = await owner.open('POST', contacted!, { code: ` ${code.toLowerCase()} ` })
  assert.equal(done.status, 303)
  assert.equal((await service.store.findLead(lead))!.state, 'contacted')
  assert.match(
    owner.lastCookie,
    /^owner=[\w-]+; Max-Age=31536000; Path=\/tap\/; HttpOnly; Secure; SameSite=Strict$/,
  )

  const other = await service.take(sam)
  await service.settle()
  const links = linksIn((await parseLetter(mail.letters.at(-1)!)).html!)
  assert.equal((await owner.open('POST', links[0]!)).status, 303)
  assert.equal((await service.store.findLead(other))!.state, 'contacted')
  // The code was for one browser: a second one asks for its own, without waiting.
  const second = createBrowser(service)
  await second.open('POST', links[2]!, { send: 'code' })
  assert.equal((await second.open('POST', links[2]!, { code })).status, 403)
  assert.equal((await second.open('POST', links[2]!, { code: await codeIn(mail) })).status, 303)
})

test('a code ends after ten minutes, and a cookie that we did not seal counts for nothing', async (t) => {
  const { service, mail, lead } = await openWithLead(t)
  const [link] = linksIn((await parseLetter(mail.letters[0]!)).html!)
  const owner = createBrowser(service)
  await owner.open('POST', link!, { send: 'code' })
  const code = await codeIn(mail)
  service.clock.now += 11 * minute
  assert.equal((await owner.open('POST', link!, { code })).status, 200, 'another code was mailed')
  assert.notEqual(await codeIn(mail), code)
  for (const cookie of ['owner=known', `${ownersBrowser.cookie}x`, `x${ownersBrowser.cookie}`]) {
    assert.equal((await service.ask('POST', link!, { headers: { cookie } })).status, 403)
  }
  assert.equal((await service.store.findLead(lead))!.state, 'new')
})

test('where no letter can be sent, the page says so and the next try is not held up', async (t) => {
  const { service, mail, lead } = await openWithLead(t)
  const [link] = linksIn((await parseLetter(mail.letters[0]!)).html!)
  const owner = createBrowser(service)
  mail.mood = { onData: 451 }
  assert.equal((await owner.open('POST', link!, { send: 'code' })).status, 503)
  mail.mood = {}
  assert.equal((await owner.open('POST', link!, { send: 'code' })).status, 200)
  const hook = await openWebhookSink(t)
  const { database } = service
  const without = await openTestDelivery(t, { database, env: byWebhook(hook) })
  without.clock.now = service.clock.now + 11 * minute
  assert.equal((await createBrowser(without).open('POST', link!, { send: 'code' })).status, 503)
  assert.equal((await service.store.findLead(lead))!.state, 'new')
})

async function openWithLead(t: Parameters<typeof openMailSink>[0]) {
  const mail = await openMailSink(t)
  const service = await openTestDelivery(t, { database: newDatabase(t), env: byMail(mail) })
  const lead = await service.take(robin)
  await service.settle()
  return { service, mail, lead }
}

/** Keeps its cookies, as a browser does. */
function createBrowser(service: TestDelivery) {
  const browser = {
    lastCookie: '',
    async open(method: string, path: string, fields: Record<string, string> = {}) {
      const cookie = browser.lastCookie.split(';')[0]!
      const headers = cookie === '' ? {} : { cookie }
      const body = new URLSearchParams(fields).toString()
      const answer = await service.ask(method, path, { headers, body })
      const set = answer.headers.indexOf('Set-Cookie')
      if (set !== -1) browser.lastCookie = answer.headers[set + 1]!
      return answer
    },
  }
  return browser
}

function linksIn(html: string): string[] {
  const links = html.matchAll(/href="https:\/\/decks\.example\.com(\/tap\/[\w-]+)"/g)
  return Array.from(links, ([, path]) => path!)
}

function formIn(html: string): { action: string; hidden: Record<string, string> } | undefined {
  const [, action, inside] =
    /<form method="post" action="(\/tap\/[^"]+)">(.*?)<\/form>/s.exec(html) ?? []
  if (action === undefined) return undefined
  const hidden = inside!.matchAll(/<input type="hidden" name="(\w+)" value="(\w+)">/g)
  return {
    action,
    hidden: Object.fromEntries(Array.from(hidden, ([, name, value]) => [name!, value!])),
  }
}

async function codeIn(mail: MailSink): Promise<string> {
  const { subject, text } = await parseLetter(mail.letters.at(-1)!)
  assert.equal(subject, 'Code for your browser')
  return /^\w{4} \w{4}$/m.exec(text!)![0]
}
