import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { closeSync, openSync, readFileSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { acknowledgedMore, startLoad } from '../support/load.ts'
import { startServiceProcess, temporaryFolder } from '../support/service.ts'
import { startServiceHere } from '../support/service-here.ts'

test('a database with garbage in its middle is refused in one sentence, and left alone', async (t) => {
  const dataDir = temporaryFolder(t)
  const service = await startServiceHere(t, { dataDir })
  const load = startLoad({ port: () => service.port, label: 'damaged', connections: 1 })
  await acknowledgedMore(load, 200)
  await load.stop()
  await service.stop()
  const path = join(dataDir, 'leads.sqlite')
  // Half of the file, so that it is more than the few pages that the log holds anew.
  const { size } = statSync(path)
  const file = openSync(path, 'r+')
  writeSync(file, randomBytes(size / 2), 0, size / 2, size / 4)
  closeSync(file)

  const before = readFileSync(path)
  const failure = await startServiceProcess({ dataDir }).then(
    (started) => started.stop('SIGKILL').then(() => assert.fail('it started')),
    (error: Error) => error.message,
  )
  const [, code, said = ''] = /^exited with (\S+) at start: (.*)$/s.exec(failure) ?? []
  t.diagnostic(JSON.stringify({ story: t.name, code, said: said.trim() }))
  assert.match(code!, /^[1-9]\d*$/)
  assert.match(said, /damaged/)
  assert.equal(said.trim().split('\n').length, 1, `more than a sentence: ${said}`)
  assert.ok(readFileSync(path).equals(before), 'the file was changed')
})
