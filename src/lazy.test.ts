import assert from 'node:assert/strict'
import test from 'node:test'
import { createLateMethods, createLazy } from './lazy.ts'

test('it is made once for all who ask, and then used at once', async () => {
  let times = 0
  const lazy = createLazy(() => Promise.resolve((times += 1)))
  assert.equal(lazy.made(), undefined)
  assert.deepEqual(await Promise.all([lazy.use((n) => n), lazy.use((n) => n + 10)]), [1, 11])
  assert.deepEqual([lazy.made(), lazy.use((n) => n)], [1, 1])
})

test('after a failure the next use tries again', async () => {
  let times = 0
  const lazy = createLazy(async () => {
    times += 1
    if (times === 1) throw new Error('not yet')
    return times
  })
  await assert.rejects(async () => lazy.use((n) => n), /not yet/)
  assert.equal(await lazy.use((n) => n), 2)
})

test('late methods are made together, with the first call of any', async () => {
  let times = 0
  const counter = createLateMethods({ add: true, double: true }, async () => {
    times += 1
    return {
      add: async (a: number, b: number) => a + b,
      double: async (n: number) => 2 * n,
    }
  })
  assert.equal(times, 0)
  assert.deepEqual(await Promise.all([counter.add(2, 3), counter.double(4)]), [5, 8])
  assert.equal(times, 1)
})
