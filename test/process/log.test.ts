import assert from 'node:assert/strict'
import test from 'node:test'
import { robin } from '../support/leads.ts'
import {
  postLead,
  startServiceProcess,
  temporaryFolder,
  type RunningService,
} from '../support/service.ts'
import { until } from '../support/until.ts'
import { getRequest, openWire } from '../support/wire.ts'

/** Each is a line of the log with more than 110 bytes: more than the pipe and its reader hold. */
const asked = 16 * 160

test('while nobody reads the log, leads are taken, and the service ends when it is told to [log.block]', async (t) => {
  const service = await startServiceProcess({ dataDir: temporaryFolder(t) })
  service.process.stdout!.pause()
  await askOften(service)
  assert.equal((await postLead(service.url, robin)).status, 200)
  const read = service.lines.filter((line) => line.includes('"event":"request"')).length
  assert.ok(read < asked, `${read} lines were read`)
  service.process.kill('SIGTERM')
  // `close` waits for the reader.
  await until(() => service.process.exitCode !== null, 'it ended')
  assert.equal(service.process.exitCode, 0)
  service.process.stdout!.resume()
})

async function askOften({ port }: RunningService): Promise<void> {
  const clients = Array.from({ length: 16 }, async () => {
    const wire = await openWire(port)
    for (let n = 0; n < asked / 16; n += 1) await wire.ask(getRequest('/healthz'))
    wire.close()
  })
  await Promise.all(clients)
}
