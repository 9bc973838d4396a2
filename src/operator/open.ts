/** Opens store and content for a command, with or without a running service. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Settings } from '../config.ts'
import { type Business } from '../contract/business.ts'
import { isPostgres } from '../setting-values.ts'
import { readBusiness } from '../site/business.ts'
import { databaseOf, openLeads, openLeadsToRead } from '../store/open.ts'
import { isThere } from '../store/files.ts'
import { type Store } from '../store/store.ts'
import { CommandFailed } from './output.ts'
import { type Shell } from './shell.ts'

type Work<T> = (store: Store, settings: Settings) => Promise<T>

/** For a command that writes. Always closes the store. Never creates a database. */
export function withStore<T>(shell: Shell, work: Work<T>): Promise<T> {
  return withOpened(shell, openLeads, work)
}

/** For a command that only reads: the database file stays as it is. */
export function withStoreToRead<T>(shell: Shell, work: Work<T>): Promise<T> {
  return withOpened(shell, openLeadsToRead, work)
}

async function withOpened<T>(shell: Shell, open: typeof openLeads, work: Work<T>): Promise<T> {
  const settings = shell.settings()
  refuseMissingDatabase(settings)
  const store = await open(settings)
  try {
    return await work(store, settings)
  } finally {
    await store.close()
  }
}

export function refuseMissingDatabase(settings: Settings): void {
  const path = databaseOf(settings)
  if (isPostgres(path) || isThere(path)) return
  throw new CommandFailed(
    'missing',
    `There is no database at ${path} yet. Run the command in the folder of the site; the service creates the database in DATA_DIR at its first start.`,
  )
}

/** Before anything is made: a service that cannot start leaves no database behind. */
export function refuseMissingContent({ CONTENT_DIR }: Settings): void {
  if (existsSync(join(CONTENT_DIR, 'business.yaml'))) return
  const now = `there is no business.yaml in ${CONTENT_DIR}`
  throw new CommandFailed('usage', `CONTENT_DIR must be the folder of the content; ${now}.`)
}

export function readBusinessOf(settings: Settings): Business {
  refuseMissingContent(settings)
  return readBusiness(join(settings.CONTENT_DIR, 'business.yaml'))
}
