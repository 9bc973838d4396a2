import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import test from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { WindowCounter } from './window-counter.ts'

const megabyte = 1_000_000
const manyKeys = 5_000

test('a counter holds no long key, whoever sent it', () => {
  const counter = new WindowCounter(1_000)
  const before = heapBytes()
  // 4 MB of keys.
  for (let index = 0; index < 60; index += 1) {
    counter.count(randomBytes(32 * 1024).toString('hex'), 1, 0)
  }
  const held = heapBytes() - before
  assert.ok(held < 1 * megabyte, `${held} bytes`)
  assert.equal(counter.count('a', 1, 0).count, 1)
})

test('a counter forgets by time, however few keys it has', () => {
  const counter = new WindowCounter(1_000)
  const before = heapBytes()
  for (let index = 0; index < manyKeys; index += 1) counter.count(`key ${index}`, 1, index % 1_000)
  counter.count('later', 1, 2_000)
  const held = heapBytes() - before
  assert.ok(held < megabyte / 4, `${held} bytes`)
  assert.equal(counter.count('later', 1, 2_000).count, 2)
})

test('a count lasts for its whole window, though others are forgotten meanwhile', () => {
  const counter = new WindowCounter(1_000)
  counter.count('first', 1, 0)
  counter.count('a', 1, 999)
  assert.equal(counter.count('b', 1, 1_000).count, 1)
  assert.deepEqual(counter.count('a', 1, 1_998), { count: 2, endsAt: 1_999 })
  assert.deepEqual(counter.count('a', 1, 1_999), { count: 1, endsAt: 2_999 })
  assert.deepEqual(counter.count('b', 1, 1_999), { count: 2, endsAt: 2_000 })
})

test('a counter forgets by time after the clock was set back, too', () => {
  const counter = new WindowCounter(1_000)
  const before = heapBytes()
  counter.count('ahead', 1, 1_000_000)
  for (let index = 0; index < manyKeys; index += 1) counter.count(`key ${index}`, 1, 0)
  counter.count('later', 1, 2_000)
  const held = heapBytes() - before
  assert.ok(held < megabyte / 4, `${held} bytes`)
  assert.equal(counter.count('later', 1, 2_000).count, 2)
})

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** Bytes of the heap that are in use once the garbage is collected. */
function heapBytes(): number {
  collect()
  return process.memoryUsage().heapUsed
}
