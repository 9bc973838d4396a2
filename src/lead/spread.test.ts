import assert from 'node:assert/strict'
import test from 'node:test'
import { createSpreadCheck } from './spread.ts'

const text = 'I visited your website and can bring it to the first page of every search.'

test('the same text spreads with its fourth client, whatever one client sends again', () => {
  const hasSpread = createSpreadCheck()
  const senders = [1, 1, 2, 1, 2, 3, 3, 1, 4, 1, 9]
  assert.deepEqual(
    senders.map((client) => hasSpread(text, client)),
    [false, false, false, false, false, false, false, false, true, true, true],
  )
})

test('short texts and different texts do not spread', () => {
  const hasSpread = createSpreadCheck()
  for (let client = 1; client < 9; client += 1) {
    assert.equal(hasSpread('Please call me.', client), false)
    assert.equal(hasSpread(`${text} I am number ${client} of many people.`, client), false)
  }
})

test('a text is forgotten only when another takes its row', () => {
  const hasSpread = createSpreadCheck()
  for (let client = 1; client <= 4; client += 1) hasSpread(text, client)
  for (let other = 0; other < 50; other += 1) hasSpread(`${text} ${other}`, 1)
  assert.equal(hasSpread(text, 5), true)
})
