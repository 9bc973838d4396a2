import assert from 'node:assert/strict'
import { openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { temporaryFolder } from '../test/support/service.ts'
import { until } from '../test/support/until.ts'
import { openLog } from './log.ts'

test('a line tells the time of day, though the clock was set after the last one', async (t) => {
  const path = join(temporaryFolder(t), 'log')
  const log = openLog('info', openSync(path, 'w'))
  const times = () => readFileSync(path, 'utf8').split('\n').slice(0, -1).map(timeOf)
  log.line('"event":"one"', performance.now())
  await until(() => times().length === 1, 'the first line was written')
  const hour = 3_600_000
  const clock = Date.now
  t.mock.method(Date, 'now', () => clock() + hour)
  log.line('"event":"two"', performance.now())
  await until(() => times().length === 2, 'the second line was written')
  const [one, two] = times()
  assert.ok(two! - one! >= hour, `${two! - one!} ms between them`)
})

function timeOf(line: string): number {
  return (JSON.parse(line) as { time: number }).time
}
