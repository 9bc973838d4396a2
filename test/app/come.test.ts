/** "Does he come to me?": the postcode box and its answer. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { comePath } from '../../src/contract/routes.ts'
import { hardLimit } from '../../src/contract/limits.ts'
import { openTestApp, type TestApp } from '../support/app.ts'

test('the box on Home and Areas posts the postcode, so that no address has it', async (t) => {
  const app = openTestApp(t)
  for (const path of ['/', '/areas/', comePath]) {
    const { status, text } = await app.ask('GET', path, { headers: { accept: 'text/html' } })
    assert.equal(status, 200, path)
    assert.match(text, /<form class="come" method="post" action="\/do-i-come\/">/, path)
    assert.match(text, /<label for="text_1">Your postcode or town<\/label>/, path)
    // A phone shows the keys of letters, too, so that a town can be typed.
    assert.match(text, /<input\s+id="text_1" name="text_1" type="text" value=""/, path)
    assert.doesNotMatch(text, /inputmode/, path)
  }
})

test('a postcode or a town in the area is answered with the name of the town', async (t) => {
  const app = openTestApp(t)
  for (const typed of ['2481', ' 2481 ', 'byron bay']) {
    const { status, headers, text } = await ask(app, `text_1=${encodeURIComponent(typed)}`)
    assert.equal(status, 200)
    assert.match(
      text,
      /<p class="answer" id="answer" role="status">Yes, I come to Byron Bay\.<\/p>/,
    )
    assert.equal(headers['cache-control'], 'no-store')
    assert.equal(headers['x-robots-tag'], 'noindex')
    assert.equal(headers['location'], undefined)
  }
})

test('a postcode or town elsewhere is told so, and that asking is welcome', async (t) => {
  const app = openTestApp(t)
  for (const [typed, what] of [
    ['2000', 'postcode'],
    ['Nimbin', 'town'],
    ['No. 7, Evans Head', 'town'],
  ] as const) {
    const { status, text } = await ask(app, `text_1=${encodeURIComponent(typed)}`)
    assert.equal(status, 200)
    assert.match(
      text,
      new RegExp(`This ${what} is not on my list\\. Ask anyway and name your town`),
    )
    assert.ok(text.includes(`value="${typed}"`))
  }
})

test('a part of the region is asked for the town, because each town of it may be on the list', async (t) => {
  const app = openTestApp(t)
  const { text } = await ask(app, 'text_1=northern+rivers')
  const words =
    'I work in the Northern Rivers of New South Wales. Which part are you in? Please type your postcode, such as 2480, or your town or suburb.'
  assert.ok(text.includes(`<p class="answer" id="answer" role="status">${words}</p>`), text)
})

test('what is no postcode comes back with what was typed and how to put it right', async (t) => {
  const app = openTestApp(t)
  for (const [body, value] of [
    ['text_1=24%22%3E', '24&quot;&gt;'],
    ['text_1=', ''],
    ['', ''],
    ['too-large', ''],
    [`${'a=1&'.repeat(1_100)}text_1=2481`, ''],
  ] as const) {
    const { status, text } = await ask(app, body)
    assert.equal(status, 400)
    assert.match(
      text,
      /role="status">Please type your postcode, four digits such as 2480, or your town\.</,
    )
    assert.match(text, /aria-invalid="true" aria-describedby="answer"/)
    assert.ok(text.includes(`name="text_1" type="text" value="${value}"`), body.slice(0, 40))
  }
})

test('the twin says what the page says, and tells a program how to ask', async (t) => {
  const app = openTestApp(t)
  const { text } = await app.ask('GET', '/do-i-come.md')
  assert.match(text, /send `POST \/do-i-come\/` as a form with the postcode or town in `text_1`/)
  const answer = await ask(app, 'text_1=2480', { accept: 'text/markdown' })
  assert.equal(answer.headers['content-type'], 'text/markdown; charset=utf-8')
  assert.equal(answer.headers['cache-control'], 'no-store')
  assert.match(answer.text, /# Do I come to you\?\n\nYes, I come to Lismore\.\n/)
})

test('asking counts towards the limit of posts, and the sitemap does not list the answer', async (t) => {
  const app = openTestApp(t)
  const from = '203.0.113.7'
  for (let asked = 0; asked < hardLimit.requests; asked += 1)
    await ask(app, 'text_1=2480', {}, from)
  assert.equal((await ask(app, 'text_1=2480', {}, from)).status, 429)
  assert.doesNotMatch((await app.ask('GET', '/sitemap.xml')).text, /do-i-come/)
})

function ask(app: TestApp, body: string, headers: Record<string, string> = {}, from?: string) {
  return app.ask('POST', comePath, {
    headers: {
      accept: 'text/html',
      'content-type': 'application/x-www-form-urlencoded',
      ...headers,
    },
    body,
    from,
  })
}
