import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import test from 'node:test'
import { openTestApp, type TestApp } from '../support/app.ts'
import { openTestDelivery } from '../support/delivery.ts'
import { mai } from '../support/leads.ts'
import { openMailSink } from '../support/smtp.ts'

test('after 20 leads in ten minutes an address is still taken, but held [limit.soft]', async (t) => {
  const app = openTestApp(t)
  for (let index = 0; index < 22; index += 1) assert.equal((await post(app, index)).status, 200)
  const held = await app.store.views.list({ states: ['held'], limit: 50 })
  assert.equal(held.length, 2)
  assert.deepEqual(held[0]?.judgement.reasons, ['rate'])
  app.clock.now += 10 * 60_000
  await post(app, 99)
  assert.equal((await app.store.views.list({ limit: 1 }))[0]?.state, 'new')
})

test('a lead that is sent again through an outage is new, and its email goes out [limit.retries]', async (t) => {
  const mail = await openMailSink(t)
  const env = { SMTP_URL: mail.url, OWNER_EMAIL: 'owner@example.com' }
  const { ask, database, settle, store } = await openTestDelivery(t, { env })
  const file = database.url.slice('sqlite:'.length)
  const send = async (from: string) => {
    const headers = { 'content-type': 'application/json', 'idempotency-key': '"mai-once"' }
    return (await ask('POST', '/api/lead', { headers, body: JSON.stringify(mai), from })).status
  }
  // Another program holds the lock for longer than a commit waits for it.
  const other = new DatabaseSync(file)
  other.exec('begin immediate')
  const retries = Array.from({ length: 60 }, (_, retry) => send(`192.0.2.${retry % 2}`))
  assert.deepEqual(new Set(await Promise.all(retries)), new Set([503]))
  other.close()
  assert.equal(await send('192.0.2.1'), 200)
  const [lead, ...others] = await store.views.list({ limit: 9 })
  assert.deepEqual(lead?.judgement.reasons, [])
  assert.equal(lead.state, 'new')
  assert.deepEqual(others, [])
  await settle()
  assert.equal(mail.emails.length, 1)
})

test('after 300 requests in a minute an address gets 429, and is told when to come back [limit.hard]', async (t) => {
  const app = openTestApp(t)
  const first = await post(app, 0)
  assert.equal(first.headers['ratelimit-policy'], '"leads";q=300;w=60')
  assert.equal(first.headers['ratelimit'], '"leads";r=299;t=60')
  for (let index = 1; index < 300; index += 1) await post(app, index)
  app.clock.now += 20_000
  const limited = await post(app, 300)
  assert.equal(limited.status, 429)
  assert.equal((limited.json as { error: { code: string } }).error.code, 'RATE_LIMITED')
  assert.equal(limited.headers['retry-after'], '40')
  assert.equal(limited.headers['ratelimit'], '"leads";r=0;t=40')
  const other = await post(app, 301, '192.0.2.77')
  assert.equal(other.status, 200)
  app.clock.now += 40_000
  assert.equal((await post(app, 302)).status, 200)
})

test('a browser over the limit gets a page that keeps the typed text [keep.page]', async (t) => {
  const app = openTestApp(t, { rateLimit: { soft: 1, hard: 1 } })
  await post(app, 0)
  const answer = await app.ask('POST', '/api/lead', {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'name_1=Robin+Example&email_1=robin%40example.com',
    from: '192.0.2.1',
  })
  assert.equal(answer.status, 429)
  assert.equal(answer.headers['retry-after'], '60')
  assert.match(answer.text, /value="Robin Example"/)
  assert.match(mainOf(answer.text), /Or ring me: .*<a href="tel:0491570006">/)
})

test('after 5 MB of held leads in a day an address gets 429, and is told when to come back', async (t) => {
  const app = openTestApp(t, { rateLimit: { soft: 0, hard: 1_000 } })
  const message = 'x'.repeat(9_000)
  const note = 'y'.repeat(16_000)
  const send = (index: number, from: string) =>
    app.postJson({ ...person(index), textarea_1: message, note }, {}, from)
  let kept = 0
  let answer = await send(0, '2001:db8:1:2::/64')
  for (; answer.status === 200; kept += 1) answer = await send(kept + 1, '2001:db8:1:2::/64')
  assert.ok(kept * (message.length + note.length) <= 5_000_000)
  assert.ok((kept + 2) * (message.length + note.length + 1_000) > 5_000_000)
  assert.equal(answer.status, 429)
  assert.equal((answer.json as { error: { code: string } }).error.code, 'RATE_LIMITED')
  assert.equal(answer.headers['retry-after'], String(24 * 60 * 60))
  assert.match(answer.headers['ratelimit']!, /^"leads";r=/)
  assert.equal((await app.store.views.countStates(1_000)).held, kept)
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const long = new URLSearchParams({ ...person(9_998), textarea_1: message, note }).toString()
  const from = '2001:db8:1:2::/64'
  const page = await app.ask('POST', '/api/lead', { headers: form, body: long, from })
  assert.equal(page.status, 429)
  assert.match(page.text, /Wait 24 hours/)
  assert.equal((await send(0, '192.0.2.7')).status, 200)
  app.clock.now += 24 * 60 * 60_000
  assert.equal((await send(9_999, '2001:db8:1:2::/64')).status, 200)
})

test('a stranger with a whole IPv6 /48 has ten times the limits of one network, and no more [limit.soft, limit.hard]', async (t) => {
  const app = openTestApp(t, { rateLimit: { soft: 2, hard: 5 } })
  const network = (number: number) => `2001:db8:1:${number.toString(16)}::/64`
  const states: string[] = []
  for (let number = 1; number <= 12; number += 1) {
    for (const each of [0, 1]) {
      assert.equal((await post(app, number * 10 + each, network(number))).status, 200)
      states.push((await app.store.views.list({ limit: 1 }))[0]!.state)
      app.clock.now += 1
    }
  }
  const expected = [...Array<string>(20).fill('new'), ...Array<string>(4).fill('held')]
  assert.deepEqual(states, expected)

  app.clock.now += 60_000
  const ask = async (from: string) => await app.ask('POST', '/no-such-path', { from })
  for (let number = 1; number <= 10; number += 1) {
    for (let time = 0; time < 5; time += 1) {
      assert.equal((await ask(network(number))).status, 404)
    }
  }
  app.clock.now += 20_000
  const limited = await post(app, 500, network(99))
  assert.equal(limited.status, 429)
  assert.equal(limited.headers['retry-after'], '40')
  assert.equal(limited.headers['ratelimit'], '"leads";r=0;t=40')
  assert.equal((await ask('2001:db8:2:1::/64')).status, 404, 'another /48')
  app.clock.now += 40_000
  assert.equal((await post(app, 501, network(99))).status, 200)
})

test('one IPv6 network, however much it sends, does not use up the limits of its neighbours [limit.hard]', async (t) => {
  const app = openTestApp(t, { rateLimit: { soft: 2, hard: 50 } })
  const [loud, quiet] = ['2001:db8:1:1::/64', '2001:db8:1:2::/64']
  for (let time = 0; time < 600; time += 1) await app.ask('POST', '/no-such-path', { from: loud })
  assert.equal((await app.ask('POST', '/no-such-path', { from: loud })).status, 429)
  assert.equal((await post(app, 1, quiet)).status, 200)

  app.clock.now += 60_000
  for (let index = 0; index < 40; index += 1) await post(app, 100 + index, loud)
  // A repeat is taken off the counts, so that a neighbour is not held for it.
  for (let time = 0; time < 40; time += 1) await post(app, 1, quiet)
  await post(app, 2, quiet)
  assert.equal((await app.store.views.list({ limit: 1 }))[0]!.state, 'new')
})

test('a tool on this machine is never limited, and RATE_LIMIT=off limits nobody', async (t) => {
  const app = openTestApp(t, { rateLimit: { soft: 1, hard: 2 } })
  for (let index = 0; index < 5; index += 1) {
    const answer = await app.postJson(person(index))
    assert.equal(answer.status, 200)
    assert.equal(answer.headers['ratelimit'], undefined)
  }
  const off = openTestApp(t, { rateLimit: 'off' })
  for (let index = 0; index < 30; index += 1) assert.equal((await post(off, index)).status, 200)
  assert.deepEqual(await off.store.views.list({ states: ['held'], limit: 1 }), [])
})

test('a POST to a path that is not there counts, too, and reading does not [limit.hard]', async (t) => {
  const app = openTestApp(t, { rateLimit: { soft: 20, hard: 2 } })
  const from = '192.0.2.1'
  const statuses = []
  for (let time = 0; time < 3; time += 1) {
    statuses.push((await app.ask('POST', '/no-such-path', { from })).status)
  }
  assert.deepEqual(statuses, [404, 404, 429])
  for (let time = 0; time < 10; time += 1) {
    assert.equal((await app.ask('GET', '/decks/', { from })).status, 200)
  }
})

function mainOf(page: string): string {
  return page.slice(page.indexOf('<main'), page.indexOf('</main>'))
}

function person(index: number) {
  return { name_1: 'Sam', email_1: `sam${index}@example.com` }
}

function post(app: TestApp, index: number, from = '192.0.2.1') {
  return app.postJson(person(index), {}, from)
}
