import assert from 'node:assert/strict'
import test from 'node:test'
import { fields } from '../../src/contract/fields.ts'
import { openTestApp, type TestAnswer, type TestApp } from '../support/app.ts'
import { countLeads } from '../support/leads.ts'

test('the form has every field of the contract, and posts to the endpoint without scripts', async (t) => {
  const { text } = await contactPage(openTestApp(t))
  assert.match(text, /<form[^>]* method="post" action="\/api\/lead"/)
  for (const { name, label } of fields) {
    assert.match(text, new RegExp(`<label for="${name}">${label}`))
    assert.match(text, new RegExp(`<(?:input|textarea)[^>]* id="${name}" name="${name}"`))
  }
})

test('each time the form is shown it carries another nonce, and no cache may keep it for others', async (t) => {
  const app = openTestApp(t)
  const [first, second] = [await contactPage(app), await contactPage(app)]
  assert.notEqual(nonceIn(first), nonceIn(second))
  assert.equal(first.headers['cache-control'], 'private, no-cache')
})

test('of many who ask at once, all get the page, and at most sixteen get it compressed', async (t) => {
  const app = openTestApp(t)
  const askFor = () => app.ask('GET', '/contact/', { headers: { 'accept-encoding': 'gzip' } })
  const pages = await Promise.all(Array.from({ length: 100 }, askFor))
  const plain = pages.filter(({ headers }) => headers['content-encoding'] === undefined)
  assert.equal(plain.length, 84)
  for (const { status, headers, text } of plain) {
    assert.equal(status, 200)
    assert.match(headers['vary']!, /Accept-Encoding/)
    assert.match(text, /<form[^>]* method="post"/)
  }
  assert.equal((await askFor()).headers['content-encoding'], 'gzip', 'later as before')
})

test('a second press of the button is one lead; the form shown anew is another', async (t) => {
  const app = openTestApp(t)
  const form = { name_1: 'Sam', email_1: 'sam@example.com', textarea_1: 'A deck.' }
  const nonce = nonceIn(await contactPage(app))
  for (let press = 0; press < 2; press += 1) {
    const { status } = await app.postForm({ ...form, idempotency_key: nonce })
    assert.equal(status, 303)
  }
  assert.equal(await countLeads(app.store), 1)
})

test('a failed post comes back with every typed word and the problem beside its field [form.problem]', async (t) => {
  const app = openTestApp(t)
  const typed = {
    name_1: 'O\'Brien & "Sons" <b>',
    email_1: 'robin@example',
    phone_1: '0491 570 006',
    text_1: '0800',
    textarea_1: '\n  A deck,\r\nthen </textarea><script>alert(1)</script> 🙂',
  }
  const failed = await app.postForm(typed)
  assert.deepEqual([failed.status, failed.headers['location']], [303, '/contact/'])
  const page = await contactPage(app, { cookie: toCookieHeader(failed) })
  assert.equal(page.headers['cache-control'], 'no-store')
  assert.ok(page.text.includes('value="O&#39;Brien &amp; &quot;Sons&quot; &lt;b&gt;"'))
  assert.ok(page.text.includes('value="robin@example"'))
  assert.ok(page.text.includes('value="0800"'))
  assert.ok(
    page.text.includes('A deck,\r\nthen &lt;/textarea&gt;&lt;script&gt;alert(1)&lt;/script&gt; 🙂'),
  )
  assert.match(page.text, /role="alert"[\s\S]*href="#email_1"/)
  assert.match(page.text, /id="email_1-problem">This email address doesn&#39;t look right\./)
  assert.match(page.text, /id="email_1"[^>]*aria-invalid="true"/)
  assert.doesNotMatch(page.text, /id="name_1"[^>]*aria-invalid/)
})

test('a field that a browser sends twice is named', async (t) => {
  const app = openTestApp(t)
  const failed = await app.postForm([
    ['name_1', 'Robin'],
    ['name_1', 'Sam'],
    ['email_1', 'robin@example.com'],
  ])
  assert.deepEqual([failed.status, failed.headers['location']], [303, '/contact/'])
  const page = await contactPage(app, { cookie: toCookieHeader(failed) })
  assert.match(page.text, /Your name came twice\. Please fill it in once\./)
})

test('text that no cookie can carry is missed on the page, not lost without a word', async (t) => {
  const app = openTestApp(t)
  const random = (length: number) =>
    String.fromCodePoint(
      ...Array.from({ length }, () => 0x20000 + Math.floor(Math.random() * 42_000)),
    )
  const failed = await app.postForm({
    name_1: random(250),
    email_1: random(250),
    textarea_1: random(10_000),
    phone_1: random(250),
    text_1: random(250),
  })
  const page = await contactPage(app, { cookie: toCookieHeader(failed) })
  assert.match(page.text, /was too long to show here again/)
  assert.match(page.text, /id="name_1"[^>]* value="[^"]+"/u)
})

function contactPage(app: TestApp, headers: Record<string, string> = {}): Promise<TestAnswer> {
  return app.ask('GET', '/contact/', { headers: { accept: 'text/html', ...headers } })
}

function nonceIn({ text }: TestAnswer): string {
  return /name="idempotency_key" value="([^"]+)"/.exec(text)![1]!
}

function toCookieHeader({ cookies }: TestAnswer): string {
  return cookies.map((cookie) => cookie.split(';')[0]).join('; ')
}
