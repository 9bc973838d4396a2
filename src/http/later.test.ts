import assert from 'node:assert/strict'
import test from 'node:test'
import { createLater } from './later.ts'

test('it is made once for all who ask, and then used at once', async () => {
  let times = 0
  const later = createLater(() => Promise.resolve((times += 1)))
  assert.equal(later.made(), undefined)
  assert.deepEqual(await Promise.all([later.use((n) => n), later.use((n) => n + 10)]), [1, 11])
  assert.deepEqual([later.made(), later.use((n) => n)], [1, 1])
})

test('a failed try is forgotten, and the next one may do better', async () => {
  let times = 0
  const later = createLater(async () => {
    times += 1
    if (times === 1) throw new Error('not yet')
    return times
  })
  await assert.rejects(async () => later.use((n) => n), /not yet/)
  assert.equal(await later.use((n) => n), 2)
})
