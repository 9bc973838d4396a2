import assert from 'node:assert/strict'
import { openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { temporaryFolder } from '../test/support/service.ts'
import { forPeople } from './log-for-people.ts'
import { openLog } from './log.ts'

test('a person reads the time, what happened, and the sentences as they are', (t) => {
  const path = join(temporaryFolder(t), 'log')
  const log = openLog('info', openSync(path, 'w'), forPeople)
  log.info('service.listening', { version: '0.1.0', port: 3000 })
  log.warn('delivery.no-channel', { note: 'No notification is sent.' })
  log.line('"event":"request","id":"ab12","method":"GET","route":"/","status":200,"us":1234', 0)
  log.error('other', { code: '\u001b[31m' })
  log.flush()
  const lines = readFileSync(path, 'utf8').split('\n')
  assert.ok(lines.slice(0, -1).every((line) => /^\d\d:\d\d:\d\d /.test(line)))
  assert.deepEqual(
    lines.map((line) => line.slice('00:00:00 '.length)),
    [
      'service.listening version=0.1.0 port=3000',
      'WARN delivery.no-channel - No notification is sent.',
      'GET / 200 ms=1.234 id=ab12',
      'ERROR other code="\\u001b[31m"',
      '',
    ],
  )
})
