/** Every setting with its default, its meaning and its check. Nothing else reads the environment. */
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { parseEnv } from 'node:util'

type Setting<T> = {
  readonly fallback: string
  readonly meaning: string
  /** Throws a `WrongSetting` that says what to write instead. */
  readonly read: (text: string) => T
  readonly secret?: true
}

class WrongSetting extends Error {}

export const settingTable = {
  HOST: setting('127.0.0.1', 'Address it listens on; `0.0.0.0` for all of the machine.', readText),
  PORT: setting('3000', 'Port it listens on; 0 for any free one.', readWhole(0, 65_535)),
  LISTEN_FD: setting(
    '',
    "Number of an inherited listening socket, in place of HOST and PORT; systemd's LISTEN_FDS is understood too.",
    readOptional(readWhole(3, 1_000)),
  ),
  BASE_URL: setting(
    '',
    'Public address of the site, used in every document and link. Default: `http://localhost:PORT`.',
    readOptional(readHttpUrl),
  ),
  DATA_DIR: setting(
    './data',
    'Folder of the database and of the secret made at the first start; with PostgreSQL, of the spool. No two nodes may share it.',
    (text) => resolve(readText(text)),
  ),
  DATABASE_URL: setting(
    '',
    'Where leads are kept: `sqlite:FILE`, or `postgres://user:password@host/database` for several machines. Default: `leads.sqlite` in DATA_DIR.',
    readDatabase,
    'secret',
  ),
  CONTENT_DIR: setting(
    './content',
    'Folder of the words of the site: `business.yaml` and the pages.',
    (text) => resolve(readText(text)),
  ),
  TRUSTED_PROXIES: setting(
    'loopback',
    'Addresses or ranges whose `X-Forwarded-For` counts; `loopback` stands for this machine.',
    readNetworks,
  ),
  MAX_CONNECTIONS_PER_ADDRESS: setting(
    '256',
    'Open connections taken from one client address (IPv6: one /64). Trusted proxies are not counted.',
    readWhole(1, 1_000_000),
  ),
  RATE_LIMIT: setting(
    'on',
    '`on`, `off`, or two numbers such as `20,300`: leads per 10 minutes from one address before more are held, and requests per minute before 429.',
    readRateLimit,
  ),
  SMTP_URL: setting(
    '',
    'Mail server, as `smtp://user:password@host:587`, or `smtps://` where it speaks TLS from the start.',
    readOptional(readSmtpUrl),
    'secret',
  ),
  SMTP_TLS: setting(
    'required',
    '`required`: no mail without encryption, unless the mail server is on this machine. `optional`: with it where it is offered.',
    readOneOf('required', 'optional'),
  ),
  OWNER_EMAIL: setting(
    '',
    'Where word of every lead goes. Needed with SMTP_URL.',
    readOptional(readEmail),
  ),
  MAIL_FROM: setting(
    '',
    'Address that mail comes from. Default: OWNER_EMAIL.',
    readOptional(readEmail),
  ),
  CONFIRM_TO_SENDER: setting(
    'off',
    '`on`: whoever sent a lead gets a short note by mail, at most one a day.',
    readOneOf('off', 'on'),
  ),
  WEBHOOK_URL: setting(
    '',
    'Address that signed events are posted to. More of them stand in `business.yaml`.',
    readOptional(readWebhookUrl),
  ),
  WEBHOOK_SECRET: setting(
    '',
    'Signs those events: `whsec_` and 24 to 64 random bytes in base64.',
    readOptional(readWebhookSecret),
    'secret',
  ),
  ALLOW_PRIVATE_WEBHOOKS: setting(
    'off',
    '`on`: webhooks may go to private addresses and without TLS, for programs in your own network.',
    readOneOf('off', 'on'),
  ),
  CANARY: setting(
    'on',
    '`on`: once a day a test lead goes the whole way to every channel; `off`: it does not.',
    readOneOf('on', 'off'),
  ),
  DIGESTS: setting(
    'on',
    '`on`: a daily digest of held leads, and a weekly one of all; `off`: neither.',
    readOneOf('on', 'off'),
  ),
  LOG_LEVEL: setting('info', '`debug`, `info`, `warn` or `error`.', readLevel),
} as const

export type SettingName = keyof typeof settingTable
export type Settings = { [Name in SettingName]: ReturnType<(typeof settingTable)[Name]['read']> }

export type Environment = Readonly<Record<string, string | undefined>>

/** All problems at once, each a sentence that says what to change. */
export type ReadSettings = { settings: Settings } | { problems: string[] }

export function readSettings(environment: Environment): ReadSettings {
  const problems: string[] = []
  const settings: Partial<Record<SettingName, unknown>> = {}
  for (const name of settingNames) {
    const { fallback, read, secret } = settingTable[name] as Setting<unknown>
    const text = environment[name] || fallback
    try {
      settings[name] = read(text)
    } catch (error) {
      if (!(error instanceof WrongSetting)) throw error
      problems.push(`${name} ${error.message}${secret ? '.' : `; it is "${text}" now.`}`)
    }
  }
  const whole = settings as Settings
  if (problems.length === 0) problems.push(...findMissing(whole))
  if (problems.length > 0) return { problems }
  whole.BASE_URL ??= `http://localhost:${whole.PORT}`
  whole.LISTEN_FD ??= systemdSocket(environment)
  return { settings: whole }
}

function findMissing(settings: Settings): string[] {
  const { SMTP_URL, OWNER_EMAIL, WEBHOOK_URL, WEBHOOK_SECRET, CONFIRM_TO_SENDER } = settings
  const missing: string[] = []
  if (SMTP_URL && !OWNER_EMAIL) {
    missing.push('OWNER_EMAIL is missing: with SMTP_URL set, say where word of leads goes.')
  }
  if (WEBHOOK_URL && !WEBHOOK_SECRET) {
    missing.push('WEBHOOK_SECRET is missing: events to WEBHOOK_URL are signed with it.')
  }
  if (CONFIRM_TO_SENDER === 'on' && !SMTP_URL) {
    missing.push('SMTP_URL is missing: CONFIRM_TO_SENDER needs a mail server.')
  }
  return missing
}

/** The process's own environment, and below it a `.env` file in the working folder. */
export function readEnvironment(): Environment {
  return { ...readEnvFile(), ...process.env }
}

/** For secrets whose names stand elsewhere, such as in business.yaml. */
export function readVariable(name: string): string | undefined {
  return readEnvironment()[name]
}

export const settingNames = Object.keys(settingTable) as SettingName[]

/** For showing: what is set, with secrets hidden. */
export function shownValue(name: SettingName, environment: Environment): string {
  const { fallback, secret } = settingTable[name] as Setting<unknown>
  const text = environment[name]
  if (!text) return fallback
  return secret ? '(hidden)' : text
}

function setting<T>(
  fallback: string,
  meaning: string,
  read: (text: string) => T,
  secret?: 'secret',
): Setting<T> {
  return { fallback, meaning, read, ...(secret ? { secret: true } : {}) }
}

function readEnvFile(): Environment {
  try {
    return parseEnv(readFileSync('.env', 'utf8'))
  } catch {
    return {}
  }
}

/** sd_listen_fds(3): the first socket is number 3, and only for the process it names. */
function systemdSocket({ LISTEN_FDS, LISTEN_PID }: Environment): number | undefined {
  return Number(LISTEN_FDS) >= 1 && Number(LISTEN_PID) === process.pid ? 3 : undefined
}

function readText(text: string): string {
  return text.trim()
}

function readOptional<T>(read: (text: string) => T): (text: string) => T | undefined {
  return (text) => (text.trim() === '' ? undefined : read(text))
}

function readWhole(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = Number(text)
    if (/^\d+$/.test(text.trim()) && number >= least && number <= most) return number
    throw new WrongSetting(`must be a whole number from ${least} to ${most}`)
  }
}

function readHttpUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username) {
    throw new WrongSetting('must be an address such as https://www.example.com')
  }
  if (url.pathname !== '/') throw new WrongSetting('must not have a path')
  return url.origin
}

/** A path, or the address of a PostgreSQL. */
export function readDatabase(text: string): string | undefined {
  if (text === '') return undefined
  if (isPostgres(text)) {
    // With a socket (?host=/run/postgresql) the place of the host is often left empty.
    const whole = text.replace(/^(\w+:\/\/(?:[^/@]*@)?)\//, '$1localhost/')
    if (URL.canParse(whole) && new URL(whole).pathname.length > 1) return whole
    throw new WrongSetting('must be an address such as postgres://user:password@host/database')
  }
  if (!/^sqlite:./.test(text)) {
    throw new WrongSetting(
      'must be of the form sqlite:FILE or postgres://user:password@host/database',
    )
  }
  return resolve(text.slice('sqlite:'.length).replace(/^\/\//, ''))
}

export function isPostgres(database: string): boolean {
  return /^postgres(ql)?:/.test(database)
}

function readNetworks(text: string): string[] {
  const networks = text
    .split(/[\s,]+/)
    .filter(Boolean)
    .flatMap((entry) => (entry === 'loopback' ? ['127.0.0.0/8', '::1/128'] : [entry]))
  if (networks.every(isNetwork)) return networks
  throw new WrongSetting('must be a list of addresses or ranges such as 10.0.0.0/8')
}

function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/')
  const width = { 0: -1, 4: 32, 6: 128 }[isIP(address)]!
  return (
    width > 0 &&
    rest.length === 0 &&
    (bits === undefined || (/^\d+$/.test(bits) && Number(bits) <= width))
  )
}

function readRateLimit(text: string): { soft: number; hard: number } | 'on' | 'off' {
  if (text === 'on' || text === 'off') return text
  const [, soft, hard] = /^(\d{1,9}),\s*(\d{1,9})$/.exec(text) ?? []
  if (soft === undefined || hard === undefined) {
    throw new WrongSetting('must be on, off, or two numbers such as 20,300')
  }
  return { soft: Number(soft), hard: Number(hard) }
}

function readSmtpUrl(text: string): string {
  if (URL.canParse(text) && /^smtps?:$/.test(new URL(text).protocol) && new URL(text).host)
    return text
  throw new WrongSetting('must be an address such as smtp://user:password@mail.example.com:587')
}

function readOneOf<T extends string>(...words: readonly T[]): (text: string) => T {
  return (text) => {
    const found = words.find((word) => word === text.trim())
    if (found !== undefined) return found
    throw new WrongSetting(`must be ${words.join(' or ')}`)
  }
}

/** One plain address, without a name before it. */
function readEmail(text: string): string {
  if (
    /^[^\s@<>,;:"()[\]\\]{1,64}@[^\s@<>,;:"()[\]\\.]+(?:\.[^\s@<>,;:"()[\]\\.]+)+$/.test(
      text.trim(),
    )
  )
    return text.trim()
  throw new WrongSetting('must be one address such as sam@example.com')
}

function readWebhookUrl(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return new URL(text).href
  throw new WrongSetting('must be an address such as https://hooks.example.com/leads')
}

function readWebhookSecret(text: string): string {
  if (/^whsec_[A-Za-z0-9+/]{32,86}={0,2}$/.test(text.trim())) return text.trim()
  throw new WrongSetting('must be whsec_ and 24 to 64 random bytes in base64')
}

function readLevel(text: string): 'debug' | 'info' | 'warn' | 'error' {
  if (text === 'debug' || text === 'info' || text === 'warn' || text === 'error') return text
  throw new WrongSetting('must be debug, info, warn or error')
}
