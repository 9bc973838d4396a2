import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { checkFields } from '../contract/check-fields.ts'
import type { Ask } from '../http/message.ts'
import { readLead } from './read-lead.ts'
import type { ReadLead } from './read-lead.ts'

const texts = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'binary-ascii' }),
  fc.string(),
)

test('what is taken for plain comes out as if it were tidied', () => {
  let plain = 0
  fc.assert(
    fc.property(texts, fc.boolean(), (text, escaped) => {
      const json = JSON.stringify({ name_1: text, textarea_1: text })
      const { body, isPlain } = readJson(escaped ? escapeAll(json) : json)
      if (isPlain) plain += 1
      assert.deepEqual(checkFields(body, isPlain), checkFields(body))
    }),
    { numRuns: 1_000 },
  )
  assert.ok(plain > 0, 'none was plain')
  assert.equal(readJson('{"name_1":"Robin Example"}').isPlain, true)
})

/** As a client writes it that sends ASCII alone. */
function escapeAll(json: string): string {
  // oxlint-disable-next-line no-control-regex
  return json.replaceAll(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

function readJson(json: string): ReadLead {
  const read = readLead({
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(json),
  } as Partial<Ask> as Ask)
  assert.ok('dedup' in read)
  return read
}
