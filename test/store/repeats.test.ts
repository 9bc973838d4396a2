import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import test from 'node:test'
import fc from 'fast-check'
import { openTestApp, type TestAnswer, type TestApp } from '../support/app.ts'
import type { NewLead } from '../../src/store/leads/rows.ts'
import { leadAt, openDesk } from '../support/desk.ts'
import { nowMs } from '../support/new-lead.ts'
import { until } from '../support/until.ts'
import { eventsOf } from '../support/events.ts'
import { callTool } from '../support/mcp.ts'
import { mai, robin, sam } from '../support/people.ts'

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
  assert.equal((await store.listLeads({ limit: 5 })).length, 1)
  clock.now += 1
  const later = await postJson(robin, { 'idempotency-key': 'k-1' })
  assert.equal(later.headers['idempotent-replayed'], undefined)
  assert.equal((await store.listLeads({ limit: 5 })).length, 2)
})

test('the same key with another lead is 422 [repeat.reused]', async (t) => {
  const { postJson, store } = openTestApp(t)
  await postJson(robin, { 'idempotency-key': 'k-1' })
  const answer = await postJson({ ...robin, phone_1: '' }, { 'idempotency-key': 'k-1' })
  assert.equal(answer.status, 422)
  assert.equal((answer.json as { error: { code: string } }).error.code, 'IDEMPOTENCY_KEY_REUSED')
  assert.equal((await store.listLeads({ limit: 5 })).length, 1)
})

test('different keys are different leads, whatever they carry', async (t) => {
  const { postJson, store } = openTestApp(t)
  await postJson(robin, { 'idempotency-key': 'k-1' })
  await postJson(robin, { 'idempotency-key': 'k-2' })
  assert.equal((await store.listLeads({ limit: 5 })).length, 2)
})

test('an invalid request does not use up its key', async (t) => {
  const { postJson } = openTestApp(t)
  assert.equal((await postJson({}, { 'idempotency-key': 'k-1' })).status, 400)
  assert.equal((await postJson(sam, { 'idempotency-key': 'k-1' })).status, 200)
})

test('a key has 1 to 255 characters, in the header or in the body', async (t) => {
  const { postJson } = openTestApp(t)
  assert.equal((await postJson(sam, { 'idempotency-key': 'k'.repeat(255) })).status, 200)
  for (const key of ['k'.repeat(256), '', '""']) {
    assert.equal((await postJson(sam, { 'idempotency-key': key })).status, 400)
  }
  assert.equal((await postJson({ ...sam, idempotency_key: 'k'.repeat(256) })).status, 400)
  assert.equal((await postJson({ ...sam, idempotency_key: 7 })).status, 400)
  const first = await postJson({ ...sam, idempotency_key: 'in the body' })
  const again = await postJson({ ...sam, idempotency_key: 'in the body' })
  assert.equal(again.text, first.text)
  assert.equal(again.headers['idempotent-replayed'], 'true')
})

test('without a key, the same content within ten minutes is the same lead [repeat.content]', async (t) => {
  const { postJson, postForm, store, clock } = openTestApp(t)
  const first = await postJson(robin)
  clock.now += 10 * 60_000 - 1
  const again = await postJson({ ...robin, email_1: 'ROBIN@example.com' })
  assert.equal(again.text, first.text)
  await postForm(robin)
  assert.equal((await store.listLeads({ limit: 5 })).length, 1)
  clock.now += 1
  await postJson(robin)
  assert.equal((await store.listLeads({ limit: 5 })).length, 2)
})

test('repeats of one lead are noted twenty times, and answered as before ever after', async (t) => {
  const { store } = openDesk(t)
  const key = { by: 'key', value: randomUUID() } as const
  for (const lead of [leadAt(1, {}, { dedup: key }), leadAt(2)]) {
    await store.keepLead(lead)
    const found = (await store.findLead(lead.id))!
    await store.moveLead(found, { to: 'contacted', by: 'owner', at: lead.receivedAt })
    for (let times = 1; times <= 30; times += 1) {
      const again = { ...lead, id: leadAt(100 + times).id, receivedAt: lead.receivedAt + times }
      const { id, reference } = lead
      assert.deepEqual(await store.keepLead(again), { kind: 'repeated', id, reference })
    }
    const kinds = (await eventsOf(store, lead.id)).map(({ kind }) => kind)
    assert.equal(kinds.filter((kind) => kind === 'lead.repeated').length, 20)
    assert.equal((await store.findLead(lead.id))!.version, 22)
  }
})

test('the same content without its key, a little later, is the same lead [repeat.both]', async (t) => {
  const { postJson, store } = openTestApp(t)
  const first = await postJson(robin, { 'idempotency-key': 'k-1' })
  assert.equal((await postJson(robin)).text, first.text)
  assert.equal((await store.listLeads({ limit: 5 })).length, 1)
})

test('a key answers by what became of its lead: erased is new, withdrawn is told, expired is new', async (t) => {
  const { store, database } = openDesk(t)
  const key = { by: 'key', value: randomUUID() } as const
  const at = (minute: number, dedup: NewLead['dedup']) =>
    leadAt(minute, leadAt(1).values, { dedup, client: 'client' })
  const keep = async (minute: number, dedup: NewLead['dedup'] = { by: 'content' }) =>
    (await store.keepLead(at(minute, dedup))).kind
  const find = async (minute: number) => (await store.findLead(leadAt(minute).id))!
  const keys = async () => {
    const [row] = await database.execute('select count(*) as n from dedup')
    return Number(row!['n'])
  }

  assert.equal(await keep(1, key), 'kept')
  assert.deepEqual([await keep(2, key), await keep(3)], ['repeated', 'repeated'])
  assert.equal(await keys(), 2)
  await store.eraseLead(await find(1), { by: 'ann', at: nowMs })
  assert.equal(await keys(), 0)
  assert.equal(await keep(4, key), 'kept')
  await store.moveLead(await find(4), { to: 'withdrawn', by: 'sender', at: nowMs })
  assert.deepEqual([await keep(5, key), await keys()], ['withdrawn', 1])
  assert.deepEqual([await keep(6), await keep(7)], ['kept', 'repeated'])
  // Ten minutes later the content, a week later the key.
  assert.deepEqual([await keep(16), await keep(17)], ['kept', 'repeated'])
  const week = 7 * 24 * 60
  assert.deepEqual([await keep(3 + week, key), await keep(4 + week, key)], ['withdrawn', 'kept'])
  // The same lead again is itself, and a lead without a key is kept in any case.
  assert.deepEqual(
    [await keep(4 + week, key), await keep(5 + week, { by: 'none' })],
    ['kept', 'kept'],
  )
  await until(async () => (await keys()) === 2, 'expired keys are deleted')
})

test('unlisted fields in another order are the same content', async (t) => {
  const { postJson, store } = openTestApp(t)
  await postJson({ ...sam, a: 1, b: 2 })
  await postJson({ b: 2, a: 1, ...sam })
  assert.equal((await store.listLeads({ limit: 5 })).length, 1)
})

test('an answer without a key never tells whether the lead was known', async (t) => {
  const { postJson } = openTestApp(t)
  const first = await postJson(robin)
  const again = await postJson(robin)
  assert.deepEqual(again.headers, first.headers)
})

test('a corrected phone number is a lead of its own: nothing typed is dropped', async (t) => {
  const { postJson, store } = openTestApp(t)
  await postJson(robin)
  await postJson({ ...robin, phone_1: '0491 570 156' })
  const leads = await store.listLeads({ limit: 5 })
  assert.deepEqual(
    leads.map(({ values }) => values.phone),
    ['0491 570 156', '0491 570 006'],
  )
})

test('a form sent by its script, and then by the browser because the answer was lost, is one lead', async (t) => {
  const app = openTestApp(t)
  const body = { ...robin, idempotency_key: 'nonce-1' }
  const byScript = await app.ask('POST', '/api/lead', {
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify(body),
  })
  assert.equal(byScript.status, 200)
  assert.equal((await app.postForm(body)).status, 303)
  const leads = await app.store.listLeads({ limit: 5 })
  assert.deepEqual(
    leads.map(({ door }) => door),
    ['webmcp'],
  )
})

test("a form's nonce keeps one lead for a form sent twice, and a second for other words", async (t) => {
  const { postForm, store, clock } = openTestApp(t)
  await postForm({ ...robin, idempotency_key: 'nonce-1' })
  clock.now += day
  await postForm({ ...robin, idempotency_key: 'nonce-1' })
  assert.equal((await store.listLeads({ limit: 5 })).length, 1)
  const changed = await postForm({
    ...robin,
    textarea_1: 'Something else',
    idempotency_key: 'nonce-1',
  })
  assert.equal(changed.headers['location'], '/thanks/')
  assert.equal((await store.listLeads({ limit: 5 })).length, 2)
})

test('a repeat is noted with the lead', async (t) => {
  const { postJson, store } = openTestApp(t)
  await postJson(robin, { 'idempotency-key': 'k-1' })
  await postJson(robin, { 'idempotency-key': 'k-1' })
  const [lead] = await store.listLeads({ limit: 1 })
  const events = await eventsOf(store, lead!.id)
  assert.deepEqual(
    events.map(({ kind }) => kind),
    ['lead.received', 'lead.repeated'],
  )
})

test('any mix of keys and contents, sent at once, keeps one lead per key and content', async (t) => {
  const sending = fc.record({
    key: fc.integer({ min: 1, max: 4 }),
    content: fc.integer({ min: 1, max: 2 }),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(sending, { minLength: 1, maxLength: 24 }), async (sendings) => {
      const { postJson, store } = openTestApp(t)
      const answers = await Promise.all(
        sendings.map(({ key, content }) =>
          postJson({ ...sam, textarea_1: `${content}` }, { 'idempotency-key': `k-${key}` }),
        ),
      )
      const keys = new Set(sendings.map(({ key }) => key))
      assert.equal((await store.listLeads({ limit: 50 })).length, keys.size)
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
  const { ask, store } = openTestApp(t)
  const request = { headers: { 'content-type': 'application/json' }, body: JSON.stringify(sam) }
  const own = await ask('POST', '/api/lead', { ...request, from: '203.0.113.7' })
  const stranger = await ask('POST', '/api/lead', { ...request, from: '203.0.113.8' })
  assert.notEqual(receiptOf(stranger), receiptOf(own))
  const again = await ask('POST', '/api/lead', { ...request, from: '203.0.113.7' })
  assert.equal(receiptOf(again), receiptOf(own))
  assert.equal((await store.listLeads({ limit: 5 })).length, 2)
})

test('a key that a stranger can guess is the client’s own, by every door [repeat.stranger]', async (t) => {
  const app = openTestApp(t)
  const idempotency_key = 'robin-2026-11-15'
  const own = '203.0.113.7'
  const stranger = '203.0.113.8'
  const first = await sendFrom(app, own, { ...robin, idempotency_key })
  const guessed = await sendFrom(app, stranger, { ...robin, idempotency_key })
  assert.equal(guessed.status, 200)
  assert.notEqual(receiptOf(guessed), receiptOf(first))
  assert.equal(guessed.headers['idempotent-replayed'], undefined)
  const again = await sendFrom(app, own, { ...robin, idempotency_key })
  assert.equal(receiptOf(again), receiptOf(first))
  assert.equal(again.headers['idempotent-replayed'], 'true')

  // A stranger who uses it first takes nothing away.
  const taken = { ...sam, idempotency_key: 'sam-1' }
  await sendFrom(app, stranger, taken)
  assert.equal((await sendFrom(app, own, { ...taken, text_1: '2480' })).status, 200)
  const tool = await callTool(app, submit, taken, { from: '203.0.113.9' })
  assert.equal((await app.store.listLeads({ limit: 9 })).length, 5)
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

test('a key that nobody can guess is one lead from anywhere', async (t) => {
  const app = openTestApp(t)
  for (const idempotency_key of [randomUUID(), randomBytes(24).toString('hex')]) {
    const first = await sendFrom(app, '203.0.113.7', { ...robin, idempotency_key })
    const moved = await sendFrom(app, '203.0.113.8', { ...robin, idempotency_key })
    assert.equal(receiptOf(moved), receiptOf(first))
    assert.equal(moved.headers['idempotent-replayed'], 'true')
    const other = await sendFrom(app, '203.0.113.8', { ...sam, idempotency_key })
    assert.equal(other.status, 422)
  }
  assert.equal((await app.store.listLeads({ limit: 9 })).length, 2)
})

test('the key that our documents print as an example is no key', async (t) => {
  const app = openTestApp(t)
  const { json } = await app.ask('GET', '/openapi.json')
  const { components } = json as {
    components: { parameters: { IdempotencyKey: { example: string } } }
  }
  const idempotency_key = components.parameters.IdempotencyKey.example
  const first = await app.postJson(robin, { 'idempotency-key': idempotency_key })
  const other = await app.postJson(sam, { 'idempotency-key': `"${idempotency_key}"` })
  assert.equal(other.status, 200)
  assert.notEqual(receiptOf(other), receiptOf(first))
  const again = await app.postJson({ ...robin, idempotency_key })
  assert.equal(receiptOf(again), receiptOf(first))
  assert.equal(again.headers['idempotent-replayed'], undefined)
  const tool = await callTool(app, submit, { ...sam, text_1: '2480', idempotency_key })
  assert.ok(tool.structuredContent)
  assert.equal((await app.postForm({ ...sam, text_1: '2481', idempotency_key })).status, 303)
  assert.equal((await app.store.listLeads({ limit: 9 })).length, 4)
  // With the example as header, a key in the body counts.
  const own = { ...sam, text_1: '2482', idempotency_key: 'own' }
  await app.postJson(own, { 'idempotency-key': idempotency_key })
  const replayed = await app.postJson(own, { 'idempotency-key': idempotency_key })
  assert.equal(replayed.headers['idempotent-replayed'], 'true')
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
  assert.equal((await app.store.listLeads({ limit: 9 })).length, 1)
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
  assert.match(page.text, /I had received this request, and you withdrew it/)
  assert.match(page.text, /value="Robin Example"/)
  const nonce = /name="idempotency_key" value="([^"]+)"/.exec(page.text)![1]!
  const anew = await app.postForm({ ...robin, idempotency_key: nonce })
  assert.equal(anew.headers['location'], '/thanks/')
  const states = (await app.store.listLeads({ limit: 9 })).map(({ state }) => state)
  assert.deepEqual(states, ['new', 'withdrawn', 'new', 'withdrawn'])
})

test('a request that was withdrawn and is sent again is a new one [repeat.withdrawn]', async (t) => {
  const { ask, postJson, store } = openTestApp(t)
  const first = receiptOf(await postJson(sam))
  const withdrawn = await ask('POST', `${new URL(first).pathname}/withdraw`, {
    headers: { accept: 'application/json' },
  })
  assert.equal(withdrawn.status, 200)
  const answers = await Promise.all([postJson(sam), postJson(sam)])
  const [second, third] = answers.map(receiptOf)
  assert.notEqual(second, first)
  assert.equal(third, second)
  const states = (await store.listLeads({ limit: 5 })).map(({ state }) => state)
  assert.deepEqual(states, ['new', 'withdrawn'])
})

const submit = 'submit_consultation_lead'

function sendFrom(app: TestApp, from: string, body: object): Promise<TestAnswer> {
  const headers = { 'content-type': 'application/json' }
  return app.ask('POST', '/api/lead', { headers, body: JSON.stringify(body), from })
}

function postFormFrom(app: TestApp, from: string, fields: Record<string, string>) {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  return app.ask('POST', '/api/lead', { headers, body: String(new URLSearchParams(fields)), from })
}

async function withdraw(app: TestApp, receipt: string): Promise<void> {
  const path = `${new URL(receipt, 'https://decks.example.com').pathname}/withdraw`
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
