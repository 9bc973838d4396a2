import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import test from 'node:test'
import fc from 'fast-check'
import { exampleKey } from '../../src/contract/idempotency-key.ts'
import { mostRepeatsNoted } from '../../src/store/leads/keep.ts'
import { hourMs } from '../../src/time.ts'
import { openTestApp, type TestAnswer, type TestApp } from '../support/app.ts'
import { callTool } from '../support/mcp.ts'
import { eventsOf, mai, robin, sam } from '../support/leads.ts'

const day = 24 * 60 * 60_000

test('the same key and lead give the first answer again, for seven days [repeat.key]', async (t) => {
  const { postJson, store, clock } = openTestApp(t)
  const first = await postJson(robin, { 'idempotency-key': 'k-1' })
  assert.equal(first.headers['idempotent-replayed'], undefined)
  clock.now += 7 * day - 1
  const again = await postJson(robin, { 'idempotency-key': '"k-1"' })
  assert.equal(again.status, 200)
  assert.equal(again.text, first.text)
  assert.equal(again.headers['idempotent-replayed'], 'true')
  assert.equal((await store.views.list({ limit: 5 })).length, 1)
  clock.now += 1
  const later = await postJson(robin, { 'idempotency-key': 'k-1' })
  assert.equal(later.headers['idempotent-replayed'], undefined)
  assert.equal((await store.views.list({ limit: 5 })).length, 2)
})

test('a lead that is sent again without end fills no history', async (t) => {
  const { postJson, store } = openTestApp(t)
  const send = () => postJson(robin, { 'idempotency-key': 'k-1' })
  await send()
  for (let again = 0; again < mostRepeatsNoted + 2; again += 1) {
    assert.equal((await send()).headers['idempotent-replayed'], 'true')
  }
  const [lead] = await store.views.list({ limit: 5 })
  const repeats = (await eventsOf(store, lead!.id)).filter(({ kind }) => kind === 'lead.repeated')
  assert.equal(repeats.length, mostRepeatsNoted)
})

test('the same key with another lead is 422 [repeat.reused]', async (t) => {
  const { postJson, store } = openTestApp(t)
  await postJson(robin, { 'idempotency-key': 'k-1' })
  const answer = await postJson({ ...robin, phone_1: '' }, { 'idempotency-key': 'k-1' })
  assert.equal(answer.status, 422)
  assert.equal((answer.json as { error: { code: string } }).error.code, 'IDEMPOTENCY_KEY_REUSED')
  assert.equal((await store.views.list({ limit: 5 })).length, 1)
})

test('without a key, the same content within ten minutes is the same lead [repeat.content]', async (t) => {
  const { postJson, postForm, store, clock } = openTestApp(t)
  const first = await postJson(robin)
  clock.now += 10 * 60_000 - 1
  const again = await postJson({ ...robin, email_1: 'ROBIN@example.com' })
  assert.equal(again.text, first.text)
  await postForm(robin)
  assert.equal((await store.views.list({ limit: 5 })).length, 1)
  clock.now += 1
  await postJson(robin)
  assert.equal((await store.views.list({ limit: 5 })).length, 2)
})

test('after a clock that was ahead, the same words or the same key make a new lead', async (t) => {
  const { postJson, store, clock } = openTestApp(t)
  const key = { 'idempotency-key': 'k-1' }
  const right = clock.now
  clock.now += 365 * day
  await postJson(robin)
  await postJson(sam, key)
  clock.now = right + 30 * day
  await store.forgetFuture(clock.now)
  const anew = [await postJson(robin), await postJson(sam, key)].map(receiptOf)
  assert.equal((await store.views.list({ limit: 9 })).length, 4)
  const again = [await postJson(robin), await postJson(sam, key)].map(receiptOf)
  assert.deepEqual(again, anew)
  assert.equal((await store.views.list({ limit: 9 })).length, 4)
})

test('nodes whose clocks differ by a little keep one lead', async (t) => {
  const { postJson, store, clock } = openTestApp(t)
  clock.now += 20_000
  await postJson(robin, { 'idempotency-key': 'k-1' })
  await postJson(sam)
  clock.now -= 20_000
  await postJson(robin, { 'idempotency-key': 'k-1' })
  await postJson(sam)
  assert.equal((await store.views.list({ limit: 9 })).length, 2)
})

test('the same content without its key, a little later, is the same lead [repeat.both]', async (t) => {
  const { postJson, store } = openTestApp(t)
  const first = await postJson(robin, { 'idempotency-key': 'k-1' })
  assert.equal((await postJson(robin)).text, first.text)
  assert.equal((await store.views.list({ limit: 5 })).length, 1)
})

test('a form sent by its script, and then by the browser because the answer was lost, is one lead', async (t) => {
  const app = openTestApp(t)
  const body = { ...robin, idempotency_key: 'nonce-1' }
  const byScript = await app.postJson(body, { 'sec-fetch-site': 'same-origin' })
  assert.equal(byScript.status, 200)
  assert.equal((await app.postForm(body)).status, 303)
  const leads = await app.store.views.list({ limit: 5 })
  assert.deepEqual(
    leads.map(({ door }) => door),
    ['webmcp'],
  )
})

test('any mix of keys and contents, sent at once, keeps one lead per key and content', async (t) => {
  const sending = fc.record({
    key: fc.integer({ min: 1, max: 4 }),
    content: fc.integer({ min: 1, max: 2 }),
  })
  const { postJson, store, clock } = openTestApp(t)
  await fc.assert(
    fc.asyncProperty(fc.array(sending, { minLength: 1, maxLength: 24 }), async (sendings) => {
      // So the keys of each run are its own, and no limit is met.
      clock.now += hourMs
      const answers = await Promise.all(
        sendings.map(({ key, content }) =>
          postJson(
            { ...sam, textarea_1: `${content}` },
            { 'idempotency-key': `k-${clock.now}-${key}` },
          ),
        ),
      )
      const keys = new Set(sendings.map(({ key }) => key))
      const leads = await store.views.list({ limit: 50 })
      const kept = leads.filter(({ receivedAt }) => receivedAt === clock.now)
      assert.equal(kept.length, keys.size)
      for (const key of keys) {
        const own = answers.filter((_, index) => sendings[index]!.key === key)
        const taken = own.filter(({ status }) => status === 200)
        assert.equal(new Set(taken.map(({ text }) => text)).size, 1)
        assert.equal(
          taken.filter(({ headers }) => headers['idempotent-replayed'] === undefined).length,
          1,
        )
        assert.ok(own.every(({ status }) => status === 200 || status === 422))
      }
    }),
    { numRuns: 25 },
  )
})

test('the same words from somewhere else are a lead of their own, with a receipt of their own', async (t) => {
  const { postJson, store } = openTestApp(t)
  const own = await postJson(sam, {}, '203.0.113.7')
  const stranger = await postJson(sam, {}, '203.0.113.8')
  assert.notEqual(receiptOf(stranger), receiptOf(own))
  const again = await postJson(sam, {}, '203.0.113.7')
  assert.equal(receiptOf(again), receiptOf(own))
  assert.equal((await store.views.list({ limit: 5 })).length, 2)
})

test('a key that a stranger can guess is the client’s own, by every door [repeat.stranger]', async (t) => {
  const app = openTestApp(t)
  const idempotency_key = 'robin-2026-11-15'
  const own = '203.0.113.7'
  const stranger = '203.0.113.8'
  const first = await app.postJson({ ...robin, idempotency_key }, {}, own)
  const guessed = await app.postJson({ ...robin, idempotency_key }, {}, stranger)
  assert.equal(guessed.status, 200)
  assert.notEqual(receiptOf(guessed), receiptOf(first))
  assert.equal(guessed.headers['idempotent-replayed'], undefined)
  const again = await app.postJson({ ...robin, idempotency_key }, {}, own)
  assert.equal(receiptOf(again), receiptOf(first))
  assert.equal(again.headers['idempotent-replayed'], 'true')

  // A stranger who uses it first takes nothing away.
  const taken = { ...sam, idempotency_key: 'sam-1' }
  await app.postJson(taken, {}, stranger)
  assert.equal((await app.postJson({ ...taken, text_1: '2480' }, {}, own)).status, 200)
  const tool = await callTool(app, submit, taken, { from: '203.0.113.9' })
  assert.equal((await app.store.views.list({ limit: 9 })).length, 5)
  const { structuredContent } = await callTool(app, submit, taken, { from: '203.0.113.9' })
  assert.deepEqual(structuredContent, tool.structuredContent)

  const form = { ...mai, preferred_days: '', agent: '', idempotency_key: 'form-1' }
  const tokens = [own, stranger, own].map(async (from) =>
    tokenOf(await postFormFrom(app, from, form)),
  )
  const [mine, other, mineAgain] = await Promise.all(tokens)
  assert.notEqual(other, mine)
  assert.equal(mineAgain, mine)
})

test('the key of our documents counts as none, in the header and in the body', async (t) => {
  const { postJson } = openTestApp(t)
  for (const lead of [robin, sam]) {
    const inHeader = await postJson(lead, { 'idempotency-key': exampleKey })
    const inBody = await postJson({ ...lead, textarea_1: 'A deck', idempotency_key: exampleKey })
    assert.deepEqual([inHeader.status, inBody.status], [200, 200])
  }
})

test('a key that models make up blocks nobody else, and opens nobody else’s receipt [repeat.stranger]', async (t) => {
  const app = openTestApp(t)
  const keys = [
    '550e8400-e29b-41d4-a716-446655440000',
    '123e4567-e89b-12d3-a456-426614174000',
    'lead-2026-11-17-robin-1',
  ]
  for (const idempotency_key of keys) {
    const stranger = await app.postJson({ ...robin, idempotency_key }, {}, '203.0.113.8')
    const same = await app.postJson({ ...robin, idempotency_key }, {}, '203.0.113.7')
    assert.equal(same.status, 200)
    assert.notEqual(receiptOf(same), receiptOf(stranger))
    const other = await app.postJson({ ...sam, idempotency_key }, {}, '203.0.113.9')
    assert.equal(other.status, 200)
    // To its own client the key is still a key.
    const again = await app.postJson({ ...robin, idempotency_key }, {}, '203.0.113.7')
    assert.equal(receiptOf(again), receiptOf(same))
    const reused = await app.postJson({ ...sam, idempotency_key }, {}, '203.0.113.7')
    assert.equal(reused.status, 422)
  }
})

test('a key that nobody can guess is one lead from anywhere', async (t) => {
  const app = openTestApp(t)
  for (const idempotency_key of [randomUUID(), '019a85d0-6c00-7f6e-8ad2-7b0c93e85f1d']) {
    const first = await app.postJson({ ...robin, idempotency_key }, {}, '203.0.113.7')
    const moved = await app.postJson({ ...robin, idempotency_key }, {}, '203.0.113.8')
    assert.equal(receiptOf(moved), receiptOf(first))
    assert.equal(moved.headers['idempotent-replayed'], 'true')
    const other = await app.postJson({ ...sam, idempotency_key }, {}, '203.0.113.8')
    assert.equal(other.status, 422)
  }
  assert.equal((await app.store.views.list({ limit: 9 })).length, 2)
})

test('a form that is sent again from another network is one lead', async (t) => {
  const app = openTestApp(t)
  const { text } = await app.ask('GET', '/contact/')
  const [, idempotency_key = ''] = /name="idempotency_key" value="([^"]+)"/.exec(text)!
  const form = { ...mai, preferred_days: '', agent: '', idempotency_key }
  const first = tokenOf(await postFormFrom(app, '203.0.113.7', form))
  assert.equal(tokenOf(await postFormFrom(app, '203.0.113.8', form)), first)
  assert.equal((await app.store.views.list({ limit: 9 })).length, 1)
})

test('a key whose lead was withdrawn says so, by every door [repeat.withdrawn]', async (t) => {
  const app = openTestApp(t)
  const idempotency_key = randomUUID()
  const keyed = { ...sam, idempotency_key }
  await withdraw(app, receiptOf(await app.postJson(keyed)))
  const again = await app.postJson(keyed)
  assert.equal(again.status, 409)
  assert.equal(again.headers['idempotent-replayed'], undefined)
  const { error } = again.json as { error: { code: string; message: string; resolution: string } }
  assert.equal(error.code, 'REQUEST_WITHDRAWN')
  assert.match(error.message, /received before and then withdrawn/)
  assert.match(error.resolution, /new idempotency key/)
  const tool = await callTool(app, submit, keyed)
  assert.equal(tool.isError, true)
  assert.deepEqual(JSON.parse(tool.content[0]!.text), again.json)
  assert.equal((await app.postJson({ ...robin, idempotency_key })).status, 422)
  assert.equal((await app.store.views.list({ limit: 9 })).length, 1)
  const fresh = await app.postJson({ ...sam, idempotency_key: randomUUID() })
  assert.equal(fresh.status, 200)

  const form = { ...robin, idempotency_key: randomUUID() }
  const sent = await app.postForm(form)
  await withdraw(app, `/receipt/${tokenOf(sent)}`)
  const back = await app.postForm(form)
  assert.equal(back.status, 303)
  assert.equal(back.headers['location'], '/contact/')
  const cookie = back.cookies.map((each) => each.split(';')[0]).join('; ')
  const page = await app.ask('GET', '/contact/', { headers: { cookie } })
  assert.match(page.text, /You sent this request before and then withdrew it/)
  assert.match(page.text, /value="Robin Example"/)
  const nonce = /name="idempotency_key" value="([^"]+)"/.exec(page.text)![1]!
  const anew = await app.postForm({ ...robin, idempotency_key: nonce })
  assert.equal(anew.headers['location'], '/thanks/')
  const states = (await app.store.views.list({ limit: 9 })).map(({ state }) => state)
  assert.deepEqual(states, ['new', 'withdrawn', 'new', 'withdrawn'])
})

test('a request that was withdrawn and is sent again is a new one [repeat.withdrawn]', async (t) => {
  const app = openTestApp(t)
  const { postJson, store } = app
  const first = receiptOf(await postJson(sam))
  await withdraw(app, first)
  const answers = await Promise.all([postJson(sam), postJson(sam)])
  const [second, third] = answers.map(receiptOf)
  assert.notEqual(second, first)
  assert.equal(third, second)
  const states = (await store.views.list({ limit: 5 })).map(({ state }) => state)
  assert.deepEqual(states, ['new', 'withdrawn'])
})

test('a key whose lead was erased says so from anywhere, whatever is sent with it, until it ends [repeat.erased]', async (t) => {
  const app = openTestApp(t)
  const idempotency_key = randomUUID()
  const keyed = { ...robin, idempotency_key }
  await erase(app, receiptOf(await app.postJson(keyed, {}, '203.0.113.7')))
  const again = await app.postJson(keyed, {}, '203.0.113.7')
  assert.equal(again.status, 409)
  const { error } = again.json as { error: { code: string; message: string } }
  assert.equal(error.code, 'REQUEST_WITHDRAWN')
  assert.match(error.message, /withdrawn or erased/)
  const elsewhere = await app.postJson(keyed, {}, '203.0.113.8')
  assert.deepEqual([elsewhere.status, elsewhere.json], [409, again.json])
  // The erased lead has no fingerprint any more with which other content could be compared.
  const other = await app.postJson({ ...sam, idempotency_key }, {}, '203.0.113.8')
  assert.deepEqual([other.status, other.json], [409, again.json])
  const tool = await callTool(app, submit, keyed)
  assert.deepEqual(JSON.parse(tool.content[0]!.text), again.json)
  const states = async () => (await app.store.views.list({ limit: 9 })).map(({ state }) => state)
  assert.deepEqual(await states(), ['erased'])
  app.clock.now += 7 * day
  assert.equal((await app.postJson(keyed, {}, '203.0.113.7')).status, 200)
  assert.deepEqual(await states(), ['new', 'erased'])
})

test('every other key of an erased lead is free: the same words make a new lead [repeat.erased]', async (t) => {
  const app = openTestApp(t)
  const form = { ...mai, preferred_days: '', agent: '', idempotency_key: randomUUID() }
  const sends = [
    () => app.postJson(robin),
    // A guessable key counts together with the client's network, so its hash tells of that.
    () => app.postJson({ ...sam, idempotency_key: 'sam-2026-11-15' }),
    () => app.postForm(form),
  ]
  for (const [index, send] of sends.entries()) {
    const sent = await send()
    await erase(app, index === 2 ? `/receipt/${tokenOf(sent)}` : receiptOf(sent))
    assert.ok([200, 303].includes((await send()).status))
    const [anew, erased] = await app.store.views.list({ limit: 2 })
    assert.deepEqual([anew?.state, erased?.state], ['new', 'erased'])
  }
})

const submit = 'submit_consultation_lead'

function postFormFrom(app: TestApp, from: string, fields: Record<string, string>) {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  return app.ask('POST', '/api/lead', { headers, body: String(new URLSearchParams(fields)), from })
}

async function withdraw(app: TestApp, receipt: string): Promise<void> {
  const path = `${new URL(receipt, 'https://decks.example.com').pathname}/withdraw`
  const { status } = await app.ask('POST', path, { headers: { accept: 'application/json' } })
  assert.equal(status, 200)
}

async function erase(app: TestApp, receipt: string): Promise<void> {
  const path = `${new URL(receipt, 'https://decks.example.com').pathname}/erase`
  const { status } = await app.ask('POST', path, { headers: { accept: 'application/json' } })
  assert.equal(status, 200)
}

/** From the cookie of the thanks page. */
function tokenOf({ cookies }: TestAnswer): string {
  return /receipt=(\w+)/.exec(cookies.join('\n'))![1]!
}

function receiptOf({ json }: TestAnswer): string {
  return (json as { status_url: string }).status_url
}
