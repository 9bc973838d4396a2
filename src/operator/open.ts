/** Opens the store and reads the content for a command, whether or not the service runs. Also finds doubtful settings. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { settingNames, type Settings, readEnvText, howToType } from '../config.ts'
import { type Business } from '../contract/business.ts'
import { isPostgres } from '../setting-values.ts'
import { readBusiness } from '../site/business.ts'
import { databaseOf, openLeads, openLeadsToRead } from '../store/open.ts'
import { isThere } from '../store/files.ts'
import { type Store } from '../store/store.ts'
import { CommandFailed, type Shell } from './shell.ts'

type Work<T> = (store: Store, settings: Settings) => Promise<T>

/** Opens the store for a command that writes, and closes it in the end. Never creates a database file. */
export function withStore<T>(shell: Shell, work: Work<T>): Promise<T> {
  return withOpened(shell, openLeads, work)
}

/** Opens the store for a command that only reads, and closes it in the end. Does not change the database file. */
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

/** Throws if there is no content. `serve` calls this before it creates the database, so that such a start leaves no database behind. */
export function refuseMissingContent({ CONTENT_DIR }: Pick<Settings, 'CONTENT_DIR'>): void {
  if (existsSync(join(CONTENT_DIR, 'business.yaml'))) return
  const now = `there is no business.yaml in ${CONTENT_DIR}`
  throw new CommandFailed('usage', `CONTENT_DIR must be the folder of the content; ${now}.`)
}

export function readBusinessOf(settings: Settings): Business {
  refuseMissingContent(settings)
  return readBusiness(join(settings.CONTENT_DIR, 'business.yaml'))
}

/** Returns a warning for each setting that is probably a mistake. The service starts in spite of them. */
export function findDoubts(
  settings: Settings | undefined,
  { HOST, PORT }: Shell['environment'],
): string[] {
  const doubts = doubtsIn(readEnvText(), secretsOf(settings))
  if (settings?.LISTEN_FD !== undefined && (HOST ?? PORT) !== undefined) {
    doubts.push(
      'HOST and PORT do not count: the socket was handed over; with systemd ListenStream in lead-intake.socket says where',
    )
  }
  if (settings?.OWNER_EMAIL !== undefined && settings.SMTP_URL === undefined) {
    doubts.push('OWNER_EMAIL is set, but SMTP_URL is not: no mail is sent')
  }
  return doubts
}

/** Returns the names of the environment variables that hold secrets of webhooks; [] if the content cannot be read. */
function secretsOf(settings: Settings | undefined): string[] {
  try {
    const { webhooks = [] } = settings === undefined ? {} : readBusinessOf(settings)
    return webhooks.map(({ secret }) => secret)
  } catch {
    return []
  }
}

/** Returns a warning for each name in `.env` that is no setting. Never repeats a value, because it may be a secret. */
export function doubtsIn(text: string, secrets: readonly string[] = []): string[] {
  const known: readonly string[] = [...settingNames, ...secrets]
  return Object.keys(parseEnv(text))
    .filter((name) => !known.includes(name))
    .map((name) => `${name} in .env is no setting; "${howToType('config')}" lists them`)
}
