import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import test from 'node:test'
import { readSettings } from '../../src/config.ts'
import { channelSettings } from '../../src/contract/notices.ts'
import { needsTls } from '../../src/contract/webhooks.ts'
import { WrongChannelSetting, type Message } from '../../src/delivery/channel.ts'
import { Webhook } from '../../src/delivery/webhook.ts'
import { openTestDelivery } from '../support/delivery.ts'
import { patienceMs } from '../support/until.ts'
import { openWebhookSink, webhookSecret } from '../support/sink.ts'

const message: Message = { id: 'test', at: 0, notice: { kind: 'service.test' } }

function webhookTo(url: string): Webhook {
  const baseUrl = 'https://decks.example.com'
  return new Webhook({ name: 'webhook', url, key: Buffer.alloc(32), baseUrl, now: Date.now })
}

test('plain http is for this machine and its own network [webhook.safe]', () => {
  const local = [
    'http://localhost:3000/',
    'http://127.0.0.1/',
    'http://[::1]:8080/x',
    'http://10.1.2.3/',
    'http://172.31.0.1/',
    'http://192.168.1.20:5678/hook',
    'http://[fd00::1]/',
    'http://n8n:5678/hook',
    'http://crm.internal/',
  ]
  const others = [
    'http://hooks.example.com/',
    'http://172.32.0.1/',
    'http://8.8.8.8/',
    'http://192.168.1.20.example.com/',
    'http://10.example.com/',
    'http://[2001:db8::1]/',
    'ftp://hooks.example.com/',
  ]
  assert.deepEqual(local.filter(needsTls), [])
  assert.deepEqual(others.filter(needsTls), others)
  assert.equal(needsTls('https://hooks.example.com/'), false)
})

test('a redirect is not followed [webhook.safe]', async (t) => {
  const [first, second] = [await openWebhookSink(t), await openWebhookSink(t)]
  for (const status of [301, 302, 303, 307, 308]) {
    first.mood = { status, headers: { location: second.url } }
    const sent = await webhookTo(first.url).send(message, AbortSignal.timeout(patienceMs))
    assert.deepEqual([sent.kind, sent.answer], ['failed', String(status)])
  }
  assert.deepEqual([first.asked, second.connections], [5, 0])
})

test('an answer without an end is cut off after 64 KiB [webhook.safe]', async (t) => {
  let bytes = 0
  const server = createServer((_, response) => {
    const chunk = Buffer.alloc(16 * 1024)
    const write = () => {
      do bytes += chunk.length
      while (!response.destroyed && response.write(chunk))
    }
    response.on('drain', write).on('error', () => {})
    write()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const ended = once(server, 'request').then(([, response]) =>
    once(response as ServerResponse, 'close'),
  )
  const { port } = server.address() as AddressInfo
  const sent = await webhookTo(`http://127.0.0.1:${port}/`).send(
    message,
    AbortSignal.timeout(patienceMs),
  )
  assert.equal(sent.kind, 'delivered')
  await ended
  // The buffers of the kernel hold some megabytes.
  assert.ok(bytes < 32e6, `${bytes} bytes were taken`)
})

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
    [{ VISIT_TO_SENDER: 'on' }, /^SMTP_URL is missing/],
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

test('the guide to notifications says how each channel is set', () => {
  const guide = readFileSync('docs/notifications.md', 'utf8').toLowerCase()
  for (const setting of channelSettings) {
    const name = setting.replace(/^an? /, '').toLowerCase()
    assert.ok(guide.includes(name), `docs/notifications.md does not say how to set ${setting}`)
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
