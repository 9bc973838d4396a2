import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { closeSync, openSync, readFileSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { acknowledgedMore, startLoad } from '../support/load.ts'
import { startServiceProcess, temporaryFolder, type Cleaner } from '../support/service.ts'

test('a database with garbage in its middle is refused and left alone', async (t) => {
  const path = await fillDatabase(t, temporaryFolder(t), 200, 'SIGTERM')
  overwriteMiddle(path)
  await assertRefused(t, path, /damaged/)
})

type Teller = { diagnostic(message: string): void; name: string }

async function assertRefused(t: Teller, path: string, sentence: RegExp): Promise<void> {
  const before = readFileSync(path)
  const failure = await startServiceProcess({ dataDir: join(path, '..') }).then(
    (service) => service.stop('SIGKILL').then(() => assert.fail('it started')),
    (error: Error) => error.message,
  )
  const [, code, said = ''] = /^exited with (\S+) at start: (.*)$/s.exec(failure) ?? []
  t.diagnostic(JSON.stringify({ story: t.name, code, said: said.trim() }))
  assert.match(code!, /^[1-9]\d*$/)
  assert.match(said, sentence)
  assert.equal(said.trim().split('\n').length, 1, `more than a sentence: ${said}`)
  assert.ok(readFileSync(path).equals(before), 'the file was changed')
}

/** After SIGKILL the leads are still in the log beside the file. */
async function fillDatabase(
  t: Cleaner,
  dataDir: string,
  leads: number,
  ending: 'SIGTERM' | 'SIGKILL',
): Promise<string> {
  const service = await startServiceProcess({ dataDir })
  t.after(() => service.stop('SIGKILL'))
  const load = startLoad({ port: () => service.port, label: ending, connections: 1 })
  await acknowledgedMore(load, leads)
  await load.stop()
  await service.stop(ending)
  return join(dataDir, 'leads.sqlite')
}

/** Half of the file, so that it is more than the few pages that the log holds anew. */
function overwriteMiddle(path: string): void {
  const { size } = statSync(path)
  const file = openSync(path, 'r+')
  writeSync(file, randomBytes(size / 2), 0, size / 2, size / 4)
  closeSync(file)
}
