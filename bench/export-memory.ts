/** Resident memory of the service while a member exports a million leads, on both engines. */
import { join } from 'node:path'
import { PostgresEngine } from '../src/store/engine/postgres.ts'
import { openSqlite } from '../src/store/engine/sqlite.ts'
import type { Engine } from '../src/store/engine/engine.ts'
import { makeLink } from '../src/operator/inbox-link.ts'
import { openStore } from '../src/store/store.ts'
import { residentMb } from '../test/support/resident-memory.ts'
import type { Case, Figure } from './case.ts'
import { makeFolder, removeFolder } from './cleanup.ts'
import { fillLeads } from './desk-fill.ts'
import { goals } from './goals.ts'
import { quantile } from './median.ts'
import { startDatabases } from './postgres.ts'
import { programs } from './programs.ts'
import { startServer } from './server-process.ts'
import type { ServerProcess, Settings } from './server-process.ts'

const leads = Number(process.env['BENCH_EXPORT_LEADS'] ?? 1_000_000)
/** The one that servers of the benchmark are started with. */
const baseUrl = 'http://localhost:3000'
const ownPage = { 'Sec-Fetch-Site': 'same-origin' }

export const exportMemory: readonly Case[] = [
  {
    name: 'export-memory-sqlite',
    meaning: `memory while ${leads} leads are exported, on SQLite; about 4 minutes`,
    onDemand: true,
    needsLinux: true,
    async run() {
      const folder = makeFolder()
      try {
        const path = join(folder, 'leads.sqlite')
        return await measure(openSqlite({ path, nowMs: Date.now() }), folder, {})
      } finally {
        removeFolder(folder)
      }
    },
  },
  {
    name: 'export-memory-postgres',
    meaning: 'the same on PostgreSQL; about 8 minutes',
    onDemand: true,
    needsLinux: true,
    async run() {
      const folder = makeFolder()
      const databases = await startDatabases(['leads'])
      const settings = databases.settings[0]!
      const url = String(settings['DATABASE_URL'])
      try {
        const engine = new PostgresEngine({ url, nowMs: Date.now(), forCommand: true })
        return await measure(engine, folder, settings)
      } finally {
        await databases.close()
        removeFolder(folder)
      }
    },
  },
]

async function measure(engine: Engine, folder: string, settings: Settings): Promise<Figure[]> {
  const store = openStore(engine)
  await fillLeads(store, leads)
  const who = { name: 'Robin', email: 'robin@example.com' }
  const link = new URL(await makeLink(store.access, baseUrl, who)).pathname
  await store.close()
  const server = await startServer(programs.service, { folder, settings })
  try {
    const cookie = await signIn(server, link, who)
    const figures: Figure[] = []
    for (const format of ['csv', 'json']) figures.push(await exportAll(server, cookie, format))
    return figures
  } finally {
    await server.stop()
  }
}

async function signIn({ port }: ServerProcess, link: string, who: Settings): Promise<string> {
  const answer = await post(port, link, who, {})
  const [cookie = ''] = answer.headers.getSetCookie()
  if (answer.status !== 303) throw new Error(`signing in answered ${answer.status}`)
  return cookie.split(';')[0]!
}

async function exportAll(server: ServerProcess, cookie: string, format: string): Promise<Figure> {
  const { port, pid } = server
  const before = residentMb(pid)
  let peak = before
  const watch = setInterval(() => (peak = Math.max(peak, residentMb(pid))), 50)
  const done = new AbortController()
  const beside = sendLeads(port, done.signal)
  const startedAt = performance.now()
  let bytes = 0
  try {
    const { body } = await post(port, '/inbox/export', { view: 'all', format }, { cookie })
    for await (const chunk of body!) bytes += chunk.length
  } finally {
    clearInterval(watch)
    done.abort()
  }
  const tookS = (performance.now() - startedAt) / 1_000
  const waits = await beside
  return {
    what: `${format}, at its peak`,
    value: peak,
    unit: 'MB',
    goal: goals.memoryOfExportMb,
    remark: `${before} MB before; ${Math.round(bytes / 1e6)} MB sent in ${tookS.toFixed(0)} s; a lead beside it: p50 ${quantile(waits, 0.5).toFixed(1)} ms, p99 ${quantile(waits, 0.99).toFixed(1)} ms of ${waits.length}`,
  }
}

/** One after the other, until it is done. Returns how long each took. */
async function sendLeads(port: number, done: AbortSignal): Promise<number[]> {
  const waits: number[] = []
  for (let sent = 0; !done.aborted; sent += 1) {
    const startedAt = performance.now()
    const answer = await fetch(`http://127.0.0.1:${port}/api/lead`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ name_1: 'Sam', email_1: `sam${sent}@example.com` }),
    })
    await answer.arrayBuffer()
    waits.push(performance.now() - startedAt)
  }
  return waits
}

function post(port: number, path: string, fields: Settings, headers: Settings): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { ...ownPage, ...headers },
    body: new URLSearchParams(fields),
    redirect: 'manual',
  })
}
