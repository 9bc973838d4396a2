import assert from 'node:assert/strict'
import test from 'node:test'
import { openTestApp } from '../support/app.ts'
import { callTool } from '../support/mcp.ts'
import { sam } from '../support/people.ts'

test('a name needs at least one character that is not blank [2.1.name_1, 8.name]', async (t) => {
  const { postJson } = openTestApp(t)
  for (const name_1 of ['', ' ', '\t\n', '\u00a0\u3000', '\u0000']) {
    assert.equal((await postJson({ ...sam, name_1 })).status, 400)
  }
  for (const name_1 of ['A', '李', '👩‍🔧', '.']) {
    assert.equal((await postJson({ ...sam, name_1 })).status, 200)
  }
})

test('valid email addresses are taken, others are not [2.1.email_1]', async (t) => {
  const { postJson } = openTestApp(t)
  const valid = [
    'a@b.co',
    'a@b.c',
    'a@example.c',
    'a&b@example.com',
    "o'brien+deck@sub.example.com.au",
    'first.last@xn--mnchen-3ya.de',
    '1@1.example',
    `${'a'.repeat(64)}@example.com`,
    ' padded@example.com ',
    'UPPER@EXAMPLE.COM',
  ]
  const invalid = [
    'a@b',
    'a',
    '@example.com',
    'a@',
    'a@@example.com',
    'a b@example.com',
    '.a@example.com',
    'a.@example.com',
    'a..b@example.com',
    'a@.example.com',
    'a@example.com.',
    'a@example..com',
    'a@-example.com',
    'a@example-.com',
    'a@127.0.0.1',
    'a@[127.0.0.1]',
    'a@b.co, c@d.co',
    'a@b.co\nbcc: c@d.co',
    'Sam <sam@example.com>',
    'mailto:sam@example.com',
    `${'a'.repeat(65)}@example.com`,
    `a@${'b'.repeat(64)}.com`,
    `${'a'.repeat(64)}@${'b.'.repeat(95)}com`,
  ]
  for (const email_1 of valid)
    assert.equal((await postJson({ ...sam, email_1 })).status, 200, email_1)
  for (const email_1 of invalid)
    assert.equal((await postJson({ ...sam, email_1 })).status, 400, email_1)
})

test('the longest text of each field is taken, one character more is not', async (t) => {
  const { postJson } = openTestApp(t)
  const limits = { name_1: 200, phone_1: 40, text_1: 16, textarea_1: 10_000 }
  for (const [field, limit] of Object.entries(limits)) {
    // A character outside the basic plane counts once, as in JSON Schema.
    for (const sign of ['x', '🪵']) {
      assert.equal((await postJson({ ...sam, [field]: sign.repeat(limit) })).status, 200, field)
      assert.equal((await postJson({ ...sam, [field]: sign.repeat(limit + 1) })).status, 400, field)
    }
  }
})

test('a field of the wrong type is a problem, never a guess', async (t) => {
  const { postJson } = openTestApp(t)
  for (const field of ['name_1', 'email_1', 'phone_1', 'text_1', 'textarea_1']) {
    for (const value of [412, true, [], ['x'], {}]) {
      assert.equal((await postJson({ ...sam, [field]: value })).status, 400, field)
    }
  }
})

test('null counts as left out, by every door that can say it', async (t) => {
  const app = openTestApp(t)
  const nothing = { phone_1: null, text_1: null, textarea_1: null, botcheck: null }
  const sent = { ...sam, ...nothing, idempotency_key: null }
  assert.equal((await app.postJson(sent)).status, 200)
  const { isError } = await callTool(app, 'submit_consultation_lead', { ...sent, name_1: 'Mai' })
  assert.equal(isError, undefined)
  for (const lead of await app.store.listLeads({ limit: 2 })) {
    const { phone, postcode, message } = lead.values
    assert.deepEqual([phone, postcode, message, lead.state], ['', '', '', 'new'])
  }
  const { json } = await app.postJson({ name_1: null, email_1: null })
  const { error } = json as { error: { code: string; details: { fields: object[] } } }
  assert.equal(error.code, 'VALIDATION_ERROR')
  assert.deepEqual(error.details.fields, [
    { field: 'name_1', problem: 'is missing', example: 'Robin Example' },
    { field: 'email_1', problem: 'is missing', example: 'robin@example.com' },
  ])
})

test('a listed field given twice with different values is a problem', async (t) => {
  const { ask } = openTestApp(t)
  const post = (body: string) =>
    ask('POST', '/api/lead', {
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
      body,
    })
  assert.equal((await post('name_1=Sam&name_1=Alex&email_1=sam@example.com')).status, 400)
  assert.equal((await post('name_1=Sam&name_1=Sam&email_1=sam@example.com')).status, 200)
})

test('unlisted fields are taken up to their number, size and depth', async (t) => {
  const { ask, postJson } = openTestApp(t)
  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`extra_${index}`, 'x']))
  const deep = (depth: number): unknown => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`)
  const cases: [unlisted: Record<string, unknown>, status: number][] = [
    [many(40), 200],
    [many(41), 400],
    [{ note: 'x'.repeat(16 * 1024 - 11) }, 200],
    [{ note: 'x'.repeat(16 * 1024 - 10) }, 400],
    [{ note: deep(15) }, 200],
    [{ note: deep(16) }, 400],
  ]
  for (const [unlisted, status] of cases) {
    assert.equal((await postJson({ ...sam, ...unlisted })).status, status)
  }
  const bottomless = `{"name_1":"Sam","email_1":"sam@example.com","note":${'['.repeat(20_000)}${']'.repeat(20_000)}}`
  const headers = { 'content-type': 'application/json' }
  assert.equal((await ask('POST', '/api/lead', { headers, body: bottomless })).status, 400)
})

test('text is kept after the published normalisation, and in no other way', async (t) => {
  const { ask, store, clock } = openTestApp(t)
  const cases: [sent: string, kept: string][] = [
    ['  Sam  ', 'Sam'],
    ['a\\r\\nb\\rc', 'a\nb\nc'],
    ['a\\u0000b\\u0007c\\u001fd\\te', 'abcd\te'],
    ['half \\ud83d pair', 'half \ufffd pair'],
    ['whole \\ud83e\\udeb5', 'whole 🪵'],
    ['e\\u0301 stays two', 'e\u0301 stays two'],
    ['<b>&amp;</b>', '<b>&amp;</b>'],
  ]
  for (const [sent, kept] of cases) {
    clock.now += 1
    await ask('POST', '/api/lead', {
      headers: { 'content-type': 'application/json' },
      body: `{"name_1":"Sam","email_1":"sam@example.com","textarea_1":"${sent}"}`,
    })
    const [lead] = await store.listLeads({ limit: 1 })
    assert.equal(lead?.values.message, kept)
  }
})

test('name, phone and postcode are one line, by every door', async (t) => {
  const app = openTestApp(t)
  const breaks = ['\r\n', '\n', '\r', '\t', '\v', '\f', '\u0085', '\u2028', '\u2029', '\n\n\t']
  for (const [index, sign] of breaks.entries()) {
    const forged = {
      name_1: `\u0085Sam${sign}Bcc: all@example.com${sign}`,
      email_1: `sam${index}@example.com`,
      phone_1: `0491${sign}570 006`,
      text_1: `24${sign}80`,
      textarea_1: 'One.\nTwo.',
    }
    await app.postJson(forged)
    await app.postForm({ ...forged, note: 'form' })
    await callTool(app, 'submit_consultation_lead', { ...forged, note: 'mcp' })
    for (const { values } of await app.store.listLeads({ limit: 3 })) {
      assert.equal(values.name, 'Sam Bcc: all@example.com')
      assert.equal(values.phone, '0491 570 006')
      assert.equal(values.postcode, '24 80')
      assert.equal(values.message, 'One.\nTwo.')
    }
  }
  assert.equal(await app.store.countLeads(undefined, 100), 3 * breaks.length)
  const email = { name_1: 'Sam', email_1: 'sam@example.com\nrobin@example.com' }
  assert.equal((await app.postJson(email)).status, 400)
})

test('form bytes that are not UTF-8 are read as windows-1252', async (t) => {
  const { ask, store } = openTestApp(t)
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const escaped = { headers, body: 'name_1=Jos%E9+100%&email_1=jose@example.com' }
  await ask('POST', '/api/lead', escaped)
  assert.equal((await store.listLeads({ limit: 1 }))[0]?.values.name, 'José 100%')
  const raw = Buffer.from('name_1=Ren\xe9e\x92s&email_1=renee@example.com', 'latin1')
  await ask('POST', '/api/lead', { headers, body: raw })
  assert.equal((await store.listLeads({ limit: 1 }))[0]?.values.name, 'Renée’s')
})
