import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { checkFields, normaliseText } from './check-fields.ts'

// The unit `binary` of fast-check takes most of a second to set up, and has no single halves of a pair.
const unit = fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code))

test('normalising twice changes nothing more, and leaves only what is published', () => {
  fc.assert(
    fc.property(fc.string({ unit }), (text) => {
      const once = normaliseText(text)
      assert.equal(normaliseText(once), once)
      assert.ok(once.isWellFormed())
      // oxlint-disable-next-line no-control-regex
      assert.doesNotMatch(once, /[\0-\x08\v\f\r\x0e-\x1f]/)
      assert.equal(once, once.trim())
    }),
  )
})

test('well-formed text without control characters is only trimmed', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      fc.pre(!/\p{Cc}/u.test(text))
      assert.equal(normaliseText(text), text.trim())
    }),
  )
})

test('whatever a body holds, the check answers: values as text, problems by name', () => {
  const names = fc.constantFrom(
    'name_1',
    'email_1',
    'phone_1',
    'text_1',
    'textarea_1',
    '__proto__',
    'x',
  )
  fc.assert(
    fc.property(fc.dictionary(names, fc.anything()), (body) => {
      const { values, problems } = checkFields(body)
      assert.ok(Object.values(values).every((value) => typeof value === 'string'))
      for (const { field, problem, example } of problems) assert.ok(field && problem && example)
    }),
  )
})
