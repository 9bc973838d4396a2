/** Settings and store for a command, with or without a running service. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { BundleRefused } from '../backup/refused.ts'
import { readEnvironment, readSettings } from '../config.ts'
import type { Settings } from '../config.ts'
import { WrongChannelSetting } from '../delivery/channel.ts'
import { isPostgres } from '../setting-values.ts'
import { ContentFault } from '../site/fault.ts'
import { StorageUnavailable, StoreRefused } from '../store/engine/engine.ts'
import { storageFault } from '../store/engine/sqlite-faults.ts'
import { databaseOf, openLeads, openLeadsToRead } from '../store/open.ts'
import { isThere } from '../store/ownership.ts'
import type { Store } from '../store/store.ts'
import { CommandFailed } from './output.ts'

export function settingsOrFail(): Settings {
  const read = readSettings(readEnvironment())
  if ('settings' in read) return read.settings
  throw new CommandFailed('usage', read.problems.join('\n'))
}

/** Before anything is made: a service that cannot start leaves no database behind. */
export function refuseMissingContent({ CONTENT_DIR }: Settings): void {
  if (existsSync(join(CONTENT_DIR, 'business.yaml'))) return
  const now = `there is no business.yaml in ${CONTENT_DIR}`
  throw new CommandFailed('usage', `CONTENT_DIR must be the folder of the content; ${now}.`)
}

type Work<T> = (store: Store, settings: Settings) => Promise<T>

/** For a command that writes. Always closes the store. Never creates a database. */
export function withStore<T>(work: Work<T>): Promise<T> {
  return withOpened(openLeads, work)
}

/** For a command that only reads: the database file stays as it is. */
export function withStoreToRead<T>(work: Work<T>): Promise<T> {
  return withOpened(openLeadsToRead, work)
}

export function refuseMissingDatabase(settings: Settings): void {
  const path = databaseOf(settings)
  if (isPostgres(path) || isThere(path)) return
  throw new CommandFailed(
    'missing',
    `There is no database at ${path} yet. Run the command in the folder of the site; the service creates the database in DATA_DIR at its first start.`,
  )
}

async function withOpened<T>(open: typeof openLeads, work: Work<T>): Promise<T> {
  const settings = settingsOrFail()
  refuseMissingDatabase(settings)
  const store = await open(settings)
  try {
    return await work(store, settings)
  } finally {
    await store.close()
  }
}

/** Expected failures become a message with an exit code; anything else stays as it is. */
export function toCommandFailed(error: unknown): unknown {
  if (error instanceof WrongChannelSetting) return new CommandFailed('usage', error.message)
  if (error instanceof ContentFault) return new CommandFailed('usage', error.message)
  if (error instanceof BundleRefused) {
    return new CommandFailed('unwell', `The backup was not made: ${error.message}.`)
  }
  if (error instanceof StoreRefused) return new CommandFailed('unavailable', error.message)
  if (error instanceof StorageUnavailable) {
    return new CommandFailed(
      'unavailable',
      `The database cannot be written (${error.reason}). Run "lead-intake doctor".`,
    )
  }
  return systemFault(error) ?? error
}

const otherUser =
  'It belongs to another user: run the command as the user of the service, or run chown on it.'

/** Of the file system, or of SQLite on it. A failed write to an open file does not tell which one. */
function systemFault(error: unknown): CommandFailed | undefined {
  const { code, path } = error as NodeJS.ErrnoException
  const fault = storageFault(error)
  if (fault !== undefined) {
    return new CommandFailed('unavailable', `SQLite cannot read or write a file (${fault}).`)
  }
  if (path === undefined && !['ENOSPC', 'EDQUOT', 'EIO', 'EROFS'].includes(code ?? ''))
    return undefined
  const file = path ?? 'A file'
  const advice = code === 'EACCES' || code === 'EPERM' ? otherUser : ''
  return new CommandFailed(
    'unwell',
    `${file} cannot be read or written (${code}). ${advice}`.trim(),
  )
}
