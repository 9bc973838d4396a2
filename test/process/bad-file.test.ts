import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { closeSync, openSync, readFileSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { StoreRefused } from '../../src/store/engine/engine.ts'
import { acknowledgedMore, startLoad } from '../support/load.ts'
import { temporaryFolder } from '../support/service.ts'
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
  // A command prints the message of such an error and nothing more, and ends with 5.
  await assert.rejects(startServiceHere(t, { dataDir }), (error: Error) => {
    assert.ok(error instanceof StoreRefused, error.stack)
    t.diagnostic(JSON.stringify({ story: t.name, said: error.message }))
    assert.match(error.message, /damaged/)
    assert.doesNotMatch(error.message, /\n/, 'more than a sentence')
    return true
  })
  assert.ok(readFileSync(path).equals(before), 'the file was changed')
})
