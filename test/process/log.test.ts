import assert from 'node:assert/strict'
import { Agent, request } from 'node:http'
import test from 'node:test'
import { robin } from '../support/leads.ts'
import { startServiceProcess, temporaryFolder, type RunningService } from '../support/service.ts'
import { until } from '../support/until.ts'

/** Each is a line of the log with more than 110 bytes: more than the pipe and its reader hold. */
const asked = 2_500

test('while nobody reads the log, leads are taken, and the service ends when it is told to [log.block]', async (t) => {
  const service = await startServiceProcess({ dataDir: temporaryFolder(t) })
  service.process.stdout!.pause()
  await askOften(service, asked)
  const answer = await fetch(new URL('/api/lead', service.url), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(robin),
  })
  assert.equal(answer.status, 200)
  const read = service.lines.filter((line) => line.includes('"event":"request"')).length
  assert.ok(read < asked, `${read} lines were read`)
  service.process.kill('SIGTERM')
  // `close` waits for the reader.
  await until(() => service.process.exitCode !== null, 'it ended')
  assert.equal(service.process.exitCode, 0)
  service.process.stdout!.resume()
})

async function askOften({ port }: RunningService, times: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 16 })
  let left = times
  const askInTurn = async () => {
    while (left > 0) {
      left -= 1
      await askOnce(port, agent)
    }
  }
  await Promise.all(Array.from({ length: 16 }, askInTurn))
  agent.destroy()
}

function askOnce(port: number, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path: '/healthz', agent }, (response) => {
      response.resume().once('end', resolve)
    })
      .once('error', reject)
      .end()
  })
}
