import assert from 'node:assert/strict'
import test from 'node:test'
import { openTestApp, type TestAnswer } from '../support/app.ts'
import { robin, sam } from '../support/leads.ts'

const jsonHeaders = { 'content-type': 'application/json' }

test('missing or invalid fields are a VALIDATION_ERROR that says what to do [2.4, 4.2.json-error, 7.code, 7.message, 7.resolution]', async (t) => {
  const { postJson } = openTestApp(t)
  for (const body of [
    {},
    { name_1: 'Sam' },
    { email_1: 'sam@example.com' },
    { ...sam, email_1: 'x' },
  ]) {
    const answer = await postJson(body)
    assert.equal(answer.status, 400)
    assert.equal(answer.headers['content-type'], 'application/json')
    const error = errorOf(answer)
    assert.equal(error.code, 'VALIDATION_ERROR')
    assert.match(error.message, /name_1 and a valid email_1 are required/)
    assert.match(error.resolution, /Provide name_1 and a valid email_1.*\/openapi\.json/)
  }
})

test('every field with a problem is named, with the problem and an example [error.field]', async (t) => {
  const { postJson } = openTestApp(t)
  const answer = await postJson({
    name_1: '',
    email_1: 'robin@',
    phone_1: 412,
    text_1: 'x'.repeat(17),
  })
  assert.deepEqual(errorOf(answer).details, {
    fields: [
      { field: 'name_1', problem: 'is empty', example: 'Robin Example' },
      {
        field: 'email_1',
        problem: 'is not a valid email address: send one address, with an @ and a dot after it',
        example: 'robin@example.com',
      },
      {
        field: 'phone_1',
        problem: 'must be one text; leave it out if there is none',
        example: '0491 570 156',
      },
      {
        field: 'text_1',
        problem: 'is too long: at most 16 characters; nothing was cut or kept',
        example: '2480',
      },
    ],
  })
})

test('an error never repeats what was sent [error.private]', async (t) => {
  const { postJson, ask } = openTestApp(t)
  const secret = 'Ernestine Marker'
  const bodies = [
    { name_1: secret, email_1: secret },
    { [secret]: 1 },
    { ...sam, phone_1: secret.repeat(9) },
  ]
  for (const body of bodies) assert.doesNotMatch((await postJson(body)).text, /Ernestine/)
  const broken = await ask('POST', '/api/lead', {
    headers: jsonHeaders,
    body: `{"name_1":"${secret}`,
  })
  assert.doesNotMatch(broken.text, /Ernestine/)
})

test('a body that cannot be parsed is a PARSE_ERROR with the same advice [7.parse]', async (t) => {
  const { ask } = openTestApp(t)
  const bodies = [
    '',
    '{',
    '{"name_1":',
    'name_1=Sam',
    Buffer.from('{"name_1":"Jos\xe9"}', 'latin1'),
  ]
  for (const body of bodies) {
    const answer = await ask('POST', '/api/lead', { headers: jsonHeaders, body })
    assert.equal(answer.status, 400)
    const error = errorOf(answer)
    assert.equal(error.code, 'PARSE_ERROR')
    assert.match(error.message, /name_1 and a valid email_1 are required/)
    assert.match(error.resolution, /name_1 and a valid email_1; see \/openapi\.json/)
  }
})

test('a body of another kind, or encoded, is UNSUPPORTED_MEDIA_TYPE [4.2.body]', async (t) => {
  const { ask } = openTestApp(t)
  const kinds = [
    {},
    { 'content-type': 'text/plain' },
    { 'content-type': 'multipart/form-data; boundary=x' },
    { 'content-type': 'application/ld+json' },
    { 'content-type': 'application/json', 'content-encoding': 'gzip' },
  ]
  for (const headers of kinds) {
    const answer = await ask('POST', '/api/lead', {
      headers: { accept: 'application/json', ...headers },
      body: JSON.stringify(sam),
    })
    const error = errorOf(answer)
    assert.deepEqual([answer.status, error.code], [400, 'UNSUPPORTED_MEDIA_TYPE'])
    assert.match(error.message, /name_1 and a valid email_1 are required/)
    assert.equal(answer.headers['accept-encoding'], 'identity')
  }
})

test('too large a body is 413', async (t) => {
  const { ask } = openTestApp(t)
  const answer = await ask('POST', '/api/lead', { headers: jsonHeaders, body: 'too-large' })
  assert.deepEqual([answer.status, errorOf(answer).code], [413, 'PAYLOAD_TOO_LARGE'])
})

test('a form that is too large comes back with all but its cut-off end', async (t) => {
  const app = openTestApp(t)
  const start = Buffer.from('name_1=Mai+Example&email_1=mai%40example.com&textarea_1=%E7%94%B2%E6')
  const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' }
  const refused = await app.ask('POST', '/api/lead', { headers, body: { start } })
  assert.deepEqual([refused.status, refused.headers['location']], [303, '/contact/'])
  const cookie = refused.cookies.map((each) => each.split(';')[0]).join('; ')
  const { text } = await app.ask('GET', '/contact/', { headers: { cookie, accept: 'text/html' } })
  assert.match(text, /value="Mai Example"[^]*value="mai@example\.com"/)
})

test('a form of thousands of fields is refused with how many it may have', async (t) => {
  const { ask } = openTestApp(t)
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    accept: 'application/json',
  }
  const body = `name_1=Mai&email_1=mai%40example.com${'&%61=1'.repeat(1_000)}`
  const answer = await ask('POST', '/api/lead', { headers, body })
  assert.deepEqual([answer.status, errorOf(answer).code], [400, 'VALIDATION_ERROR'])
  assert.match(errorOf(answer).message, /too many fields: at most 1000/)
})

test('a program that asks for a file that is not there gets a short answer', async (t) => {
  const { ask } = openTestApp(t)
  for (const path of ['/x.json', '/ai.txt', '/api.yaml', '/.well-known/nothing']) {
    const answer = await ask('GET', path, { headers: { accept: '*/*' } })
    assert.deepEqual([answer.status, errorOf(answer).code], [404, 'NOT_FOUND'], path)
  }
  const browser = await ask('GET', '/x.json', { headers: { accept: 'text/html,*/*;q=0.8' } })
  assert.match(browser.text, /^<!DOCTYPE html>/)
})

test('an unknown path is 404, another method 405 with Allow', async (t) => {
  const { ask } = openTestApp(t)
  const missing = await ask('GET', '/api/leads')
  assert.deepEqual([missing.status, errorOf(missing).code], [404, 'NOT_FOUND'])
  for (const method of ['PUT', 'PATCH', 'DELETE', 'TRACE']) {
    const answer = await ask(method, '/api/lead')
    assert.deepEqual([answer.status, errorOf(answer).code], [405, 'METHOD_NOT_ALLOWED'])
    assert.equal(answer.headers['allow'], 'GET, POST, HEAD, OPTIONS')
  }
})

test('every answer carries the security headers', async (t) => {
  const { ask, postJson, postForm } = openTestApp(t)
  const answers = [
    await ask('GET', '/api/lead'),
    await ask('OPTIONS', '/api/lead'),
    await ask('OPTIONS', '*'),
    await ask('GET', '/nowhere'),
    await ask('GET', '/nowhere', { headers: { accept: 'text/markdown' } }),
    await ask('GET', '/'),
    await ask('GET', '/index.md'),
    await ask('GET', '/contact/'),
    await ask('GET', '/thanks/'),
    await ask('GET', '/openapi.json'),
    await ask('GET', '/favicon.svg'),
    await ask('PUT', '/api/lead'),
    await postJson(robin),
    await postJson({}),
    await postForm(sam),
    await postForm({}),
  ]
  for (const { headers } of answers) {
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.match(headers['content-security-policy']!, /default-src 'none'.*frame-ancestors 'none'/)
  }
  const redirect = await postForm(robin)
  assert.equal(redirect.headers['referrer-policy'], 'no-referrer')
  assert.equal((await ask('GET', '/api/lead')).headers['cache-control'], 'no-store')
  assert.equal((await ask('GET', '/api/nowhere')).headers['cache-control'], 'no-store')
})

type ApiError = { code: string; message: string; resolution: string; details?: unknown }

function errorOf({ json }: TestAnswer): ApiError {
  assert.deepEqual(Object.keys(json as object), ['error'])
  return (json as { error: ApiError }).error
}
