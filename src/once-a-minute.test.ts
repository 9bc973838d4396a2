import assert from 'node:assert/strict'
import test from 'node:test'
import type { LogFacts } from './log.ts'
import { reportOnceAMinute } from './once-a-minute.ts'
import { StorageUnavailable } from './store/engine/engine.ts'

test('the first failure is written at once, the next ones once a minute with their number', () => {
  const { clock, failures, written } = open()
  for (const second of [0, 1, 59, 60, 61, 200]) {
    clock.now = second * 1_000
    failures('probe.failed', new TypeError('robin@example.com'))
  }
  assert.deepEqual(written, [
    'probe.failed TypeError 1',
    'probe.failed TypeError 3',
    'probe.failed TypeError 2',
  ])
})

test('another event, and another kind of error, are written at once', () => {
  const { failures, written } = open()
  failures('probe.failed', new TypeError())
  failures('count.failed', new TypeError())
  failures('probe.failed', new RangeError())
  failures('probe.failed', new TypeError())
  assert.deepEqual(written, [
    'probe.failed TypeError 1',
    'count.failed TypeError 1',
    'probe.failed RangeError 1',
  ])
})

test('why storage is unavailable is written, and another reason at once', () => {
  const { failures, facts } = open()
  for (const reason of ['full', 'full', 'read-only']) {
    failures('probe.failed', new StorageUnavailable(reason))
  }
  assert.deepEqual(
    facts.map(({ reason }) => reason),
    ['full', 'read-only'],
  )
})

test('a clock that was set back hides nothing', () => {
  const { clock, failures, written } = open()
  failures('probe.failed', new TypeError())
  clock.now = -3_600_000
  failures('probe.failed', new TypeError())
  assert.equal(written.length, 2)
})

function open() {
  const clock = { now: 0 }
  const written: string[] = []
  const facts: LogFacts[] = []
  const failures = reportOnceAMinute(
    (event, told = {}) => {
      facts.push(told)
      written.push(`${event} ${told['error']} ${told['times']}`)
    },
    () => clock.now,
  )
  return { clock, failures, written, facts }
}
