import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import test from 'node:test'
import { until } from '../test/support/until.ts'
import { errorFacts, openLog, reportOnceAMinute } from './log.ts'

test('a line is JSON: time, level, event and facts, from the chosen level on', async () => {
  const { out, read } = collect()
  const log = openLog('info', out)
  log.debug('left.out')
  log.info('request', { id: 'ab12', status: 200, lead: undefined })
  log.error('other')
  await log.drain()
  const lines = read()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { time: number })
  for (const { time } of lines) assert.ok(Math.abs(time - Date.now()) < 60_000)
  assert.deepEqual(
    lines.map(({ time: _time, ...rest }) => rest),
    [
      { level: 'info', event: 'request', id: 'ab12', status: 200 },
      { level: 'error', event: 'other' },
    ],
  )
})

test('a person reads the time, what happened, and the sentences as they are', async () => {
  const { out, read } = collect()
  const log = openLog('info', Object.assign(out, { isTTY: true }))
  log.info('service.listening', { version: '0.1.0', port: 3000, code: undefined })
  log.warn('delivery.no-channel', { note: 'No notification is sent.' })
  log.error('other', { code: '\u001b[31m' })
  await log.drain()
  const lines = read().split('\n')
  assert.ok(lines.slice(0, -1).every((line) => /^\d\d:\d\d:\d\d /.test(line)))
  assert.deepEqual(
    lines.map((line) => line.slice('00:00:00 '.length)),
    [
      'service.listening version=0.1.0 port=3000',
      'WARN delivery.no-channel - No notification is sent.',
      'ERROR other code=·[31m',
      '',
    ],
  )
})

test('lines that wait for a reader have a bound: the later ones are dropped, and counted once he reads', async () => {
  const written: string[] = []
  let read = () => {}
  const out = new Writable({
    decodeStrings: false,
    write: (text: string, _encoding, done) => {
      written.push(text)
      if (written.length === 1) read = done
      else done()
    },
  })
  const log = openLog('info', out)
  const asked = 3_000
  for (let n = 0; n < asked; n += 1) log.info('request', { note: 'x'.repeat(1_000) })
  log.flush()
  const kept = written.join('').split('\n').length - 1
  assert.ok(kept > 0 && kept < asked / 2, `${kept} lines were kept`)
  read()
  await until(() => written.some((text) => text.includes('"log.lost"')), 'the log tells')
  assert.match(written.at(-1)!, new RegExp(`"log\\.lost","lines":${asked - kept}}`))
})

test('an error is told by name, code and place, without its message', () => {
  const error = Object.assign(new TypeError('robin@example.com'), { code: 'E_ONE' })
  const facts = errorFacts(error)
  assert.partialDeepStrictEqual(facts, { error: 'TypeError', code: 'E_ONE', reason: undefined })
  assert.match(String(facts['at']), /log\.test\.ts/)
  assert.doesNotMatch(JSON.stringify(facts), /robin@/)
})

test('the first failure is written at once, the next ones once a minute with their number', () => {
  const clock = { now: 0 }
  const written: string[] = []
  const failures = reportOnceAMinute(
    (event, told) => written.push(`${event} ${told['error']} ${told['times']}`),
    () => clock.now,
  )
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

function collect() {
  let text = ''
  const out = new Writable({
    decodeStrings: false,
    write(chunk: string, _encoding, done) {
      text += chunk
      done()
    },
  })
  return { out, read: () => text }
}
