import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { chooseEncoding, prefers } from './negotiate.ts'

const json = 'application/json'
const html = 'text/html'
const q = fc.integer({ min: 0, max: 1000 }).map((n) => n / 1000)

test('the greater q of two named types wins, whatever the order and spacing', () => {
  fc.assert(
    fc.property(q, q, fc.boolean(), fc.constantFrom('', ' ', '\t'), (a, b, swap, space) => {
      const ranges = [`${json};${space}q=${a}`, `${html};q=${b}${space}`]
      const accept = (swap ? ranges.toReversed() : ranges).join(`,${space}`)
      const expected = a === b ? a > 0 && !swap : a > b
      assert.equal(prefers(accept, json, html), expected, accept)
    }),
  )
})

test('wildcards alone never choose the special kind', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('*/*', 'application/*', 'text/*', 'image/png')),
      q,
      (types, each) => {
        const accept = types.map((type) => `${type};q=${each}`).join(',')
        assert.equal(prefers(accept, json, html), false)
      },
    ),
  )
})

test('any text at all is answered', () => {
  const unit = fc.integer({ min: 0, max: 0xff }).map((byte) => String.fromCharCode(byte))
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 600 }), (accept) => {
      assert.equal(typeof prefers(accept, json, html), 'boolean')
      assert.equal(typeof chooseEncoding(accept), 'string')
    }),
  )
})

const table: readonly [accept: string | undefined, choice: string][] = [
  [undefined, 'identity'],
  ['', 'identity'],
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip, zstd', 'zstd'],
  ['gzip', 'gzip'],
  ['GZIP', 'gzip'],
  ['br;q=0.5, gzip;q=0.8', 'br'],
  ['br;q=0, gzip', 'gzip'],
  ['*', 'identity'],
  ['identity', 'identity'],
  ['deflate', 'identity'],
  ['br;q=nonsense, gzip', 'gzip'],
]

test('the encoding is the smallest that the client takes by name', () => {
  const wrong = table.filter(([accept, choice]) => chooseEncoding(accept) !== choice)
  assert.deepEqual(wrong, [])
})
