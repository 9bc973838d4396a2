/** Opens the store for the service and for commands, on SQLite or PostgreSQL, and refuses what is lost or unfit. */
import { statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { version, type Settings } from '../config.ts'
import { nobody, type Recipients } from '../contract/notices.ts'
import { minuteMs } from '../time.ts'
import type { Log } from '../log.ts'
import { isPostgres } from '../setting-values.ts'
import { refuseHalfCopy } from './postgres/copy.ts'
import { StoreRefused, type Engine } from './engine/engine.ts'
import { newestMigration, olderSchema } from './engine/migrations.ts'
import { journalPath } from './postgres/journal.ts'
import type { PostgresEngine } from './postgres/postgres-engine.ts'
import { openSqlite, openSqliteToRead } from './engine/sqlite.ts'
import { describeFile, readSchema } from './engine/sqlite-schema.ts'
import { takeLock } from './engine/sqlite-lock.ts'
import { isThere } from './files.ts'
import { findLossIn, lostDatabase, lostSecret, makeSecret, secretPath } from './secret.ts'
import { photosFolder, picturesIn, PicturesInTable, type PicturePlace } from './photos/pictures.ts'
import { Store } from './store.ts'

type Place = Pick<Settings, 'DATABASE_URL' | 'DATA_DIR'>

type ServeParts = {
  recipients: Recipients
  log: Pick<Log, 'info' | 'warn'>
  /** Makes a backup, so the secret must exist already. */
  beforeMigration: (schema: number) => Promise<void>
}

export async function openToServe(settings: Place, parts: ServeParts): Promise<Store> {
  const lock = await takeLock(fileOf(settings), parts.log.warn)
  try {
    const store = await openLocked(settings, parts)
    store.afterClose(lock.release)
    return store
  } catch (error) {
    lock.release()
    throw error
  }
}

async function openLocked(settings: Place, parts: ServeParts): Promise<Store> {
  const { log, recipients, beforeMigration } = parts
  const dataDir = settings.DATA_DIR
  const path = databaseOf(settings)
  if (isPostgres(path)) {
    // Imported only here, so that a service on SQLite takes no memory for the code of PostgreSQL.
    const { openSharedStore } = await import('./postgres/shared-store.ts')
    return openSharedStore({ url: path, dataDir, log, recipients })
  }
  const loss = await findLoss(settings)
  if (loss !== undefined) throw loss
  const found = describe(path)
  if (found?.isOlder) {
    makeSecret(dataDir)
    await beforeMigration(found.schema)
  }
  const schema = newestMigration()
  const engine = openSqlite({ path, inThread: true })
  if (found?.isOlder) log.info('database.migrated', { database: basename(path), schema })
  await closeIfRefused(engine, refuseHalfCopy(engine))
  log.info('database.opened', { version, schema })
  return new Store(engine, recipients, dataDir)
}

/**
 * Finds a lost database or secret, because a start would silently make a new one. A database
 * without leads needs no secret: a first start may be killed before it makes one.
 */
export async function findLoss(settings: Place): Promise<StoreRefused | undefined> {
  const { DATA_DIR } = settings
  const path = databaseOf(settings)
  const hasSecret = isThere(secretPath(DATA_DIR))
  if (isPostgres(path)) {
    // An empty database on a server is no loss: leads may still have to be copied to it.
    return hasSecret ? undefined : askServer(path, (server) => findLossIn(server, DATA_DIR))
  }
  const isEmpty = (statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0
  if (hasSecret) return isEmpty ? lostDatabase(DATA_DIR, path) : undefined
  const { leads } = describe(path) ?? { leads: 0 }
  return leads === 0 ? undefined : lostSecret(DATA_DIR, leads)
}

/** Returns `undefined` if the file is missing or unusable. Opening an unusable one throws the reason. */
function describe(path: string) {
  try {
    return { ...describeFile(path), isOlder: readSchema(path) === 'older' }
  } catch {
    return undefined
  }
}

export async function askServer<T>(
  url: string,
  work: (engine: PostgresEngine) => Promise<T>,
): Promise<T> {
  return withEngine(await openServer(url, 'none'), work)
}

/** Works whether the service runs or not. */
export async function withPictures<T>(
  settings: Place,
  work: (pictures: PicturePlace) => Promise<T>,
): Promise<T> {
  const database = databaseOf(settings)
  if (!isPostgres(database)) return work(picturesIn(photosFolder(settings.DATA_DIR)))
  return askServer(database, (server) => work(new PicturesInTable(server).place))
}

export async function withEngine<T, E extends Engine>(
  engine: E,
  work: (engine: E) => Promise<T>,
): Promise<T> {
  try {
    return await work(engine)
  } finally {
    await engine.close()
  }
}

/** For a command that writes, also while the service runs. The owner's commands notify nobody. */
export async function openLeads(settings: Place): Promise<Store> {
  return new Store(await openEngine(databaseOf(settings)), nobody, settings.DATA_DIR)
}

/** Never migrates, and leaves a database file byte for byte as it is. */
export async function openLeadsToRead(settings: Place): Promise<Store> {
  const database = databaseOf(settings)
  if (isPostgres(database)) return new Store(await openServer(database, 'none'), nobody)
  return new Store(openSqliteToRead(database), nobody)
}

/** Makes the schema in an empty database. Refuses an older schema. */
export async function openEngine(database: string): Promise<Engine> {
  if (isPostgres(database)) return openServer(database, 'empty')
  if (describe(database)?.isOlder) throw new StoreRefused(olderSchema)
  return openSqlite({ path: database, commitTimeoutMs: minuteMs })
}

async function openServer(url: string, migrates: 'empty' | 'none'): Promise<PostgresEngine> {
  const postgres = await import('./postgres/postgres-engine.ts')
  const engine = new postgres.PostgresEngine(url, migrates)
  await closeIfRefused(engine, engine.prepare())
  return engine
}

async function closeIfRefused(engine: Engine, check: Promise<unknown>): Promise<void> {
  try {
    await check
  } catch (error) {
    await engine.close()
    throw error
  }
}

/** The file to which this machine writes leads: the database or, with PostgreSQL, the journal. */
export function fileOf(settings: Place): string {
  const database = databaseOf(settings)
  return isPostgres(database) ? journalPath(settings.DATA_DIR) : database
}

export function databaseOf(settings: Place): string {
  return settings.DATABASE_URL ?? join(settings.DATA_DIR, 'leads.sqlite')
}
