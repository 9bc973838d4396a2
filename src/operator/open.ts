/** What several commands open and check, whether or not the service runs. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { settingNames, type Settings, readEnvText } from '../config.ts'
import { howToType } from '../words.ts'
import { type Business } from '../contract/business.ts'
import { readNumbersOf } from '../contract/phone.ts'
import { isPostgres } from '../setting-values.ts'
import { readBusiness } from '../site/business.ts'
import { databaseOf, openLeads, openLeadsToRead } from '../store/open.ts'
import { isThere } from '../store/files.ts'
import { type Store } from '../store/store.ts'
import { CommandFailed, type Shell } from './shell.ts'

type StoreWork<T> = (store: Store, settings: Settings) => Promise<T>

export function withStore<T>(shell: Shell, work: StoreWork<T>): Promise<T> {
  return withOpened(shell, openLeads, work)
}

/** Leaves a database file as it is. */
export function withStoreToRead<T>(shell: Shell, work: StoreWork<T>): Promise<T> {
  return withOpened(shell, openLeadsToRead, work)
}

async function withOpened<T>(shell: Shell, open: typeof openLeads, work: StoreWork<T>): Promise<T> {
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

export function refuseMissingContent({ CONTENT_DIR }: Pick<Settings, 'CONTENT_DIR'>): void {
  if (existsSync(join(CONTENT_DIR, 'business.yaml'))) return
  const now = `there is no business.yaml in ${CONTENT_DIR}`
  throw new CommandFailed('usage', `CONTENT_DIR must be the folder of the content; ${now}.`)
}

/** From here on, phone numbers are read as those of the country of the business. */
export function readBusinessOf(settings: Settings): Business {
  refuseMissingContent(settings)
  const business = readBusiness(join(settings.CONTENT_DIR, 'business.yaml'))
  readNumbersOf(business.country)
  return business
}

/** The service starts in spite of these warnings. */
export function findDoubts(
  settings: Settings | undefined,
  { HOST, PORT }: Shell['environment'],
  business = settings && businessIfRight(settings),
): string[] {
  const secrets = business?.webhooks?.map(({ secret }) => secret)
  const doubts = doubtsIn(readEnvText(), secrets)
  if (settings?.LISTEN_FD !== undefined && (HOST ?? PORT) !== undefined) {
    doubts.push(
      'HOST and PORT are ignored: the socket was handed over; with systemd ListenStream in lead-intake.socket says where',
    )
  }
  if (settings?.OWNER_EMAIL !== undefined && settings.SMTP_URL === undefined) {
    doubts.push('OWNER_EMAIL is set, but SMTP_URL is not: no email is sent')
  }
  return doubts
}

function businessIfRight(settings: Settings): Business | undefined {
  try {
    return readBusinessOf(settings)
  } catch {
    return undefined
  }
}

/** Never repeats a value of `.env`, because it may be a secret. */
export function doubtsIn(text: string, secrets: readonly string[] = []): string[] {
  const known: readonly string[] = [...settingNames, ...secrets]
  return Object.keys(parseEnv(text))
    .filter((name) => !known.includes(name))
    .map((name) => `${name} in .env is not a setting; "${howToType('config')}" lists them`)
}
