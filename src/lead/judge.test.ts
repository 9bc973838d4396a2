import assert from 'node:assert/strict'
import test from 'node:test'
import { SpreadCheck } from './judge.ts'

const noon = Date.UTC(2026, 10, 15, 12)
const text = 'I visited your website and can bring it to the first page of every search.'

test('the same text spreads with its fourth client, whatever one client sends again', () => {
  const spread = new SpreadCheck()
  const senders = [1, 1, 2, 1, 2, 3, 3, 1, 4, 1, 9]
  assert.deepEqual(
    senders.map((client) => spread.hasSpread(text, String(client), noon)),
    [false, false, false, false, false, false, false, false, true, true, true],
  )
})

test('short texts and different texts do not spread', () => {
  const spread = new SpreadCheck()
  for (let client = 1; client < 9; client += 1) {
    assert.equal(spread.hasSpread('Please call me.', String(client), noon), false)
    assert.equal(
      spread.hasSpread(`${text} I am number ${client} of many people.`, String(client), noon),
      false,
    )
  }
})

test('a text is remembered for a day, whatever comes between', () => {
  const spread = new SpreadCheck()
  for (let client = 1; client <= 4; client += 1) spread.hasSpread(text, String(client), noon)
  for (let other = 0; other < 50; other += 1) spread.hasSpread(`${text} ${other}`, '1', noon)
  assert.equal(spread.hasSpread(text, '5', noon), true)
  assert.equal(spread.hasSpread(text, '6', noon + 25 * 60 * 60_000), false)
})
