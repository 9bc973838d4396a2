import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { readForm } from './body.ts'

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
