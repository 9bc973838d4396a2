import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test from 'node:test'
import { beat } from '../../src/delivery/heartbeat.ts'
import { reportOnceAMinute } from '../../src/log.ts'
import { StorageUnavailable } from '../../src/store/engine/engine.ts'
import { createProve } from '../../src/store/store.ts'
import { type Cleaner } from '../support/service.ts'
import { startServiceHere } from '../support/service-here.ts'
import { openDesk } from '../support/desk.ts'
import { newInstallation } from '../support/engines.ts'
import { nowMs } from '../support/leads.ts'
import { leadIntake } from '../support/operator.ts'
import { until } from '../support/until.ts'

const token = 'c0ffee00-secret'

async function openMonitor(t: Cleaner) {
  const asked: string[] = []
  const monitor = { asked, status: 200, url: '' }
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    response.writeHead(monitor.status).end('OK')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => void server.close())
  monitor.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/ping/${token}`
  return monitor
}

test('each beat follows a test commit, and says so when there was none [heartbeat.commit]', async (t) => {
  const monitor = await openMonitor(t)
  const { store } = openDesk(t)
  const lines: string[] = []
  const clock = { now: nowMs }
  const now = () => clock.now
  const write = (event: string, facts?: object) => lines.push(JSON.stringify({ event, ...facts }))
  const reportFailure = reportOnceAMinute(write, now)
  const probed: number[] = []
  // The first commit waits for the writer to start.
  await store.probe(nowMs)
  let fails = false
  const probe = async (at: number) => {
    if (fails) throw new StorageUnavailable('full')
    await store.probe(at)
    probed.push(monitor.asked.length)
  }
  const prove = createProve({ store: { probe }, reportFailure, now })
  const parts = { url: monitor.url, prove, reportFailure }
  const running = new AbortController().signal
  await beat(parts, running)
  assert.deepEqual(monitor.asked, [`GET /ping/${token}`])
  assert.deepEqual(probed, [0], 'the commit comes first')
  fails = true
  await beat(parts, running)
  await beat({ ...parts, url: `${monitor.url}/?msg=x` }, running)
  assert.deepEqual(monitor.asked.slice(1), [
    `GET /ping/${token}/fail`,
    `GET /ping/${token}/fail?msg=x`,
  ])

  fails = false
  lines.length = 0
  monitor.status = 500
  for (let times = 0; times < 3; times += 1) await beat(parts, running)
  assert.equal(lines.length, 1, 'one line a minute')
  assert.match(lines[0]!, /"heartbeat.not-sent".*"code":"answered 500"/)
  assert.doesNotMatch(lines.join('\n'), new RegExp(token))
})

test('a service beats from its start on, and keeps the address to itself', async (t) => {
  const monitor = await openMonitor(t)
  const { place } = await newInstallation(t)
  const env = { ...place.env, HEARTBEAT_URL: monitor.url }
  const service = await startServiceHere(t, { ...place, env: { ...env, LOG_LEVEL: 'debug' } })
  await until(() => monitor.asked.length > 0, 'the monitor is asked')
  assert.deepEqual(monitor.asked, [`GET /ping/${token}`])
  await service.stop()
  assert.doesNotMatch(service.lines.join('\n'), new RegExp(token))
  const shown = await leadIntake({ ...place, env }, ['config'])
  assert.match(shown.out, /^HEARTBEAT_URL=\(hidden\) /m)
  assert.doesNotMatch(shown.out, new RegExp(token))
})
