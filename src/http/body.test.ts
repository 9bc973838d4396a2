import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import test from 'node:test'
import fc from 'fast-check'
import { readBody, readForm } from './body.ts'

test('a body of too many pieces is read no further once its connection is cut', async (t) => {
  let pieces = 0
  const server = createServer((request) => {
    void readBody(request, 64 * 1024)
    request.on('data', () => (pieces += 1))
  })
  t.after(() => server.close())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  client.on('error', () => {})
  client.resume()
  const head = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n'
  client.write(`${head}${'1\r\nx\r\n'.repeat(10_000)}0\r\n\r\n`)
  await once(client, 'close')
  assert.ok(pieces <= 1_001, `${pieces} pieces`)
})

test('what URLSearchParams writes is read back exactly', () => {
  const text = fc.string({ unit: 'grapheme' }).map((each) => each.toWellFormed())
  fc.assert(
    fc.property(fc.array(fc.tuple(text, text)), (pairs) => {
      const body = new URLSearchParams(pairs).toString()
      assert.deepEqual(readForm(Buffer.from(body)), pairs)
    }),
  )
})

test('UTF-8 is read as the standard says, escaped or raw', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const body = `&${text.toWellFormed()}`
      assert.deepEqual(readForm(Buffer.from(body)), [...new URLSearchParams(body)])
    }),
  )
})

test('any bytes at all are read, without a replacement sign that was not sent', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const body = Buffer.from(bytes)
      const sent =
        body.toString('latin1').includes('\xef\xbf\xbd') ||
        /%EF%BF%BD/i.test(body.toString('latin1'))
      for (const [name, value] of readForm(body)) {
        assert.ok(sent || !`${name}${value}`.includes('\ufffd'))
      }
    }),
  )
})

test('odd shapes', () => {
  const read = (body: string) => readForm(Buffer.from(body))
  assert.deepEqual(read(''), [])
  assert.deepEqual(read('&&&'), [])
  assert.deepEqual(read('a'), [['a', '']])
  assert.deepEqual(read('=b'), [['', 'b']])
  assert.deepEqual(read('a=b=c&a=d'), [
    ['a', 'b=c'],
    ['a', 'd'],
  ])
  assert.deepEqual(read('a=100%&b=%zz&c=%'), [
    ['a', '100%'],
    ['b', '%zz'],
    ['c', '%'],
  ])
  assert.deepEqual(read('n=Jos%E9'), [['n', 'José']])
  assert.deepEqual(read('n=%2B+%2B'), [['n', '+ +']])
})
