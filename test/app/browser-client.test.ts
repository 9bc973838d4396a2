import assert from 'node:assert/strict'
import test from 'node:test'
import { createSeal, readLongCookie } from '../../src/http/cookies.ts'
import { openTestApp, type TestAnswer } from '../support/app.ts'
import { robin, sam } from '../support/leads.ts'
import { StorageUnavailable } from '../../src/store/engine/engine.ts'

test('the thanks page and its twin say the same, with a request and without', async (t) => {
  const app = openTestApp(t)
  const sent = await app.postForm(sam)
  const cookie = sent.cookies.map((each) => each.split(';')[0]).join('; ')
  const [{ reference } = { reference: '' }] = await app.store.views.list({ limit: 1 })
  const get = (accept: string, own = {}) =>
    app.ask('GET', '/thanks/', { headers: { accept, ...own } }).then(({ text }) => text)
  for (const accept of ['text/html', 'text/markdown']) {
    assert.match(await get(accept, { cookie }), /Received, thank you/)
    assert.match(await get(accept, { cookie }), /I usually answer in the evening/)
    assert.ok((await get(accept, { cookie })).includes(reference))
    const photos = `mailto:sam@example.com?subject=${reference}`
    assert.ok((await get(accept, { cookie })).includes(photos), 'a way to send photos')
    assert.match(await get(accept), /If you came here some other way, nothing has been sent yet/)
  }
  const twin = await app.ask('GET', '/thanks.md')
  assert.match(twin.headers['link']!, /<\/llms\.txt>; rel="describedby"/)
})

test('a lead from a browser goes to /thanks/ [1.forms, 4.2.browser-accepted]', async (t) => {
  const { ask, postForm, store } = openTestApp(t)
  const answer = await postForm(robin)
  assert.equal(answer.status, 303)
  assert.equal(answer.headers['location'], '/thanks/')
  const [lead] = await store.views.list({ limit: 1 })
  assert.equal(lead?.door, 'form')
  assert.equal(lead.values.message, robin.textarea_1)
  // For programs that read the body: the reference and the receipt, and nothing of the person.
  assert.match(answer.text, new RegExp(`^Reference: ${lead.reference}$`, 'm'))
  const [, receipt] = /^Receipt: https:\/\/decks\.example\.com(\/receipt\/\w+)$/m.exec(answer.text)!
  assert.equal((await ask('GET', receipt!)).status, 200)
  assert.doesNotMatch(answer.text, /Robin|robin@|0491/)
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
  assert.deepEqual(await store.views.list({ limit: 1 }), [])
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
    problems: [
      {
        field: 'email_1',
        words:
          "This email address doesn't look right. It needs one @, a dot after it, and no spaces.",
      },
    ],
  })
})

test('when nothing can be kept, the page holds every typed word and offers to send again [keep.page]', async (t) => {
  const { postForm, store } = openTestApp(t)
  store.leads.keep = () => Promise.reject(new StorageUnavailable('full'))
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
    createSeal(Buffer.alloc(32, 7), 'draft').open(readLongCookie(header, 'draft')!)!,
  )
  return draft
}
