import assert from 'node:assert/strict'
import test from 'node:test'
import { readSettings } from '../../src/config.ts'
import { WrongChannelSetting } from '../../src/delivery/channel.ts'
import { openTestDelivery } from '../support/delivery.ts'
import { webhookSecret } from '../support/sink.ts'

test('settings that would tell nobody, or too many, are refused with a sentence', () => {
  const url = 'https://hooks.example.com/'
  const cases: [Record<string, string>, RegExp][] = [
    [{ SMTP_URL: 'smtp://127.0.0.1' }, /^OWNER_EMAIL is missing/],
    [
      { SMTP_URL: 'smtp://127.0.0.1', OWNER_EMAIL: 'a@example.com, b@example.com' },
      /^OWNER_EMAIL must be one address/,
    ],
    [{ OWNER_EMAIL: 'Sam <a@example.com>' }, /^OWNER_EMAIL must be one address/],
    [{ CONFIRM_TO_SENDER: 'on' }, /^SMTP_URL is missing/],
    [{ WEBHOOK_URL: url }, /^WEBHOOK_SECRET is missing/],
    [{ WEBHOOK_URL: url, WEBHOOK_SECRET: 'whsec_short' }, /^WEBHOOK_SECRET must be whsec_/],
    [
      { WEBHOOK_URL: 'ftp://hooks.example.com/', WEBHOOK_SECRET: webhookSecret },
      /^WEBHOOK_URL must/,
    ],
  ]
  for (const [env, sentence] of cases) {
    const read = readSettings(env)
    assert.ok('problems' in read)
    assert.equal(read.problems.length, 1)
    assert.match(read.problems[0]!, sentence)
    assert.doesNotMatch(read.problems[0]!, /whsec_short/)
  }
})

test('a webhook without TLS or without its secret stops the start with a sentence [webhook.safe]', async (t) => {
  const plain = { WEBHOOK_URL: 'http://hooks.example.com/', WEBHOOK_SECRET: webhookSecret }
  await assert.rejects(openTestDelivery(t, { env: plain }), (error: Error) => {
    assert.match(error.message, /^The address of webhook must begin with https:/)
    return error instanceof WrongChannelSetting
  })
  const webhooks = [{ name: 'crm', url: 'https://hooks.example.com/', secret: 'CRM_SECRET' }]
  await assert.rejects(openTestDelivery(t, { business: { webhooks } }), (error: Error) => {
    assert.match(error.message, /^CRM_SECRET must hold the secret of webhook-crm/)
    return error instanceof WrongChannelSetting
  })
})
