/** Puts the leads of a SQLite file in the place of those in a PostgreSQL database, in one transaction. */
import { copyTable, findDifference, readTables } from './copy.ts'
import { StoreRefused } from './engine/engine.ts'
import { openPostgres } from './engine/postgres.ts'
import { wasCrossed } from './engine/postgres-faults.ts'
import { openConnections } from './engine/postgres-pool.ts'
import type { Connections } from './engine/postgres-pool.ts'
import { openSqliteToRead } from './engine/sqlite.ts'
import { schemaOf } from './restored.ts'
import { joinSecret } from './secret.ts'

export type Replacement = {
  url: string
  /** A SQLite file with the schema of this program. */
  file: string
  /** Folder of the secret that belongs to it. */
  secretDir: string
  /** The schema that the present tables are moved to. */
  keepAs: string
}

const deadlineMs = 10 * 60_000
const triesWhenCrossed = 5

/** Nodes may run meanwhile: they see the tables of before, and then the new ones. */
export async function replaceTables(replacement: Replacement): Promise<void> {
  const connections = openConnections(replacement.url, 60_000)
  try {
    const here = await schemaOf({ read: async (text) => (await connections.ask({ text })).rows })
    // What is copied waits in there. One that was interrupted is dropped by the next.
    const waiting = `${here}_restoring`
    await connections.maintain([
      `drop schema if exists "${waiting}" cascade`,
      `create schema "${waiting}"`,
    ])
    await fill(replacement, waiting)
    await swap(connections, { here, waiting, keepAs: replacement.keepAs })
  } finally {
    await connections.close()
  }
}

async function fill({ url, file, secretDir }: Replacement, waiting: string): Promise<void> {
  const source = openSqliteToRead(file)
  const target = openPostgres({ url: within(url, waiting), nowMs: Date.now(), forCommand: true })
  try {
    const tables = await readTables(source)
    for (const table of tables) await copyTable(table, { source, target }, () => {})
    for (const table of tables) {
      const difference = await findDifference(table, { source, target })
      if (difference === undefined) continue
      throw new StoreRefused(`The copy differs from its source (${difference}). Try again.`)
    }
    await joinSecret(target, secretDir)
  } finally {
    await Promise.all([source.close(), target.close()])
  }
}

function within(url: string, schema: string): string {
  const whole = new URL(url)
  const options = whole.searchParams.get('options') ?? ''
  whole.searchParams.set('options', `${options} -c search_path=${schema}`.trim())
  // URLSearchParams writes a blank as `+`, which is not one to PostgreSQL.
  return whole.href.replaceAll('+', '%20')
}

type Schemas = { here: string; waiting: string; keepAs: string }

async function swap(connections: Connections, { here, waiting, keepAs }: Schemas): Promise<void> {
  const { rows } = await connections.ask({
    text: 'select tablename as name from pg_tables where schemaname = $1 order by 1',
    values: [waiting],
  })
  const texts = [
    'set local statement_timeout = 0',
    `create schema "${keepAs}"`,
    ...rows.flatMap(({ name }) => [
      `alter table if exists "${here}".${String(name)} set schema "${keepAs}"`,
      `alter table "${waiting}".${String(name)} set schema "${here}"`,
    ]),
    `drop schema "${waiting}"`,
  ]
  for (let left = triesWhenCrossed; ; left -= 1) {
    try {
      await connections.transact(
        texts.map((text) => ({ text })),
        deadlineMs,
      )
      return
    } catch (error) {
      // A node had locked the tables in another order.
      if (left === 0 || !wasCrossed(error)) throw error
    }
  }
}
