import assert from 'node:assert/strict'
import test from 'node:test'
import { openTestApp } from '../support/app.ts'
import { sam } from '../support/leads.ts'

test('a name needs at least one character that is not blank [2.1.name_1, 8.name]', async (t) => {
  const { postJson } = openTestApp(t)
  for (const name_1 of ['', ' ', '\t\n', '\u00a0\u3000', '\u0000']) {
    assert.equal((await postJson({ ...sam, name_1 })).status, 400)
  }
  for (const name_1 of ['A', '李', '👩‍🔧', '.']) {
    assert.equal((await postJson({ ...sam, name_1 })).status, 200)
  }
})

test('a name that nobody can see is missing; invisible signs inside a name stay [2.1.name_1]', async (t) => {
  const { postJson, store } = openTestApp(t)
  const unseen = [
    '\u200b\u200b',
    '\u2060',
    '\u00ad \ufeff',
    '\u3164',
    '\u2800',
    '\u202e\u202c',
    '\ufe0f',
  ]
  for (const name_1 of unseen) {
    const { status, json } = await postJson({ ...sam, name_1 })
    assert.equal(
      status,
      400,
      JSON.stringify([...name_1].map((sign) => sign.codePointAt(0)!.toString(16))),
    )
    const { details } = (json as { error: { details: { fields: object[] } } }).error
    assert.deepEqual(details.fields, [
      { field: 'name_1', problem: 'is empty', example: 'Robin Example' },
    ])
  }
  // Persian writes a name such as Ali-Reza with a joiner that cannot be seen.
  const name_1 = 'علی\u200cرضا'
  assert.equal((await postJson({ ...sam, name_1 })).status, 200)
  assert.equal((await store.views.list({ limit: 1 }))[0]!.values.name, name_1)
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
    const [lead] = await store.views.list({ limit: 1 })
    assert.equal(lead?.values.message, kept)
  }
})
