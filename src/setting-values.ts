/** Reads the text of a setting, by kind; throws a `WrongSetting` that says what to write instead. */
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { isEmail } from './contract/fields.ts'
import { defaultRateLimit } from './contract/limits.ts'
import { defaultRetention, type Retention } from './contract/retention.ts'
import { readWebhookSecret, webhookSecretForm } from './contract/webhooks.ts'
import { dayMs, hourMs, minuteMs } from './time.ts'

export class WrongSetting extends Error {}

export function readText(text: string): string {
  return text.trim()
}

export function readOptional<T>(read: (text: string) => T): (text: string) => T | undefined {
  return (text) => (text.trim() === '' ? undefined : read(text))
}

export function readWhole(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = Number(text)
    if (/^\d+$/.test(text.trim()) && number >= least && number <= most) return number
    throw new WrongSetting(`must be a whole number from ${least} to ${most}`)
  }
}

export function readHttpUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username) {
    throw new WrongSetting('must be an address such as https://www.example.com')
  }
  if (url.pathname !== '/') throw new WrongSetting('must not have a path')
  return url.origin
}

/** The path of a SQLite file, or the address of a PostgreSQL database. */
export function readDatabase(text: string): string | undefined {
  if (text === '') return undefined
  if (isPostgres(text)) {
    // The host is often left empty with a socket (?host=/run/postgresql).
    const whole = text.replace(/^(\w+:\/\/(?:[^/@]*@)?)\//, '$1localhost/')
    const url = URL.canParse(whole) ? new URL(whole) : undefined
    // pg misreads any other value, `false` included.
    if ((url?.searchParams.get('ssl') ?? 'true') !== 'true') {
      throw new WrongSetting('must say sslmode=verify-full or sslmode=disable in place of ssl')
    }
    if (url !== undefined && url.pathname.length > 1) return whole
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

export function readNetworks(text: string): string[] {
  const entries = text.split(/[\s,]+/).filter(Boolean)
  if (!entries.every((entry) => entry === 'loopback' || isNetwork(entry))) {
    throw new WrongSetting('must be a list of addresses or ranges such as 10.0.0.0/8')
  }
  return entries.flatMap((entry) => (entry === 'loopback' ? ['127.0.0.0/8', '::1/128'] : [entry]))
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

export function readRateLimit(text: string): { soft: number; hard: number } | 'off' {
  if (text === 'off') return text
  if (text === 'on') return defaultRateLimit
  const [, soft, hard] = /^(\d{1,9}),\s*(\d{1,9})$/.exec(text) ?? []
  if (soft === undefined || hard === undefined) {
    throw new WrongSetting('must be on, off, or two numbers such as 20,300')
  }
  return { soft: Number(soft), hard: Number(hard) }
}

/** Days. */
export function readRetention(text: string): Retention | undefined {
  if (text === 'off') return undefined
  if (text === 'on') return defaultRetention
  const [, spam, held, closed] = /^(\d{1,5}),\s*(\d{1,5}),\s*(\d{1,5})$/.exec(text.trim()) ?? []
  const days = { spam: Number(spam), held: Number(held), closed: Number(closed) }
  // Not `< 1`: a number that is missing is NaN.
  if (Object.values(days).every((each) => each >= 1)) return days
  throw new WrongSetting('must be on, off, or three numbers of days such as 30,90,365')
}

export function readSmtpUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  // Each of these signs ends the part of an address that user and password belong to.
  const isCut = /^smtps?:\/\/.*[#?/].*@/.test(text)
  if (isCut || (url && !(isEncoded(url.username) && isEncoded(url.password)))) {
    throw new WrongSetting(
      'must have these signs in the user and the password in percent encoding: # as %23, / as %2F, ? as %3F, : as %3A, @ as %40, % as %25',
    )
  }
  if (url && /^smtps?:\/\/[^/?#]+\/?$/.test(text)) return text
  throw new WrongSetting('must be an address such as smtp://user:password@mail.example.com:587')
}

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

export function readOneOf<T extends string>(...words: readonly T[]): (text: string) => T {
  return (text) => {
    const found = words.find((word) => word === text.trim())
    if (found !== undefined) return found
    throw new WrongSetting(`must be ${words.join(' or ')}`)
  }
}

/** One plain address, without a display name. */
export function readEmail(text: string): string {
  if (isEmail(text.trim())) return text.trim()
  throw new WrongSetting('must be one address such as sam@example.com')
}

export function readWebhookUrl(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return new URL(text).href
  throw new WrongSetting('must be an address such as https://hooks.example.com/leads')
}

export function readSecretText(text: string): string {
  if (readWebhookSecret(text.trim()) !== undefined) return text.trim()
  throw new WrongSetting(`must be ${webhookSecretForm}`)
}

/** As in `Authorization: Bearer` (RFC 6750, 2.1). */
export function readToken(text: string): string {
  if (/^[\w.~+/-]{20,200}=*$/.test(text.trim())) return text.trim()
  throw new WrongSetting('must be 20 to 200 letters, digits or -._~+/, without spaces')
}

export function readLevel(text: string): 'debug' | 'info' | 'warn' | 'error' {
  if (text === 'debug' || text === 'info' || text === 'warn' || text === 'error') return text
  throw new WrongSetting('must be debug, info, warn or error')
}

const unitsMs = { m: minuteMs, h: hourMs, d: dayMs }

/** In milliseconds. */
export function readDuration(text: string): number {
  const [, count, unit] = /^([1-9]\d{0,3})([mhd])$/.exec(text.trim()) ?? []
  if (count !== undefined) return Number(count) * unitsMs[unit as keyof typeof unitsMs]
  throw new WrongSetting('must be a number of minutes, hours or days such as 30m, 1h or 1d')
}

/** How many of each to keep. */
export type KeepRules = { h: number; d: number; w: number; m: number }

export function readKeepRules(text: string): KeepRules {
  const rules = { h: 0, d: 0, w: 0, m: 0 }
  for (const part of text.split(',')) {
    const [, count, unit] = /^(\d{1,4})([hdwm])$/.exec(part.trim()) ?? []
    if (count === undefined) {
      throw new WrongSetting('must be numbers of hours, days, weeks and months such as 24h,14d,8w')
    }
    rules[unit as keyof KeepRules] = Number(count)
  }
  return rules
}

/** The public half of a key that `age-keygen` has made. */
export function readAgeKey(text: string): string {
  if (/^age1[02-9ac-hj-np-z]{58,}$/.test(text.trim())) return text.trim()
  throw new WrongSetting('must be the public key that age-keygen prints, which begins with age1')
}

/** For display: a secret. */
export function hideAll(): string {
  return '(hidden)'
}

const mailPorts = ['', '25', '465', '587', '2525']

/** Shows a mail server without a login. Behind another port may be a password that a `#` cut off. */
export function hideLogin(text: string): string {
  const url = URL.parse(text)
  const isPlain = url !== null && text === `${url.protocol}//${url.host}`
  return isPlain && mailPorts.includes(url.port) ? text : hideAll()
}

/** Services that take webhooks write a token into the path. */
export function hideAllButHost(text: string): string {
  return URL.canParse(text) ? `${new URL(text).host} (the rest is hidden)` : hideAll()
}

/** As sd_listen_fds(3) numbers them. */
export const firstSystemdSocket = 3

/** They count only for the process that LISTEN_PID names. */
export function countSystemdSockets({
  LISTEN_FDS,
  LISTEN_PID,
}: Readonly<Record<string, string | undefined>>): number {
  return Number(LISTEN_PID) === process.pid ? Number(LISTEN_FDS) : 0
}
