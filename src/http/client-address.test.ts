import assert from 'node:assert/strict'
import test from 'node:test'
import { clientOf, isForwarded, Proxies, toPeer } from './client-address.ts'

const proxies = new Proxies(['127.0.0.0/8', '::1/128', '10.0.0.0/8', '2001:db8:ffff::/48'])

function networkOf(address: string, forwardedFor?: string): string {
  const headers = forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor }
  const peer = toPeer(address, proxies)
  const request = { headers, httpVersionMinor: 1 }
  return clientOf(request, { peer, proxies, published: false }).network
}

test('the client is the rightmost hop that is not one of our proxies', () => {
  const table: [peer: string, forwardedFor: string | undefined, network: string][] = [
    ['127.0.0.1', undefined, '127.0.0.1'],
    ['::ffff:127.0.0.1', undefined, '127.0.0.1'],
    ['::1', undefined, '0:0:0:0::/64'],
    ['192.0.2.1', undefined, '192.0.2.1'],
    ['192.0.2.1', '198.51.100.7', '192.0.2.1'],
    ['127.0.0.1', '198.51.100.7', '198.51.100.7'],
    ['127.0.0.1', '203.0.113.1, 198.51.100.7, 10.1.2.3', '198.51.100.7'],
    ['10.0.0.9', '203.0.113.1, 198.51.100.7', '198.51.100.7'],
    ['127.0.0.1', '198.51.100.7:4711', '198.51.100.7'],
    ['127.0.0.1', '[2001:db8::1]:4711', '2001:db8:0:0::/64'],
    ['127.0.0.1', '"[2001:db8:1:2:3::4]"', '2001:db8:1:2::/64'],
    ['127.0.0.1', '::ffff:198.51.100.7', '198.51.100.7'],
    ['127.0.0.1', '198.51.100.7, nonsense', '127.0.0.1'],
    ['127.0.0.1', '10.1.1.1, 10.2.2.2', '10.1.1.1'],
    ['127.0.0.1', '', '127.0.0.1'],
    ['2001:db8:ffff::1', '2001:DB8:A:B:C:D:E:F', '2001:db8:a:b::/64'],
    ['2001:db8:a:b::1', undefined, '2001:db8:a:b::/64'],
    ['2001:db8::a:b:c:d', undefined, '2001:db8:0:0::/64'],
    ['64:ff9b::192.0.2.1', undefined, '64:ff9b:0:0::/64'],
  ]
  for (const [peer, forwardedFor, network] of table) {
    assert.equal(networkOf(peer, forwardedFor), network, `${peer} ${forwardedFor}`)
  }
})

/** What `curl` sends on this machine, but for what a test says. */
function isLocal(
  changes: { peer?: string; headers?: object; minor?: number },
  published = false,
): boolean {
  const { peer = '127.0.0.1', headers = {}, minor = 1 } = changes
  const asked = { httpVersionMinor: minor, headers: { host: 'localhost:3000', ...headers } }
  return clientOf(asked, { peer: toPeer(peer, proxies), proxies, published }).local
}

test('a tool on this machine asks a loopback name from a loopback address, and nobody passes it on', () => {
  for (const peer of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) assert.ok(isLocal({ peer }), peer)
  for (const host of ['localhost', 'LOCALHOST:1', '127.0.0.1:3000', '127.9.9.9', '[::1]:3000']) {
    assert.ok(isLocal({ headers: { host } }), host)
  }
  for (const host of [
    '',
    'www.example.com',
    '127.0.0.1.example.com',
    'localhost.example.com',
    '[::2]',
  ]) {
    assert.ok(!isLocal({ headers: { host } }), host)
  }
  for (const name of ['x-forwarded-for', 'forwarded', 'via', 'x-real-ip']) {
    assert.ok(!isLocal({ headers: { [name]: '' } }), name)
  }
  assert.ok(!isLocal({ peer: '192.0.2.1' }))
  assert.ok(!isLocal({ minor: 0 }), 'nginx with a bare proxy_pass')
})

test('on a published site nobody is a local tool', () => {
  assert.ok(isLocal({}))
  assert.ok(!isLocal({}, true))
})

test('a proxy in front of a client is none of ours; one that says for whom it asks may be', () => {
  assert.ok(!isForwarded({ headers: { via: '1.1 office' } }))
  assert.ok(isForwarded({ headers: { 'x-forwarded-for': '198.51.100.7' } }))
  assert.ok(isForwarded({ headers: { forwarded: 'for=198.51.100.7' } }))
})

test('two addresses of one /64 are one client, of two they are two', () => {
  const network = (address: string) => networkOf(address)
  assert.equal(network('2001:db8:1:2::1'), network('2001:db8:1:2:ffff:ffff:ffff:ffff'))
  assert.notEqual(network('2001:db8:1:2::1'), network('2001:db8:1:3::1'))
})
