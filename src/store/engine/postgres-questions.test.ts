import assert from 'node:assert/strict'
import test from 'node:test'
import { askTogether } from './postgres-questions.ts'

test('questions of one moment travel together, in their order, and one that fails fails alone', async () => {
  const trips: string[][] = []
  const ask = askTogether(async (queries: readonly string[]) => {
    trips.push([...queries])
    return Promise.allSettled(
      queries.map(async (query) => {
        if (query === 'wrong') throw new Error('syntax')
        return query.toUpperCase()
      }),
    )
  })
  const outcomes = await Promise.allSettled([ask('a'), ask('wrong'), ask('b')])
  assert.deepEqual(
    outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : 'failed')),
    ['A', 'failed', 'B'],
  )
  assert.equal(await ask('later'), 'LATER')
  assert.deepEqual(trips, [['a', 'wrong', 'b'], ['later']])
})

test('when the connection fails, all of them do', async () => {
  const ask = askTogether(() => Promise.reject(new Error('away')))
  const outcomes = await Promise.allSettled([ask('a'), ask('b')])
  assert.ok(outcomes.every(({ status }) => status === 'rejected'))
})
