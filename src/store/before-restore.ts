/**
 * What a restore replaced: files beside the database, or a schema of PostgreSQL. An erasing does not
 * reach them, so they are deleted after a time.
 */
import { readdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { repeatByClock } from '../by-clock.ts'
import type { ByClock } from '../by-clock.ts'
import type { Settings } from '../config.ts'
import { dayMs, hourMs, secondMs } from '../durations.ts'
import { type Report, type ReportFailure } from '../log.ts'
import { isPostgres } from '../setting-values.ts'
import type { Connections } from './engine/postgres-pool.ts'
import { databaseOf } from './open.ts'
import { schemaOf } from './restored.ts'

export const replacedDays = 30
/** After a start, the first leads come first. */
const firstLookMs = 2 * secondMs
const lookMs = 12 * hourMs

/** `stamp`: when it was replaced, as in the name of a bundle. */
export function replacedFile(stamp: string, kind: 'sqlite' | 'secret'): string {
  return `before-restore-${stamp}.${kind}`
}

/** `schema`: that of the service. Several installations may share a database, each in its own. */
export function replacedSchema(stamp: string, schema: string): string {
  return `${prefixOf(schema)}${stamp.replaceAll(/\W/g, '').toLowerCase()}`
}

function prefixOf(schema: string): string {
  return `${schema === 'public' ? '' : `${schema}_`}before_restore_`
}

export type Replaced = { name: string; at: number; remove(): Promise<void> }

type Place = Pick<Settings, 'DATA_DIR' | 'DATABASE_URL'>

export async function listReplaced(settings: Place): Promise<Replaced[]> {
  const database = databaseOf(settings)
  const onServer = isPostgres(database)
  const folders = new Set([settings.DATA_DIR, ...(onServer ? [] : [dirname(database)])])
  const files = await Promise.all([...folders].map(filesIn))
  return [...files.flat(), ...(onServer ? await schemasIn(database) : [])]
}

async function filesIn(folder: string): Promise<Replaced[]> {
  const names = await readdir(folder).catch(() => [])
  return names.flatMap((name) => {
    const at = isReplaced.test(name) ? timeIn(name) : undefined
    return at === undefined ? [] : [{ name, at, remove: () => rm(join(folder, name)) }]
  })
}

function schemasIn(url: string): Promise<Replaced[]> {
  return withConnections(url, async ({ ask }) => {
    const here = await schemaOf({ read: async (text) => (await ask({ text })).rows })
    const { rows } = await ask({ text: 'select nspname as name from pg_namespace order by 1' })
    return rows.flatMap((row) => {
      const name = String(row['name'])
      const at = name.startsWith(prefixOf(here)) ? timeIn(name) : undefined
      return at === undefined ? [] : [{ name, at, remove: () => dropSchema(url, name) }]
    })
  })
}

export function dropSchema(url: string, name: string): Promise<void> {
  const drop = `drop schema if exists "${name}" cascade`
  return withConnections(url, ({ maintain }) => maintain([drop]))
}

async function withConnections<T>(url: string, work: (to: Connections) => Promise<T>): Promise<T> {
  const { openConnections } = await import('./engine/postgres-pool.ts')
  const connections = openConnections(url)
  try {
    return await work(connections)
  } finally {
    await connections.close()
  }
}

const isReplaced = /^before-restore-[^.]+\.(?:sqlite(?:-wal|-shm)?|secret)$/

/** By the stamp in the name. */
function timeIn(name: string): number | undefined {
  const [, ...numbers] = (stampPattern.exec(name) ?? []).map(Number)
  const [year, month, day, ...time] = numbers
  return year === undefined ? undefined : Date.UTC(year, month! - 1, day, ...time)
}

const stampPattern = /before.restore.(\d{4})-?(\d\d)-?(\d\d)t(\d\d)(\d\d)(\d\d)z(?:\.|$)/i

/** Returns the names of what it deleted. */
export async function forgetReplaced(settings: Place, at: number): Promise<string[]> {
  const found = await listReplaced(settings)
  const old = found.filter((each) => at - each.at > replacedDays * dayMs)
  for (const { remove } of old) await remove()
  return old.map(({ name }) => name)
}

export type ForgetParts = {
  settings: Place
  report: Report
  reportFailure: ReportFailure
  now: () => number
}

export function forgetByClock(parts: ForgetParts): ByClock {
  const { settings, report, reportFailure, now } = parts
  return repeatByClock(async () => {
    await forgetReplaced(settings, now()).then(
      (names) => names.forEach((name) => report('restore.forgotten', { name })),
      (error: unknown) => reportFailure('restore.not-forgotten', error),
    )
    return lookMs
  }, firstLookMs)
}
