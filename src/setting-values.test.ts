import assert from 'node:assert/strict'
import test from 'node:test'
import { hardLimit, softLimit } from './contract/limits.ts'
import {
  readEmail,
  readRateLimit,
  readSecretText,
  readSmtpUrl,
  WrongSetting,
} from './setting-values.ts'

test('a rate limit that is on is the published one', () => {
  assert.deepEqual(readRateLimit('on'), { soft: softLimit.leads, hard: hardLimit.requests })
  assert.equal(readRateLimit('off'), 'off')
  assert.deepEqual(readRateLimit('5, 60'), { soft: 5, hard: 60 })
  assert.throws(() => readRateLimit('5'), WrongSetting)
})

test('an address of the owner keeps the rule for the address of a lead', () => {
  assert.equal(readEmail('sam@example.com'), 'sam@example.com')
  for (const text of ['sam', 'sam@localhost', 'a..b@example.com', 'Sam <sam@example.com>']) {
    assert.throws(() => readEmail(text), WrongSetting, text)
  }
})

test('the secret of a webhook is measured by its bytes', () => {
  const secretOf = (bytes: number) => `whsec_${Buffer.alloc(bytes, 7).toString('base64')}`
  for (const bytes of [24, 32, 64]) assert.equal(readSecretText(secretOf(bytes)), secretOf(bytes))
  for (const bytes of [0, 23, 65]) assert.throws(() => readSecretText(secretOf(bytes)), /24 to 64/)
  assert.throws(() => readSecretText(secretOf(32).slice('whsec_'.length)), WrongSetting)
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
