import assert from 'node:assert/strict'
import test from 'node:test'
import { hardLimit, softLimit } from './contract/limits.ts'
import { readHttpUrl, readRateLimit, readSmtpUrl, WrongSetting } from './setting-values.ts'

test('a rate limit that is on is the published one', () => {
  assert.deepEqual(readRateLimit('on'), { soft: softLimit.leads, hard: hardLimit.requests })
  assert.equal(readRateLimit('off'), 'off')
  assert.deepEqual(readRateLimit('5, 60'), { soft: 5, hard: 60 })
  assert.throws(() => readRateLimit('5'), WrongSetting)
})

test('the address of the site is one without a path', () => {
  assert.equal(readHttpUrl('https://www.example.com/'), 'https://www.example.com')
  assert.throws(() => readHttpUrl('https://www.example.com/decks'), /must not have a path/)
  for (const text of ['www.example.com', 'ftp://example.com', 'https://sam@example.com']) {
    assert.throws(() => readHttpUrl(text), /must be an address such as/, text)
  }
})

test('a sign that would cut a mail password short is refused with the way to write it', () => {
  for (const password of ['p@ss#w%rd', 'pa#ss', 'pa/ss', 'pa?ss', '100%']) {
    const text = `smtp://sam@example.com:${password}@localhost:3525`
    assert.throws(() => readSmtpUrl(text), /# as %23, \/ as %2F/, password)
  }
  for (const text of ['smtp://localhost/inbox', 'smtp://localhost#top', 'smtp:localhost', 'x']) {
    assert.throws(() => readSmtpUrl(text), /must be an address such as/, text)
  }
  for (const text of ['smtp://localhost:25/', 'smtps://sam:p%40ss%23@mail.example.com']) {
    assert.equal(readSmtpUrl(text), text)
  }
})
