import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { createSeal, readLongCookie, setLongCookie } from './cookies.ts'

const secret = Buffer.alloc(32, 1)
const options = { path: '/contact/', maxAgeS: 600, secure: true }

test('a sealed value opens again, in pieces where it is long', () => {
  const seal = createSeal(secret, 'draft')
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 3_000 }), (text) => {
      const values = setLongCookie('draft', seal.close(text), options)!
      const sent = values.map((value) => value.split(';')[0]).join('; ')
      assert.ok(values.every((value) => value.length < 4_096))
      assert.equal(seal.open(readLongCookie(`other=1; ${sent}`, 'draft')!), text.toWellFormed())
    }),
    { numRuns: 50 },
  )
})

test('a seal of another purpose, another secret, or one changed character opens nothing', () => {
  const sealed = createSeal(secret, 'draft').close('Robin Example')
  assert.equal(createSeal(secret, 'other').open(sealed), undefined)
  assert.equal(createSeal(Buffer.alloc(32, 2), 'draft').open(sealed), undefined)
  const changed = (sealed[30] === 'A' ? 'B' : 'A') + sealed.slice(31)
  assert.equal(createSeal(secret, 'draft').open(sealed.slice(0, 30) + changed), undefined)
  for (const junk of ['', 'x', 'é'.repeat(99)])
    assert.equal(createSeal(secret, 'draft').open(junk), undefined)
})

test('a short value after a long one leaves nothing of the long one', () => {
  const jar = new Map<string, string>()
  for (const text of ['x'.repeat(7_600), 'short']) {
    for (const cookie of setLongCookie('draft', text, options)!) {
      const [name, value] = cookie.split(';')[0]!.split('=') as [string, string]
      jar.set(name, value)
    }
  }
  const sent = Array.from(jar, ([name, value]) => `${name}=${value}`).join('; ')
  assert.equal(readLongCookie(sent, 'draft'), 'short')
})

test('a value too long for any browser is refused', () => {
  assert.equal(setLongCookie('draft', 'x'.repeat(7_601), options), undefined)
  assert.equal(setLongCookie('draft', 'x'.repeat(7_600), options)?.length, 2)
})
