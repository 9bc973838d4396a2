import assert from 'node:assert/strict'
import { execFileSync, spawn, type ChildProcess, type StdioOptions } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync, readSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import test from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { comePath } from '../../src/contract/routes.ts'
import { robin } from '../support/leads.ts'
import {
  NODE_COMPILE_CACHE,
  freePort,
  postLead,
  temporaryFolder,
  type Cleaner,
} from '../support/service.ts'
import { startServiceHere } from '../support/service-here.ts'
import { fillUp, mayMount, openSmallFileSystem } from '../support/small-disk.ts'
import { until } from '../support/until.ts'
import { getRequest, openWire } from '../support/wire.ts'

/** Each is a line of the log with more than 110 bytes: more than a pipe holds. */
const asked = 16 * 50

test('while nobody reads the log, leads are taken, and the service ends when it is told to [log.block]', async (t) => {
  const path = join(temporaryFolder(t), 'log')
  execFileSync('mkfifo', [path])
  const log = openSync(path, 'r+')
  t.after(() => closeSync(log))
  const { service, url, port } = await startWithLog(t, log)
  await askOften(port)
  assert.equal((await postLead(url, robin)).status, 200)
  assert.equal(await end(service), 0)
  const unread = Buffer.alloc(1024 * 1024)
  const lines = unread.toString('utf8', 0, readSync(log, unread)).split('"event":"request"')
  assert.ok(lines.length > 100 && lines.length < asked, `${lines.length} lines were written`)
})

test('where the disk of the log is full, the service takes leads, says how many lines are lost once there is room, and ends when it is told to [log.gone]', async (t) => {
  const disk = mayMount() ? openSmallFileSystem(t) : undefined
  const path = disk === undefined ? '/dev/full' : join(disk.dataDir, 'log')
  const ballast = disk && join(disk.dataDir, 'ballast')
  if (ballast !== undefined) fillUp(ballast)
  const { service, url } = await startWithLog(t, openSync(path, 'a'))
  await takeLeads(url)
  if (ballast !== undefined) {
    rmSync(ballast)
    await until(async () => {
      await postLead(url, robin)
      return /"event":"log.lost","lines":[1-9]/.test(readFileSync(path, 'utf8'))
    }, 'the log tells')
  }
  assert.equal(await end(service), 0)
})

test('after the reader of the log was killed, leads are taken, and the service ends when it is told to [log.gone]', async (t) => {
  const reader = spawn('cat', { stdio: ['pipe', 'ignore', 'ignore'] })
  const { service, url } = await startWithLog(t, reader.stdin)
  // The service alone holds the writing end from here on, as in `lead-intake serve | cat`.
  reader.stdin.destroy()
  await takeLeads(url)
  reader.kill('SIGKILL')
  await once(reader, 'exit')
  await takeLeads(url)
  assert.equal(await end(service), 0)
})

test('the log does not have the postcode that somebody asks about', async (t) => {
  const service = await startServiceHere(t, { dataDir: temporaryFolder(t) })
  const body = new URLSearchParams({ text_1: 'zz-7319' })
  await fetch(service.url + comePath, { method: 'POST', body, headers: { accept: 'text/html' } })
  await until(() => service.lines.some((line) => line.includes(comePath)), 'the request is logged')
  await service.stop()
  assert.doesNotMatch(service.lines.join(), /zz-7319/)
})

test('another command ends without a word when its reader has read enough', async (t) => {
  const command = spawn(process.execPath, ['bin/lead-intake.js', 'config'], {
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE, DATA_DIR: temporaryFolder(t) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  command.stdout.destroy()
  const [errors, [code]] = await Promise.all([text(command.stderr), once(command, 'close')])
  assert.deepEqual({ code, errors }, { code: 0, errors: '' })
})

/** The log goes to `out`, so the port is chosen before, and the service asked until it answers. */
async function startWithLog(t: Cleaner, out: Exclude<StdioOptions, string>[number]) {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const service = spawn(process.execPath, ['bin/lead-intake.js', 'serve'], {
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE,
      DATA_DIR: temporaryFolder(t),
      PORT: String(port),
      RATE_LIMIT: 'off',
      PHOTO_SPACE: '0',
    },
    stdio: ['ignore', out, 'ignore'],
  })
  t.after(() => service.kill('SIGKILL'))
  await until(async () => {
    assert.equal(service.exitCode, null, 'the service ended by itself')
    const answer = await fetch(`${url}/api/lead`).catch(() => undefined)
    return answer?.status === 200
  }, 'the service answers')
  return { service, url, port }
}

/** One after the other, so that the log is written, and the write fails, in between. */
async function takeLeads(url: string): Promise<void> {
  for (let n = 0; n < 20; n += 1) {
    const answer = await postLead(url, { ...robin, textarea_1: `A deck, number ${n}.` })
    assert.equal(answer.status, 200)
    await sleep(5)
  }
}

async function end(service: ChildProcess): Promise<number | null> {
  service.kill('SIGTERM')
  await until(() => service.exitCode !== null || service.signalCode !== null, 'it ended')
  return service.exitCode
}

async function askOften(port: number): Promise<void> {
  const clients = Array.from({ length: 16 }, async () => {
    const wire = await openWire(port)
    for (let n = 0; n < asked / 16; n += 1) await wire.ask(getRequest('/healthz'))
    wire.close()
  })
  await Promise.all(clients)
}
