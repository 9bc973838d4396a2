import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import test from 'node:test'
import { moveLead } from '../support/life.ts'
import { StorageUnavailable } from '../../src/store/engine/engine.ts'
import { openTestApp, type TestApp } from '../support/app.ts'
import { robin } from '../support/leads.ts'
import { callTool } from '../support/mcp.ts'

test('a receipt tells what happened to the request, and nothing of the person [receipt.private]', async (t) => {
  const app = openTestApp(t)
  const path = await send(app)
  const { status, headers, json, text } = await asProgram(app, 'GET', path)
  assert.equal(status, 200)
  assert.deepEqual(
    { ...(json as object), reference: 'C-…' },
    {
      reference: 'C-…',
      status: 'received',
      message: 'I have your request. I will be in touch to arrange a time.',
      received_at: '2026-11-15T09:00:00.000Z',
      changed_at: '2026-11-15T09:00:00.000Z',
      can_withdraw: true,
      withdraw_url: `https://decks.example.com${path}/withdraw`,
      erase_url: `https://decks.example.com${path}/erase`,
    },
  )
  assert.equal(headers['cache-control'], 'no-store')
  assert.doesNotMatch(text, /Robin|robin@|0491/)
})

test('while the database cannot be read, program and person are asked to come back', async (t) => {
  const app = openTestApp(t)
  const path = await send(app)
  app.store.leads.find = () => Promise.reject(new StorageUnavailable('away'))
  const told = await asProgram(app, 'GET', path)
  assert.equal((told.json as { error: { code: string } }).error.code, 'LOOKUP_UNAVAILABLE')
  const page = await app.ask('GET', path, { headers: { accept: 'text/html' } })
  assert.match(page.text, /What I received is safe\. Wait 5 seconds/)
  for (const { status, headers } of [told, page]) {
    assert.deepEqual([status, headers['retry-after']], [503, '5'])
  }
})

test('the receipt page shows the reference and a way to withdraw, and is kept by no cache', async (t) => {
  const app = openTestApp(t)
  const path = await send(app)
  const { reference } = (await asProgram(app, 'GET', path)).json as { reference: string }
  const { status, headers, text } = await app.ask('GET', path, { headers: { accept: 'text/html' } })
  assert.equal(status, 200)
  assert.equal(headers['cache-control'], 'no-store')
  assert.equal(headers['referrer-policy'], 'no-referrer')
  assert.ok(text.includes(reference))
  assert.ok(text.includes(`action="${path}/withdraw"`))
  assert.doesNotMatch(text, /Robin/)
})

test('a receipt is JSON for programs, and a page for browsers', async (t) => {
  const app = openTestApp(t)
  const path = await send(app)
  const table: [accept: string | undefined, type: string][] = [
    [undefined, 'application/json'],
    ['*/*', 'application/json'],
    ['application/*, */*;q=0.5', 'application/json'],
    ['application/json, text/plain, */*', 'application/json'],
    ['text/html;q=0.9, application/json', 'application/json'],
    ['text/markdown', 'application/json'],
    ['text/markdown, text/html;q=0.9, */*;q=0.8', 'application/json'],
    ['text/html', 'text/html; charset=utf-8'],
    ['text/html,application/xhtml+xml,*/*;q=0.8', 'text/html; charset=utf-8'],
  ]
  for (const [accept, type] of table) {
    const request = accept === undefined ? {} : { headers: { accept } }
    const { status, headers } = await app.ask('GET', path, request)
    assert.deepEqual([status, headers['content-type']], [200, type], String(accept))
    assert.match(headers['vary']!, /^Accept\b/)
    assert.equal(headers['cache-control'], 'no-store')
  }
  const nothing = await app.ask('GET', '/receipt/x', { headers: { accept: '*/*' } })
  assert.deepEqual([nothing.status, nothing.headers['content-type']], [404, 'application/json'])
})

test('the sender withdraws a request once; again says the same [receipt.withdraw]', async (t) => {
  const app = openTestApp(t)
  const path = await send(app)
  app.clock.now += 60_000
  for (let time = 0; time < 2; time += 1) {
    const { status, json } = await asProgram(app, 'POST', `${path}/withdraw`)
    const { status: state, can_withdraw, changed_at } = json as Record<string, unknown>
    assert.deepEqual(
      [status, state, can_withdraw, changed_at],
      [200, 'withdrawn', false, '2026-11-15T09:01:00.000Z'],
    )
  }
  const [lead] = await app.store.views.list({ limit: 1 })
  assert.deepEqual([lead?.state, lead?.version], ['withdrawn', 2])
})

test('a browser that withdraws is sent back to its receipt', async (t) => {
  const app = openTestApp(t)
  const path = await send(app)
  const { status, headers } = await app.ask('POST', `${path}/withdraw`, {
    headers: { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' },
  })
  assert.deepEqual([status, headers['location']], [303, path])
  const page = await app.ask('GET', path, { headers: { accept: 'text/html' } })
  assert.doesNotMatch(page.text, /\/withdraw"/)
})

test('a request that is closed cannot be withdrawn any more', async (t) => {
  const app = openTestApp(t)
  const path = await send(app)
  const [lead] = await app.store.views.list({ limit: 1 })
  await moveLead(app.store, lead!, { to: 'not_suitable', by: 'owner', at: app.clock.now })
  const { status, text } = await asProgram(app, 'POST', `${path}/withdraw`)
  assert.equal(status, 409)
  assert.match(text, /"code":"INVALID_TRANSITION"/)
})

test('the sender erases a request, open or withdrawn, and what is sent again is a new one [erase.sender]', async (t) => {
  for (const isWithdrawn of [false, true]) {
    const app = openTestApp(t)
    const keyed = { ...robin, idempotency_key: randomUUID() }
    const path = await send(app, keyed)
    if (isWithdrawn) await asProgram(app, 'POST', `${path}/withdraw`)
    assert.equal((await asProgram(app, 'GET', `${path}/erase`)).status, 303)
    const [kept] = await app.store.views.list({ limit: 1 })
    assert.equal(kept?.values.email, robin.email_1, 'a GET changes nothing')

    app.clock.now += 60_000
    let wakes = 0
    app.store.leads.onDue(() => (wakes += 1))
    for (let time = 0; time < 2; time += 1) {
      const { status, json } = await asProgram(app, 'POST', `${path}/erase`)
      assert.equal(wakes, 1, 'the owner is told at once, and not again')
      assert.deepEqual(
        { ...(json as object), reference: status },
        {
          reference: 200,
          status: 'erased',
          message:
            'The details of this request are erased. I keep only its reference and its times.',
          received_at: '2026-11-15T09:00:00.000Z',
          changed_at: '2026-11-15T09:01:00.000Z',
          can_withdraw: false,
        },
      )
    }
    const all = await app.store.views.list({ limit: 9 })
    assert.equal(all.length, 1)
    assert.doesNotMatch(JSON.stringify(all), /robin|hardwood|0491/i)
    const [events] = await app.store.leads.eventsOf(all)
    assert.equal(JSON.parse(events!.at(-1)!.data).by, 'sender')
    assert.notEqual(await send(app, keyed), path)
  }
})

test('a browser that erases is sent back to its receipt, which offers nothing more [erase.sender]', async (t) => {
  const app = openTestApp(t)
  const path = await send(app)
  const headers = { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' }
  const { status, headers: answered } = await app.ask('POST', `${path}/erase`, { headers })
  assert.deepEqual([status, answered['location']], [303, path])
  const page = await app.ask('GET', path, { headers: { accept: 'text/html' } })
  assert.match(page.text, /The details of this request are erased\./)
  assert.doesNotMatch(page.text, /method="post"/)
})

test('the sender cannot erase a project that was won [erase.sender]', async (t) => {
  const app = openTestApp(t)
  const path = await send(app)
  for (const to of ['consultation_booked', 'won'] as const) {
    const [lead] = await app.store.views.list({ limit: 1 })
    await moveLead(app.store, lead!, { to, by: 'owner', at: app.clock.now })
  }
  const { json } = await asProgram(app, 'GET', path)
  assert.equal((json as { erase_url?: string }).erase_url, undefined)
  const { status, text } = await asProgram(app, 'POST', `${path}/erase`)
  assert.deepEqual([status, /INVALID_TRANSITION/.test(text)], [409, true])
})

test('whoever lives outside the areas is told so, by every door and on the receipt', async (t) => {
  const app = openTestApp(t)
  const far = / Your postcode is outside the areas I list, so I may not be able to come\.$/
  const messages = async (postcode: string) => {
    const lead = { ...robin, text_1: postcode }
    const { message, status_url: url } = (await app.postJson(lead)).json as Record<string, string>
    const tool = await callTool(app, 'submit_consultation_lead', { ...lead, name_1: 'Sam' })
    const receipt = (await asProgram(app, 'GET', new URL(url!).pathname)).json as {
      message: string
    }
    return [message!, String(tool.structuredContent!['message']), receipt.message]
  }
  for (const message of await messages(' 3078 ')) assert.match(message, far)
  for (const postcode of ['2480', '', 'Lismore', '24801']) {
    for (const message of await messages(postcode)) assert.doesNotMatch(message, far, postcode)
  }
})

test('held and spam look like any other request to whoever sent it [spam.held]', async (t) => {
  const app = openTestApp(t)
  const path = await send(app, { ...robin, botcheck: 'gotcha, a bot' })
  const [lead] = await app.store.views.list({ limit: 1 })
  assert.equal(lead?.state, 'held')
  const held = (await asProgram(app, 'GET', path)).json as Record<string, unknown>
  app.clock.now += 60_000
  await moveLead(app.store, lead, { to: 'spam', by: 'owner', at: app.clock.now })
  const spam = (await asProgram(app, 'GET', path)).json
  assert.deepEqual([held['status'], held['can_withdraw']], ['received', true])
  assert.deepEqual(spam, held)
})

test('a token that nobody was given opens nothing [receipt.private]', async (t) => {
  const app = openTestApp(t)
  const path = await send(app)
  const forged = path.slice(0, -1) + (path.endsWith('0') ? '1' : '0')
  for (const each of [forged, '/receipt/', '/receipt/x', `${path}/`, `${path}x`]) {
    assert.equal((await asProgram(app, 'GET', each)).status, 404, each)
    for (const act of ['withdraw', 'erase']) {
      const { status } = await asProgram(app, 'POST', `${each}/${act}`)
      assert.equal(status, each === `${path}/` ? 405 : 404, each)
    }
  }
  assert.equal((await asProgram(app, 'POST', path)).status, 405)
})

test('an address that lost a part is answered in words about receipts', async (t) => {
  const app = openTestApp(t)
  const short = (await send(app)).slice(0, -1)
  const { json } = await asProgram(app, 'GET', short)
  assert.deepEqual(json, {
    error: {
      code: 'NOT_FOUND',
      message: 'There is no receipt at this address.',
      resolution: 'Use the status_url of a request exactly as you got it, to the last character.',
    },
  })
  const page = await app.ask('GET', short, { headers: { accept: 'text/html' } })
  assert.deepEqual([page.status, page.headers['cache-control']], [404, 'no-store'])
  assert.match(page.text, /<h1>No receipt here<\/h1>[\s\S]*mailto:sam@example\.com/)
  const twin = await app.ask('GET', short, { headers: { accept: 'text/markdown' } })
  assert.deepEqual(
    [twin.status, twin.headers['content-type']],
    [404, 'text/markdown; charset=utf-8'],
  )
})

test('the thanks page shows the reference to the browser that sent the request, and to no other', async (t) => {
  const app = openTestApp(t)
  const sent = await app.postForm({ name_1: 'Robin Example', email_1: 'robin@example.com' })
  const cookie = sent.cookies.find((each) => each.startsWith('receipt='))!.split(';')[0]!
  const [lead] = await app.store.views.list({ limit: 1 })
  const own = await app.ask('GET', '/thanks/', { headers: { cookie, accept: 'text/html' } })
  assert.ok(own.text.includes(lead!.reference))
  assert.ok(own.text.includes(`href="/receipt/${/=(\w+)\./.exec(cookie)![1]}"`))
  assert.equal(own.headers['cache-control'], 'no-store')
  const other = await app.ask('GET', '/thanks/', { headers: { accept: 'text/html' } })
  assert.doesNotMatch(other.text, /C-[0-9A-Z]{5}/)
  // The cookie lasts for ten minutes: whoever comes back later has sent it all the same.
  assert.match(other.text, /no need to send it again/)
})

async function send(app: TestApp, lead: object = robin): Promise<string> {
  const { json } = await app.postJson(lead)
  return new URL((json as { status_url: string }).status_url).pathname
}

function asProgram(app: TestApp, method: string, path: string) {
  return app.ask(method, path, { headers: { accept: 'application/json' } })
}
