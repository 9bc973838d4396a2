import assert from 'node:assert/strict'
import type { LookupAddress } from 'node:dns'
import type { lookup as dnsLookup } from 'node:dns'
import { createServer } from 'node:net'
import type { AddressInfo, LookupFunction, Server } from 'node:net'
import test from 'node:test'
import type { Message } from '../../src/delivery/channel.ts'
import { isPublicAddress, publicLookup } from '../../src/delivery/webhook/public-address.ts'
import { createWebhook } from '../../src/delivery/webhook/webhook.ts'
import type { Cleaner } from '../support/cleaner.ts'
import { patienceMs } from '../support/patience.ts'
import { openWebhookSink, webhookSecret } from '../support/sink.ts'

/** Every one of them leads, or may lead, to a place that is not the public internet. */
const spellings = [
  // This machine, written in many ways.
  '127.0.0.1',
  '127.1',
  '127.0.1',
  '127.255.255.254',
  '0177.0.0.1',
  '0x7f.0.0.1',
  '0x7f000001',
  '2130706433',
  '017700000001',
  '127.0.0.1.',
  '0',
  '0.0.0.0',
  '0.1.2.3',
  '00.00.00.00',
  '①②⑦.⓪.⓪.①',
  '127。0。0。1',
  '%31%32%37.0.0.1',
  'localhost',
  'LOCALHOST',
  'localhost.',
  // Private, shared, link-local, and the services of clouds.
  '10.0.0.1',
  '10.255.255.255',
  '0x0a000001',
  '167772161',
  '172.16.0.1',
  '172.31.255.255',
  '0254.020.0.1',
  '192.168.0.1',
  '192.168.255.255',
  '3232235521',
  '169.254.0.1',
  '169.254.169.254',
  '0xa9fea9fe',
  '2852039166',
  '100.64.0.1',
  '100.127.255.255',
  // Special purposes, documentation, benchmarks, multicast, reserved.
  '192.0.0.1',
  '192.0.0.170',
  '192.0.2.1',
  '192.88.99.1',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  // IPv6: itself, and with an IPv4 address inside.
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[0:0:0:0:0:ffff:127.0.0.1]',
  '[::ffff:10.0.0.1]',
  '[::ffff:a9fe:a9fe]',
  '[::127.0.0.1]',
  '[::7f00:1]',
  '[::ffff:0:127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b::10.0.0.1]',
  '[64:ff9b:1::a00:1]',
  '[2002:7f00:1::]',
  '[2002:a00:1::1]',
  '[2002:c0a8:1::]',
  '[2002:a9fe:a9fe::]',
  '[2001::1]',
  '[2001:0:4136:e378:8000:63bf:3fff:fdd2]',
  '[2001:db8::1]',
  '[2001:10::1]',
  '[2001:20::1]',
  '[3fff::1]',
  '[100::1]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[fdff::1]',
  '[fe80::1]',
  '[febf::1]',
  '[fec0::1]',
  '[ff02::1]',
  '[ff0e::1]',
  '[5f00::1]',
  '[4000::1]',
]

const message: Message = { id: 'test', at: 0, notice: { kind: 'service.test' } }

function webhookTo(url: string, lookup?: LookupFunction) {
  return createWebhook({
    name: 'webhook',
    url,
    key: Buffer.from(webhookSecret.slice(6), 'base64'),
    allowPrivate: false,
    baseUrl: 'https://decks.example.com',
    now: Date.now,
    ...(lookup && { lookup }),
  })
}

test(`${spellings.length} spellings of addresses that are not public: no connection`, async (t) => {
  assert.ok(spellings.length >= 60)
  const listener = await countConnections(t)
  const outcomes = new Map<string, string>()
  for (const host of spellings) {
    const url = `http://${host}:${listener.port}/`
    assert.ok(URL.canParse(url), host)
    const sent = await webhookTo(url).send(message, AbortSignal.timeout(patienceMs))
    outcomes.set(host, sent.kind === 'failed' ? sent.outcome : sent.kind)
  }
  // Whether a resolver knows `localhost.` differs from machine to machine.
  const refusals = ['address-not-allowed', 'unknown-host']
  const others = [...outcomes].filter(([, outcome]) => !refusals.includes(outcome))
  assert.deepEqual(others, [])
  assert.equal(listener.count(), 0)
  t.diagnostic(JSON.stringify({ story: 'addresses', spellings: spellings.length, connections: 0 }))
})

test('a name that changes its answer gains nothing', async (t) => {
  const listener = await countConnections(t)
  const answers = ['8.8.8.8', '127.0.0.1', '::1', '8.8.4.4', '::ffff:127.0.0.1', '10.0.0.1']
  const used: string[] = []
  let asked = 0
  const resolve = fakeResolver(() => [answers[asked++ % answers.length]!])
  // Stands where the connection would be made, so that no test calls a stranger.
  const lookup: LookupFunction = (host, options, callback) =>
    publicLookup(resolve)(host, options, (error, found) => {
      if (error) return callback(error, '')
      used.push(...[found].flat().map((each) => (typeof each === 'string' ? each : each.address)))
      callback(Object.assign(new Error('stopped'), { code: 'ECONNREFUSED' }), '')
    })
  for (let n = 0; n < 60; n += 1) {
    const url = `http://rebinding.example.com:${listener.port}/`
    await webhookTo(url, lookup).send(message, AbortSignal.timeout(patienceMs))
  }
  assert.equal(asked, 60, 'the name is asked for once for each connection')
  assert.deepEqual([...new Set(used)].sort(), ['8.8.4.4', '8.8.8.8'])
  assert.equal(listener.count(), 0)
})

test('of a name with public and private addresses only the public ones are used', async () => {
  const resolve = fakeResolver(() => ['127.0.0.1', '8.8.8.8', 'fd00::1', '2001:4860:4860::8888'])
  const found = await new Promise<unknown>((done) =>
    publicLookup(resolve)('mixed.example.com', { all: true }, (_, all) => done(all)),
  )
  assert.deepEqual(
    (found as LookupAddress[]).map(({ address }) => address),
    ['8.8.8.8', '2001:4860:4860::8888'],
  )
})

test('a redirect is not followed [webhook.safe]', async (t) => {
  const [first, second] = [await openWebhookSink(t), await openWebhookSink(t)]
  for (const status of [301, 302, 303, 307, 308]) {
    first.mood = { status, headers: { location: second.url } }
    const hook = createWebhook({
      name: 'webhook',
      url: first.url,
      key: Buffer.alloc(32),
      allowPrivate: true,
      baseUrl: 'https://decks.example.com',
      now: Date.now,
    })
    const sent = await hook.send(message, AbortSignal.timeout(patienceMs))
    assert.deepEqual([sent.kind, sent.answer], ['failed', String(status)])
  }
  assert.deepEqual([first.asked, second.connections], [5, 0])
})

test('public addresses are public, in every form', () => {
  const open = ['8.8.8.8', '1.1.1.1', '172.15.0.1', '172.32.0.1', '100.63.0.1', '100.128.0.1']
  const open6 = ['2001:4860:4860::8888', '2606:4700::1111', '2002:808:808::1', '2a00::1']
  for (const address of [...open, ...open6]) assert.equal(isPublicAddress(address), true, address)
  for (const text of ['', 'x', '1.2.3', '::ffff:8.8.8.8', 'fe80::1%eth0']) {
    assert.equal(isPublicAddress(text), false, text)
  }
})

function fakeResolver(answer: () => string[]): typeof dnsLookup {
  const resolve = (
    _name: string,
    _options: object,
    callback: (error: null, found: LookupAddress[]) => void,
  ) => {
    const found = answer().map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
    setImmediate(callback, null, found)
  }
  return resolve as typeof dnsLookup
}

/** On every address of this machine, IPv4 and IPv6. */
async function countConnections(t: Cleaner) {
  let count = 0
  const server: Server = createServer((socket) => {
    count += 1
    socket.destroy()
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, resolve)
  })
  t.after(() => server.close())
  return { port: (server.address() as AddressInfo).port, count: () => count }
}
