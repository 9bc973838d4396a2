import assert from 'node:assert/strict'
import test from 'node:test'
import { openSeal, readLongCookie } from '../../src/http/cookies.ts'
import { openTestApp, type TestAnswer } from '../support/app.ts'
import { robin, sam } from '../support/people.ts'
import { StorageUnavailable } from '../../src/store/engine/engine.ts'

test('a lead from a browser goes to /thanks/ [1.forms, 4.2.browser-accepted]', async (t) => {
  const { postForm, store } = openTestApp(t)
  const answer = await postForm(robin)
  assert.equal(answer.status, 303)
  assert.equal(answer.headers['location'], '/thanks/')
  const [lead] = await store.listLeads({ limit: 1 })
  assert.equal(lead?.door, 'form')
  assert.equal(lead?.values.message, robin.textarea_1)
})

test('every redirect says in plain text what happened and what to do', async (t) => {
  const { ask, postForm, postJson } = openTestApp(t)
  const { pathname: receipt } = new URL(
    ((await postJson(robin)).json as { status_url: string }).status_url,
  )
  const redirects = [
    await postForm(sam),
    await postForm({}),
    await ask('GET', '/contact'),
    await ask('GET', '/index.html'),
    await ask('GET', `${receipt}/withdraw`),
  ]
  for (const { status, headers, text } of redirects) {
    assert.match(`${status}`, /^30[38]$/)
    assert.equal(headers['content-type'], 'text/plain; charset=utf-8')
    assert.ok(text.endsWith(` See ${headers['location']}.\n`), text)
  }
  const [received, refused] = redirects
  assert.match(received!.text, /Your Consultation request was received\./)
  assert.match(refused!.text, /Nothing was received\..* name_1 is missing; email_1 is missing\./)
  for (const { text } of [received!, refused!]) {
    assert.match(text, /send Accept: application\/json\./)
  }
})

test('JSON that is sent without its Content-Type is told to send it', async (t) => {
  const { ask, store } = openTestApp(t)
  const bodies = [JSON.stringify(robin), ` \n${JSON.stringify(sam)}`, '{"name_1":"S&M"', '[]']
  for (const type of ['application/x-www-form-urlencoded', 'text/plain;charset=UTF-8', undefined]) {
    const headers = type === undefined ? undefined : { 'content-type': type }
    for (const body of bodies) {
      const plain = await ask('POST', '/api/lead', { headers: { ...headers, accept: '*/*' }, body })
      assert.deepEqual([plain.status, plain.headers['location']], [303, '/contact/'])
      assert.match(plain.text, /^Nothing was received\..*send Content-Type: application\/json\./)
      assert.doesNotMatch(plain.text, /is missing/)
      const accept = 'application/json'
      const { status, json } = await ask('POST', '/api/lead', {
        headers: { ...headers, accept },
        body,
      })
      assert.equal(status, 400)
      const { error } = json as { error: { code: string; message: string; details: unknown } }
      assert.equal(error.code, 'UNSUPPORTED_MEDIA_TYPE')
      assert.match(error.message, /name_1 and a valid email_1 are required.*Content-Type/)
      assert.deepEqual(error.details, {
        fields: [
          {
            field: 'Content-Type',
            problem: 'does not say that the body is JSON: send Content-Type: application/json',
            example: 'application/json',
          },
        ],
      })
    }
  }
  assert.deepEqual(await store.listLeads({ limit: 1 }), [])
  const form = 'application/x-www-form-urlencoded'
  const odd = {
    headers: { 'content-type': form },
    body: '{x}=1&name_1=Sam&email_1=sam@example.com',
  }
  assert.equal((await ask('POST', '/api/lead', odd)).headers['location'], '/thanks/')
})

test('only the browser that sent it can show the receipt', async (t) => {
  const { postForm } = openTestApp(t)
  const { cookies } = await postForm(sam)
  assert.match(
    cookies.find((cookie) => cookie.startsWith('receipt='))!,
    /^receipt=[0-9a-f]{64}\.C-\w{5}-\w{5}; Max-Age=600; Path=\/thanks\/; HttpOnly; Secure; SameSite=Lax$/,
  )
})

test('a failed post goes back to exactly /contact/ [4.2.browser-error, 7.browser, url.private]', async (t) => {
  const { postForm, store } = openTestApp(t)
  for (const fields of [
    {},
    { name_1: 'Sam' },
    { ...sam, email_1: 'sam' },
    { ...sam, name_1: ' ' },
  ]) {
    const answer = await postForm(fields)
    assert.equal(answer.status, 303)
    assert.equal(answer.headers['location'], '/contact/')
  }
  assert.deepEqual(await store.listLeads({ limit: 1 }), [])
})

test('a failed post carries every typed word and the problems in a sealed cookie', async (t) => {
  const { postForm } = openTestApp(t)
  const answer = await postForm({
    ...robin,
    email_1: 'robin@',
    textarea_1: 'Zwölf Meter\nund mehr 🪵',
  })
  assert.ok(
    answer.cookies.every((cookie) =>
      /Max-Age=\d+; Path=\/contact\/; HttpOnly; Secure; SameSite=Lax$/.test(cookie),
    ),
  )
  assert.ok(answer.cookies.every((cookie) => !cookie.includes('Robin')))
  assert.deepEqual(openDraft(answer), {
    typed: { ...robin, email_1: 'robin@', textarea_1: 'Zwölf Meter\nund mehr 🪵' },
    problems: [{ field: 'email_1', words: 'This address seems to lack what comes after the @.' }],
  })
})

test('a message of the full length comes back whole', async (t) => {
  const { postForm } = openTestApp(t)
  const words = 'I would like a deck of spotted gum around the old jacaranda, with a wide step. '
  const message = Array.from({ length: 130 }, (_, i) => `${i} ${words}`)
    .join('')
    .slice(0, 10_000)
  const answer = await postForm({ name_1: '', email_1: 'sam@example.com', textarea_1: message })
  const draft = openDraft(answer) as { typed: Record<string, string> }
  assert.equal(draft.typed['textarea_1'], message)
  const line = answer.cookies.map((cookie) => cookie.split(';')[0]).join('; ')
  assert.ok(line.length < 8_000, `the browser would send a Cookie line of ${line.length}`)
})

test('text that no cookie can carry is named, and the rest still comes back', async (t) => {
  const { postForm } = openTestApp(t)
  let noise = ''
  for (let seed = 1; noise.length < 20_000; seed = (seed * 48_271) % 2_147_483_647)
    noise += seed.toString(36)
  const answer = await postForm({ ...sam, textarea_1: noise })
  assert.equal(answer.headers['location'], '/contact/')
  const draft = openDraft(answer) as {
    typed: Record<string, string>
    problems: { field: string }[]
  }
  assert.deepEqual(draft.typed, sam)
  assert.deepEqual(
    draft.problems.map(({ field }) => field),
    ['textarea_1', 'textarea_1'],
  )
})

test('after a lead is taken, the browser forgets the failed one', async (t) => {
  const { postForm } = openTestApp(t)
  const { cookies } = await postForm(sam)
  assert.ok(cookies.some((cookie) => cookie.startsWith('draft0=; Max-Age=0')))
})

test('a body too large, or of an unknown kind, is an input failure like any other', async (t) => {
  const { ask } = openTestApp(t)
  const large = await ask('POST', '/api/lead', {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'too-large',
  })
  assert.deepEqual([large.status, large.headers['location']], [303, '/contact/'])
  const kind = await ask('POST', '/api/lead', {
    headers: { 'content-type': 'text/plain' },
    body: 'x',
  })
  assert.deepEqual([kind.status, kind.headers['location']], [303, '/contact/'])
})

test('when nothing can be kept, the page holds every typed word and offers to send again [keep.page]', async (t) => {
  const { store } = openTestApp(t)
  const keepLead = () => Promise.reject(new StorageUnavailable('full'))
  const { postForm } = openTestApp(t, { store: { ...store, keepLead } })
  const typed = { ...robin, textarea_1: '<script>alert("x")</script>\n& more' }
  const answer = await postForm({ ...typed, idempotency_key: 'nonce-1', colour: '"grey"' })
  assert.equal(answer.status, 503)
  assert.equal(answer.headers['retry-after'], '5')
  assert.equal(answer.headers['content-type'], 'text/html; charset=utf-8')
  assert.match(
    answer.headers['content-security-policy']!,
    /^default-src 'none'; style-src 'sha256-/,
  )
  assert.match(
    answer.text,
    /<h1>Please send it again[\s\S]*Or ring me: .*<a href="tel:0491570006">/,
  )
  assert.match(answer.text, /value="Robin Example"/)
  assert.match(answer.text, /value="0491 570 006"/)
  assert.match(
    answer.text,
    /&lt;script&gt;alert\(&quot;x&quot;\)&lt;\/script&gt;\n&amp; more<\/textarea>/,
  )
  assert.doesNotMatch(answer.text, /<script/)
  assert.match(answer.text, /action="\/api\/lead"/)
  assert.match(answer.text, /name="idempotency_key" value="nonce-1"/)
  assert.match(answer.text, /name="colour" value="&quot;grey&quot;"/)
})

function openDraft({ cookies }: TestAnswer): unknown {
  const header = cookies.map((cookie) => cookie.split(';')[0]).join('; ')
  const { until: _, ...draft } = JSON.parse(
    openSeal(Buffer.alloc(32, 7), 'draft').open(readLongCookie(header, 'draft')!)!,
  )
  return draft
}
