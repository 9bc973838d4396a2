import assert from 'node:assert/strict'
import test from 'node:test'
import { clientAddress, readProxies } from './client-address.ts'

const proxies = readProxies(['127.0.0.0/8', '::1/128', '10.0.0.0/8', '2001:db8:ffff::/48'])

test('the client is the rightmost hop that is not one of our proxies', () => {
  const table: [peer: string, forwardedFor: string | undefined, network: string, local: boolean][] =
    [
      ['127.0.0.1', undefined, '127.0.0.1', true],
      ['::ffff:127.0.0.1', undefined, '127.0.0.1', true],
      ['::1', undefined, '0:0:0:0::/64', true],
      ['192.0.2.1', undefined, '192.0.2.1', false],
      ['192.0.2.1', '198.51.100.7', '192.0.2.1', false],
      ['127.0.0.1', '198.51.100.7', '198.51.100.7', false],
      ['127.0.0.1', '203.0.113.1, 198.51.100.7, 10.1.2.3', '198.51.100.7', false],
      ['10.0.0.9', '203.0.113.1, 198.51.100.7', '198.51.100.7', false],
      ['127.0.0.1', '198.51.100.7:4711', '198.51.100.7', false],
      ['127.0.0.1', '[2001:db8::1]:4711', '2001:db8:0:0::/64', false],
      ['127.0.0.1', '"[2001:db8:1:2:3::4]"', '2001:db8:1:2::/64', false],
      ['127.0.0.1', '::ffff:198.51.100.7', '198.51.100.7', false],
      ['127.0.0.1', '198.51.100.7, nonsense', '127.0.0.1', false],
      ['127.0.0.1', '10.1.1.1, 10.2.2.2', '10.1.1.1', false],
      ['127.0.0.1', '', '127.0.0.1', false],
      ['2001:db8:ffff::1', '2001:DB8:A:B:C:D:E:F', '2001:db8:a:b::/64', false],
      ['2001:db8:a:b::1', undefined, '2001:db8:a:b::/64', false],
      ['2001:db8::a:b:c:d', undefined, '2001:db8:0:0::/64', false],
      ['64:ff9b::192.0.2.1', undefined, '64:ff9b:0:0::/64', false],
    ]
  for (const [peer, forwardedFor, network, local] of table) {
    assert.deepEqual(
      clientAddress(peer, forwardedFor, proxies),
      { network, local },
      `${peer} ${forwardedFor}`,
    )
  }
})

test('two addresses of one /64 are one client, of two they are two', () => {
  const network = (address: string) => clientAddress(address, undefined, proxies).network
  assert.equal(network('2001:db8:1:2::1'), network('2001:db8:1:2:ffff:ffff:ffff:ffff'))
  assert.notEqual(network('2001:db8:1:2::1'), network('2001:db8:1:3::1'))
})
