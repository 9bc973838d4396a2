/** Every setting: default, meaning and check. No other file reads settings from the environment. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { defaultRateLimit, softLimit } from './contract/limits.ts'
import { defaultRetention } from './contract/states.ts'
import { webhookSecretForm } from './contract/webhooks.ts'
import { minuteMs } from './time.ts'
import { levels } from './log.ts'
import {
  readAgeKey,
  readDatabase,
  readDuration,
  readEmail,
  readHttpUrl,
  readKeepRules,
  readNetworks,
  readOneOf,
  readOnOff,
  readRateLimit,
  readRetention,
  readSecretText,
  readSmtpUrl,
  readToken,
  readWebhookUrl,
  readWhole,
  WrongSetting,
} from './setting-values.ts'

type Setting<T> = {
  readonly fallback: string
  readonly meaning: string
  readonly read: (text: string) => T
  /** Neither the command `config` nor an error message shows the value. */
  readonly isSecret: boolean
}

const { soft, hard } = defaultRateLimit
const { spam, held, closed } = defaultRetention

export const settingTable = {
  HOST: setting('127.0.0.1', 'Address to listen on; `0.0.0.0` for all.', String),
  PORT: setting('3000', 'Port to listen on.', readWhole(0, 65_535)),
  LISTEN_FD: optionalSetting(
    "Number of an inherited socket, in place of HOST and PORT. systemd's LISTEN_FDS works too.",
    readWhole(3, 1_000),
  ),
  BASE_URL: optionalSetting(
    'Public address of the site. Default: `http://localhost:PORT`.',
    readHttpUrl,
  ),
  DATA_DIR: setting(
    './data',
    'Folder of the database and of the secret that the first start makes; with PostgreSQL, of the journal. Each node needs its own.',
    resolve,
  ),
  DATABASE_URL: optionalSetting(
    'Where leads are stored: `sqlite:FILE`, or `postgres://user:password@host/database` for several machines. Default: `leads.sqlite` in DATA_DIR.',
    readDatabase,
    'secret',
  ),
  CONTENT_DIR: setting('./content', 'Folder of `business.yaml` and the pages.', resolve),
  TRUSTED_PROXIES: setting(
    'loopback',
    'Addresses or ranges whose `X-Forwarded-For` is trusted; `loopback` is this machine.',
    readNetworks,
  ),
  RATE_LIMIT: setting(
    'on',
    `\`on\`, \`off\`, or two numbers such as \`${soft},${hard}\` (which is \`on\`): leads per ${softLimit.windowMs / minuteMs} minutes from one address before more are held, and requests per minute before 429.`,
    readRateLimit,
  ),
  SMTP_URL: optionalSetting(
    'Mail server, as `smtp://user:password@host:587`, or `smtps://` for TLS from the start. Without TLS emails go only to a server in your own network.',
    readSmtpUrl,
    'secret',
  ),
  OWNER_EMAIL: optionalSetting(
    'Recipient of the notifications. Required with SMTP_URL.',
    readEmail,
  ),
  MAIL_FROM: optionalSetting('From address of the emails. Default: OWNER_EMAIL.', readEmail),
  CONFIRM_TO_SENDER: setting(
    'off',
    '`on`: customers get a short confirmation by email.',
    readOnOff,
  ),
  VISIT_TO_SENDER: setting(
    'off',
    '`on`: customers get a short email when a visit that their receipt shows is booked, changed or called off.',
    readOnOff,
  ),
  WEBHOOK_URL: optionalSetting(
    'Address that signed events are posted to. More can be listed in `business.yaml`.',
    readWebhookUrl,
    'secret',
  ),
  WEBHOOK_SECRET: optionalSetting(
    `Signs those events: ${webhookSecretForm}.`,
    readSecretText,
    'secret',
  ),
  RETENTION: setting(
    'off',
    `\`on\`, \`off\`, or three numbers of days such as \`${spam},${held},${closed}\` (which is \`on\`): the service erases spam, held leads, and leads that are lost, not suitable or withdrawn, after so many days in that state. All others stay.`,
    readRetention,
  ),
  METRICS_TOKEN: optionalSetting(
    'Lets a scraper read `/metrics`, and the whole of `/readyz`, with `Authorization: Bearer TOKEN`. Without it `/metrics` is closed, unless `BASE_URL` is an address of this machine: then tools on this machine need no token.',
    readToken,
    'secret',
  ),
  HEARTBEAT_URL: optionalSetting(
    'Address of a monitor such as healthchecks.io or Uptime Kuma, which raises the alarm when this server is down. Called each minute after a successful test commit, and with `/fail` at its end after a failed one.',
    readWebhookUrl,
    'secret',
  ),
  BACKUP_TO: optionalSetting('Folder of the backups that the service makes by itself.', resolve),
  BACKUP_EVERY: setting('1h', 'Time from one backup to the next: `30m`, `1h`, `1d`.', readDuration),
  BACKUP_KEEP: setting(
    '24h,14d,8w,12m',
    'Backups that are kept: the last one of so many hours, days, weeks and months. Others are deleted after each new one.',
    readKeepRules,
  ),
  BACKUP_KEY: optionalSetting(
    'Public key of age (`age1…`) that backups are encrypted for. Keep the private key away from this machine.',
    readAgeKey,
  ),
  PHOTO_SPACE: setting(
    '2000',
    'Megabytes that the photos of all requests may take; `0`: no photos can be added.',
    readWhole(0, 1_000_000),
  ),
  LOG_LEVEL: setting('info', '`debug`, `info`, `warn` or `error`.', readOneOf(...levels)),
} as const

export type SettingName = keyof typeof settingTable
export type Settings = {
  [Name in SettingName]: ReturnType<(typeof settingTable)[Name]['read']>
} & { BASE_URL: string }

export const settingNames = Object.keys(settingTable) as SettingName[]

export type Environment = Readonly<Record<string, string | undefined>>

/** Variables of the process override those of the `.env` file in the working folder. */
export function readEnvironment(): Environment {
  return { ...parseEnv(readEnvText()), ...process.env }
}

export function readEnvText(): string {
  try {
    return readFileSync('.env', 'utf8')
  } catch {
    return ''
  }
}

export function readSettings(
  environment: Environment,
): { settings: Settings } | { problems: string[] } {
  const { settings, problems } = readEach(environment)
  const sockets = countSockets(environment)
  if (sockets > 1) {
    problems.push(
      `systemd hands over ${sockets} sockets: leave only one ListenStream line in its unit.`,
    )
  }
  if (problems.length === 0) problems.push(...findMissing(settings))
  if (problems.length > 0) return { problems }
  settings.BASE_URL ??= `http://localhost:${settings.PORT}`
  settings.LISTEN_FD ??= sockets === 1 ? firstSocket : undefined
  return { settings }
}

/** A setting that is wrong is missing in `settings`. */
function readEach(environment: Environment): { settings: Settings; problems: string[] } {
  const problems: string[] = []
  const found: Partial<Record<SettingName, unknown>> = {}
  for (const name of settingNames) {
    const { fallback, read, isSecret }: Setting<unknown> = settingTable[name]
    const text = environment[name]?.trim() || fallback
    try {
      if (text !== '') found[name] = read(text)
    } catch (error) {
      if (!(error instanceof WrongSetting)) throw error
      const now = isSecret ? '.' : `; it is "${text}" now.`
      problems.push(`${name} ${error.message}${now}`)
    }
  }
  return { settings: found as Settings, problems }
}

/** The file descriptor of the first socket that systemd hands over: sd_listen_fds(3). */
const firstSocket = 3

/** systemd means its sockets for the process LISTEN_PID only. */
function countSockets({ LISTEN_PID, LISTEN_FDS }: Environment): number {
  return Number(LISTEN_PID) === process.pid ? Number(LISTEN_FDS) : 0
}

function findMissing(settings: Settings): string[] {
  const { SMTP_URL, OWNER_EMAIL, WEBHOOK_URL, WEBHOOK_SECRET } = settings
  const missing: string[] = []
  if (SMTP_URL && !OWNER_EMAIL) {
    missing.push('OWNER_EMAIL is missing: it is the recipient of the emails that SMTP_URL sends.')
  }
  if (WEBHOOK_URL && !WEBHOOK_SECRET) {
    missing.push('WEBHOOK_SECRET is missing: events to WEBHOOK_URL are signed with it.')
  }
  for (const name of ['CONFIRM_TO_SENDER', 'VISIT_TO_SENDER'] as const) {
    if (settings[name] === 'on' && !SMTP_URL) {
      missing.push(`SMTP_URL is missing: ${name} needs a mail server.`)
    }
  }
  return missing
}

function setting<T>(fallback: string, meaning: string, read: (text: string) => T): Setting<T> {
  return { fallback, meaning, read, isSecret: false }
}

function optionalSetting<T>(
  meaning: string,
  read: (text: string) => T,
  secret?: 'secret',
): Setting<T | undefined> {
  return { fallback: '', meaning, read, isSecret: secret !== undefined }
}

export const ownPackage = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
) as { name: string; version: string; scripts: Record<'start' | 'lead-intake', string> }

export const { version } = ownPackage
