/**
 * Measures a backup beside a service under load: how long it takes, how far throughput falls, the
 * slowest answer, and whether every lead that was acknowledged before it began is in it.
 *
 *     node bench/backup.ts [megabytes] [leads per second]
 */
import { execFile } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { openBundle } from '../src/backup/open-bundle.ts'
import { openSqlite } from '../src/store/engine/sqlite.ts'
import { openStore } from '../src/store/store.ts'
import { NODE_COMPILE_CACHE, startServiceProcess } from '../test/support/service.ts'
import { cleanUpAtExit, killAtExit, makeFolder } from './cleanup.ts'
import { openConnection } from './connection.ts'
import { newLead } from './growth-lead.ts'
import { jsonLead, number } from './requests.ts'

const megabytes = Number(process.argv[2] ?? 500)
const mostPerSecond = Number(process.argv[3] ?? 10_000)
const connections = 64
const warmUpMs = 5_000
const slotMs = 1_000

cleanUpAtExit()
const dataDir = makeFolder()
const path = join(dataDir, 'leads.sqlite')
await fill()
const service = await startServiceProcess({ dataDir })
killAtExit(service.process)
const load = startLoad(service.port)
await sleep(warmUpMs)
const before = load.slots.slice(1, -1)
load.resetSlowest()
const acknowledgedBefore = load.acknowledged()
const beganAt = performance.now()
const firstSlot = load.slots.length
const made = await backUp()
const tookMs = Math.round(performance.now() - beganAt)
const during = load.slots.slice(firstSlot, -1)
const slowestMs = Math.round(load.slowestMs())
await load.stop()
await service.stop()
const usual = before.reduce((sum, count) => sum + count, 0) / before.length
process.stdout.write(
  `${JSON.stringify({
    databaseMb: Math.round(made.databaseBytes / 1e6),
    bundleMb: Math.round(made.bytes / 1e6),
    leads: made.leads,
    tookMs,
    leadsPerSecond: Math.round(usual),
    lowestSecond: Math.min(...during),
    share: Number((Math.min(...during) / usual).toFixed(2)),
    slowestMs,
    mode: (statSync(made.path).mode & 0o777).toString(8),
    missing: await countMissing(),
  })}\n`,
)

async function fill(): Promise<void> {
  const store = openStore(openSqlite({ path, nowMs: Date.now() }))
  while (statSync(path).size < megabytes * 1e6) {
    await Promise.all(Array.from({ length: 8_000 }, () => store.keepLead(newLead())))
  }
  await store.close()
}

async function backUp() {
  const databaseBytes = statSync(path).size
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['bin/lead-intake.js', 'backup', '--json'],
    { env: { PATH: process.env['PATH'], DATA_DIR: dataDir, NODE_COMPILE_CACHE } },
  )
  return {
    databaseBytes,
    ...(JSON.parse(stdout) as { path: string; leads: number; bytes: number }),
  }
}

/** Each lead has a number of its own in its email. Those of the filling are not asked for. */
async function countMissing(): Promise<number> {
  const folder = makeFolder()
  await openBundle(made.path, folder)
  const db = new DatabaseSync(join(folder, 'leads.sqlite'), { readOnly: true })
  const rows = db.prepare(`select email from lead where user_agent = 'lead-intake-bench'`).all()
  const emails = new Set(rows.map(({ email }) => String(email)))
  db.close()
  return acknowledgedBefore.filter((email) => !emails.has(email)).length
}

/** `slots`: how many were acknowledged in each second. */
function startLoad(port: number) {
  const startedAt = performance.now()
  const slots: number[] = []
  const emails: string[] = []
  let sent = 0
  let slowest = 0
  const ending = new AbortController()
  const senders = Array.from({ length: connections }, () => keepSending())
  return {
    slots,
    acknowledged: () => [...emails],
    slowestMs: () => slowest,
    resetSlowest: () => void (slowest = 0),
    async stop() {
      ending.abort()
      await Promise.all(senders)
    },
  }

  async function keepSending(): Promise<void> {
    const connection = openConnection(port)
    const bytes = Buffer.from(jsonLead.bytes)
    while (!ending.signal.aborted) {
      const elapsed = performance.now() - startedAt
      if (sent >= (elapsed / 1_000) * mostPerSecond) {
        await sleep(1)
        continue
      }
      sent += 1
      number(jsonLead, bytes)
      const email = /robin\.\d+@example\.com/.exec(bytes.toString('latin1'))![0]
      const askedAt = performance.now()
      const status = await new Promise<number>((resolve, reject) =>
        connection.ask(bytes, resolve, reject),
      )
      const answeredAt = performance.now()
      if (status !== 200) throw new Error(`answered ${status}`)
      slowest = Math.max(slowest, answeredAt - askedAt)
      emails.push(email)
      const slot = Math.floor((answeredAt - startedAt) / slotMs)
      while (slots.length <= slot) slots.push(0)
      slots[slot]! += 1
    }
    connection.close()
  }
}
