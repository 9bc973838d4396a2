import assert from 'node:assert/strict'
import { Agent, request } from 'node:http'
import test from 'node:test'
import { robin } from '../support/people.ts'
import { startServiceProcess, temporaryFolder, type RunningService } from '../support/service.ts'
import { until } from '../support/until.ts'

/** Each is a line of the log with more than 110 bytes: more than may wait, and the pipe and its reader hold. */
const asked = 14_000

test('while nobody reads the log, leads are taken; then it says how many lines were dropped', async (t) => {
  const service = await startServiceProcess({ dataDir: temporaryFolder(t) })
  t.after(() => service.stop())
  service.process.stdout!.pause()
  await askOften(service, asked)
  const answer = await fetch(new URL('/api/lead', service.url), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(robin),
  })
  assert.equal(answer.status, 200)

  service.process.stdout!.resume()
  const lost = () => linesOf(service, 'log.lost').map(({ lines = 0 }) => lines)
  await until(() => lost().length > 0, 'the log says what was dropped')
  const written = linesOf(service, 'request').length
  assert.ok(written > 1_000, `${written} lines waited`)
  assert.equal(written + lost().reduce((sum, lines) => sum + lines, 0), asked + 1)
})

test('a service whose log nobody reads ends when it is told to', async (t) => {
  const service = await startServiceProcess({ dataDir: temporaryFolder(t) })
  service.process.stdout!.pause()
  await askOften(service, 5_000)
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

function linesOf(service: RunningService, event: string): { lines?: number }[] {
  return service.lines
    .filter((line) => line.includes(`"event":"${event}"`))
    .map((line) => JSON.parse(line) as { lines?: number })
}
