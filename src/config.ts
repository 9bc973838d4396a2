/** Every setting: default, meaning and check. Nothing else in the service knows the environment. */
import { resolve } from 'node:path'
import { defaultRateLimit } from './contract/limits.ts'
import { defaultRetention } from './contract/retention.ts'
import { needsTls, webhookSecretForm } from './contract/webhooks.ts'
import { readEnvironment, type Environment } from './environment.ts'
import {
  hideAll,
  hideAllButHost,
  hideLogin,
  readAgeKey,
  readDatabase,
  readDuration,
  readEmail,
  readHttpUrl,
  readKeepRules,
  readLevel,
  readNetworks,
  readOneOf,
  readOptional,
  readRateLimit,
  readRetention,
  readSecretText,
  readSmtpUrl,
  readText,
  readToken,
  readWebhookUrl,
  readWhole,
  WrongSetting,
  countSystemdSockets,
  firstSystemdSocket,
} from './setting-values.ts'

type Setting<T> = {
  readonly fallback: string
  readonly meaning: string
  /** Throws a `WrongSetting` that says what to write instead. */
  readonly read: (text: string) => T
  /** What `config` shows of a value that holds a secret. Errors do not repeat it. */
  readonly hide?: (text: string) => string
}

const { soft, hard } = defaultRateLimit
const { spam, held, closed } = defaultRetention

export const settingTable = {
  HOST: setting(
    '127.0.0.1',
    'Address to listen on; `0.0.0.0` for all addresses of the machine.',
    readText,
  ),
  PORT: setting('3000', 'Port to listen on; 0 for any free one.', readWhole(0, 65_535)),
  LISTEN_FD: setting(
    '',
    "Number of an inherited listening socket, used instead of HOST and PORT. systemd's LISTEN_FDS works too.",
    readOptional(readWhole(3, 1_000)),
  ),
  BASE_URL: setting(
    '',
    'Public address of the site, used in every document and link. Default: `http://localhost:PORT`.',
    readOptional(readHttpUrl),
  ),
  DATA_DIR: setting(
    './data',
    'Folder of the database and of the secret made at the first start; with PostgreSQL, of the journal. Each node needs its own.',
    (text) => resolve(readText(text)),
  ),
  DATABASE_URL: setting(
    '',
    'Where leads are stored: `sqlite:FILE`, or `postgres://user:password@host/database` for several machines. Default: `leads.sqlite` in DATA_DIR.',
    readDatabase,
    hideAll,
  ),
  CONTENT_DIR: setting(
    './content',
    'Folder of the content of the site: `business.yaml` and the pages.',
    (text) => resolve(readText(text)),
  ),
  TRUSTED_PROXIES: setting(
    'loopback',
    'Addresses or ranges whose `X-Forwarded-For` is trusted; `loopback` is this machine.',
    readNetworks,
  ),
  RATE_LIMIT: setting(
    'on',
    `\`on\`, \`off\`, or two numbers such as \`${soft},${hard}\` (which is \`on\`): leads per 10 minutes from one address before more are held, and requests per minute before 429.`,
    readRateLimit,
  ),
  SMTP_URL: setting(
    '',
    'Mail server, as `smtp://user:password@host:587`, or `smtps://` for TLS from the start. Without TLS mail goes only to a server in your own network.',
    readOptional(readSmtpUrl),
    hideLogin,
  ),
  OWNER_EMAIL: setting(
    '',
    'Recipient of the notifications. Required with SMTP_URL.',
    readOptional(readEmail),
  ),
  MAIL_FROM: setting('', 'Sender of the mails. Default: OWNER_EMAIL.', readOptional(readEmail)),
  CONFIRM_TO_SENDER: setting(
    'off',
    '`on`: the sender of a lead gets a short confirmation by mail, at most one a day.',
    readOneOf('off', 'on'),
  ),
  LETTERS_PER_HOUR: setting(
    '30',
    'Letters about leads in an hour. Past that, one letter an hour says how many more there are.',
    readWhole(1, 1_000_000),
  ),
  WEBHOOK_URL: setting(
    '',
    'Address that signed events are posted to. More can be listed in `business.yaml`.',
    readOptional(readWebhookUrl),
    hideAllButHost,
  ),
  WEBHOOK_SECRET: setting(
    '',
    `Signs those events: ${webhookSecretForm}.`,
    readOptional(readSecretText),
    hideAll,
  ),
  DIGESTS: setting(
    'on',
    '`on`: a daily digest of held leads, and a weekly one of all leads.',
    readOneOf('on', 'off'),
  ),
  RETENTION: setting(
    'off',
    `\`on\`, \`off\`, or three numbers of days such as \`${spam},${held},${closed}\` (which is \`on\`): spam, held leads, and those that are lost, not suitable or withdrawn are erased when they have been so for that long. All others stay.`,
    readRetention,
  ),
  METRICS_TOKEN: setting(
    '',
    'Lets a scraper read `/metrics`, with `Authorization: Bearer TOKEN`; 20 characters or more. Without it `/metrics` is closed, unless `BASE_URL` is an address of this machine: then tools there need none.',
    readOptional(readToken),
    hideAll,
  ),
  HEARTBEAT_URL: setting(
    '',
    "Asked each minute after a test commit went through, and with `/fail` at its end when none did, so that somebody else's server notices when this one is dead: healthchecks.io, Uptime Kuma.",
    readOptional(readWebhookUrl),
    hideAllButHost,
  ),
  BACKUP_TO: setting(
    '',
    'Folder of the backups that the service then makes by itself. Several sites may share one: each deletes only its own.',
    readOptional((text) => resolve(text.trim())),
  ),
  BACKUP_EVERY: setting(
    '1h',
    'Time from one backup to the next: `30m`, `1h`, `1d`. With several nodes, one of them makes it.',
    readDuration,
  ),
  BACKUP_KEEP: setting(
    '24h,14d,8w,12m',
    'Backups that are kept: the last of each hour, day, week and month, so many of each. Others are deleted after each new one.',
    readKeepRules,
  ),
  BACKUP_KEY: setting(
    '',
    'Public key of age (`age1…`) that backups are encrypted for. Keep the other half away from this machine.',
    readOptional(readAgeKey),
  ),
  LOG_LEVEL: setting('info', '`debug`, `info`, `warn` or `error`.', readLevel),
} as const

export type SettingName = keyof typeof settingTable
export type Settings = { [Name in SettingName]: ReturnType<(typeof settingTable)[Name]['read']> }

export { readEnvironment, type Environment }

/** `problems`: all of them, each a sentence that says what to change. */
export type ReadSettings = { settings: Settings } | { problems: string[] }

export function readSettings(environment: Environment): ReadSettings {
  const problems: string[] = []
  const settings: Partial<Record<SettingName, unknown>> = {}
  for (const name of settingNames) {
    const { fallback, read, hide } = settingTable[name] as Setting<unknown>
    const text = environment[name] || fallback
    try {
      settings[name] = read(text)
    } catch (error) {
      if (!(error instanceof WrongSetting)) throw error
      problems.push(`${name} ${error.message}${hide ? '.' : `; it is "${text}" now.`}`)
    }
  }
  const whole = settings as Settings
  const sockets = countSystemdSockets(environment)
  if (sockets > 1) {
    problems.push(`systemd hands over ${sockets} sockets: leave one ListenStream line in its unit.`)
  }
  if (problems.length === 0) problems.push(...findMissing(whole))
  if (problems.length > 0) return { problems }
  whole.BASE_URL ??= `http://localhost:${whole.PORT}`
  whole.LISTEN_FD ??= sockets === 1 ? firstSystemdSocket : undefined
  return { settings: whole }
}

function findMissing(settings: Settings): string[] {
  const { SMTP_URL, OWNER_EMAIL, WEBHOOK_URL, WEBHOOK_SECRET, CONFIRM_TO_SENDER } = settings
  const { HEARTBEAT_URL } = settings
  const missing: string[] = []
  if (SMTP_URL && !OWNER_EMAIL) {
    missing.push('OWNER_EMAIL is missing: it is the recipient of the mails that SMTP_URL sends.')
  }
  if (WEBHOOK_URL && !WEBHOOK_SECRET) {
    missing.push('WEBHOOK_SECRET is missing: events to WEBHOOK_URL are signed with it.')
  }
  if (CONFIRM_TO_SENDER === 'on' && !SMTP_URL) {
    missing.push('SMTP_URL is missing: CONFIRM_TO_SENDER needs a mail server.')
  }
  if (HEARTBEAT_URL !== undefined && needsTls(HEARTBEAT_URL)) {
    missing.push(
      'HEARTBEAT_URL must begin with https:. Plain http: is for a server in your own network.',
    )
  }
  return missing
}

/** For secrets that business.yaml names. */
export function readVariable(name: string): string | undefined {
  return readEnvironment()[name]
}

export const settingNames = Object.keys(settingTable) as SettingName[]

/** `init` writes these into .env as notes; docs/settings.md has all. */
export const essentialNames: readonly SettingName[] = [
  'HOST',
  'PORT',
  'BASE_URL',
  'DATA_DIR',
  'DATABASE_URL',
  'CONTENT_DIR',
  'TRUSTED_PROXIES',
  'SMTP_URL',
  'OWNER_EMAIL',
  'MAIL_FROM',
  'WEBHOOK_URL',
  'BACKUP_TO',
  'LOG_LEVEL',
]

/** The text of a setting for display, with secrets hidden. */
export function shownValue(name: SettingName, environment: Environment): string {
  const { fallback, hide } = settingTable[name] as Setting<unknown>
  const text = environment[name]
  if (!text) return fallback
  return hide ? hide(text) : text
}

function setting<T>(
  fallback: string,
  meaning: string,
  read: (text: string) => T,
  hide?: (text: string) => string,
): Setting<T> {
  return { fallback, meaning, read, ...(hide && { hide }) }
}
