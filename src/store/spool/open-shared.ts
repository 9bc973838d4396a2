/** Opens the store of one node on a shared PostgreSQL: engine, spool, and the secret of all nodes. */
import { hash } from 'node:crypto'
import { join } from 'node:path'
import type { Report } from '../../log.ts'
import { version } from '../../version.ts'
import { refuseHalfCopy } from '../copy.ts'
import { StorageUnavailable, StoreRefused } from '../engine/engine.ts'
import type { Engine } from '../engine/engine.ts'
import { openPostgres } from '../engine/postgres.ts'
import { whyAway } from '../engine/postgres-schema.ts'
import { spoolName } from './status.ts'
import { isThere } from '../ownership.ts'
import { joinSecret, secretPath } from '../secret.ts'
import { newestMigration, type Migrated } from '../engine/migrations.ts'
import { openSpooledStore } from './spooled-store.ts'
import { openSqlite } from '../engine/sqlite.ts'
import type { Store } from '../store.ts'

export type SharedStoreParts = {
  url: string
  dataDir: string
  now: () => number
  report: Report
  /** For lines of the log that are no warning. */
  note?: Report
  beforeMigration?: ((schema: number) => Promise<void>) | undefined
  lookEveryMs?: number
}

/** Refuses a database that it cannot use, and one that is away unless this node has reached it before. */
export async function openSharedStore({
  url,
  dataDir,
  now,
  report,
  note = () => {},
  beforeMigration,
  ...look
}: SharedStoreParts): Promise<Store> {
  const common = { nowMs: now(), report }
  const spoolEngine = openSqlite({
    ...common,
    path: join(dataDir, spoolName),
    noteMigration: (migrated) => note('database.migrated', { database: spoolName, ...migrated }),
    soleWriter: false,
  })
  // Without the secret, which the database has, the receipts given meanwhile would never open.
  const mayWait = isThere(secretPath(dataDir)) && (await isRemembered(spoolEngine, url))
  const noteMigration = (migrated: Migrated) =>
    note('database.migrated', { database: 'postgres', ...migrated })
  const engine = openPostgres({
    ...common,
    url,
    mayWait,
    noteMigration,
    // The backup has the secret in it.
    beforeMigration:
      beforeMigration &&
      (async (schema, source) => {
        await joinSecret(source, dataDir)
        await beforeMigration(schema)
      }),
    ...look,
  })
  try {
    await engine.tried
    const away = engine.away() ?? (await joinOthers())
    if (away !== undefined && !mayWait) {
      throw new StoreRefused(
        `${whyAway(away, url)} Once this node has been connected, it starts without the server, too.`,
      )
    }
    if (away) report('database.away', { reason: away.reason, note: whyAway(away, url) })
    return openSpooledStore({ engine, spoolEngine, now, report })
  } catch (error) {
    await engine.close()
    await spoolEngine.close()
    throw error
  }

  /** Returns why the server cannot be used after all; `undefined`: joined. */
  async function joinOthers(): Promise<StorageUnavailable | undefined> {
    try {
      await refuseHalfCopy(engine)
      await joinSecret(engine, dataDir)
      if (!mayWait) await remember(spoolEngine, url)
      note('database.opened', { version, schema: newestMigration() })
      return undefined
    } catch (error) {
      if (error instanceof StorageUnavailable) return error
      throw error
    }
  }
}

/** At the first start only. */
async function remember(spoolEngine: Engine, url: string): Promise<void> {
  await spoolEngine.run([
    [
      `insert into installation (name, value) values ('database', $1)
       on conflict (name) do update set value = $1`,
      [markOf(url)],
    ],
  ])
}

async function isRemembered(spoolEngine: Engine, url: string): Promise<boolean> {
  const [row] = await spoolEngine.read(`select value from installation where name = 'database'`)
  return row?.['value'] === markOf(url)
}

/** Without user and password: a new password is not another database. */
function markOf(url: string): string {
  const { host, pathname, searchParams } = new URL(url)
  return hash('sha256', `${host}${pathname} ${searchParams.get('host') ?? ''}`, 'base64url')
}
