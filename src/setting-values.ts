/** Reads the values of settings. Each `read…` function gets the trimmed text, never ''. */
import { resolve } from 'node:path'
import { isEmail } from './contract/fields.ts'
import { defaultRateLimit } from './contract/limits.ts'
import { defaultRetention, type Retention } from './contract/states.ts'
import { readWebhookSecret, webhookSecretForm } from './contract/webhooks.ts'
import { Proxies } from './http/client-address.ts'
import { dayMs, hourMs, minuteMs } from './time.ts'

export class WrongSetting extends Error {}

function checked(isRight: (text: string) => boolean, problem: string): (text: string) => string {
  return (text) => {
    if (isRight(text)) return text
    throw new WrongSetting(problem)
  }
}

export const readEmail = checked(isEmail, 'must be one address such as sam@example.com')

export const readSecretText = checked(
  (text) => readWebhookSecret(text) !== undefined,
  `must be ${webhookSecretForm}`,
)

/** The characters of a bearer token (RFC 6750, 2.1). */
export const readToken = checked(
  (text) => /^[\w.~+/-]{20,200}=*$/.test(text),
  'must be 20 to 200 letters, digits or -._~+/, without spaces',
)

export const readAgeKey = checked(
  (text) => /^age1[02-9ac-hj-np-z]{58,}$/.test(text),
  'must be the public key that age-keygen prints, which begins with age1',
)

export const readWebhookUrl = checked(
  (text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ''),
  'must be an address such as https://hooks.example.com/leads',
)

export function readOneOf<T extends string>(...words: readonly T[]): (text: string) => T {
  return (text) => {
    const found = words.find((word) => word === text)
    if (found !== undefined) return found
    throw new WrongSetting(`must be ${words.join(' or ')}`)
  }
}

export const readOnOff = readOneOf('off', 'on')

export function readWhole(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = Number(text)
    if (/^\d+$/.test(text) && number >= least && number <= most) return number
    throw new WrongSetting(`must be a whole number from ${least} to ${most}`)
  }
}

export function readHttpUrl(text: string): string {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username) {
    throw new WrongSetting('must be an address such as https://www.example.com')
  }
  if (url.pathname !== '/') throw new WrongSetting('must not have a path')
  return url.origin
}

export function readDatabase(text: string): string {
  if (isPostgres(text)) return readPostgresUrl(text)
  if (/^sqlite:./.test(text)) return resolve(text.slice('sqlite:'.length).replace(/^\/\//, ''))
  throw new WrongSetting(
    'must be of the form sqlite:FILE or postgres://user:password@host/database',
  )
}

export function isPostgres(database: string): boolean {
  return /^postgres(ql)?:/.test(database)
}

function readPostgresUrl(text: string): string {
  // `URL` needs a host, but an address with a socket (?host=/run/postgresql) often has none.
  const whole = text.replace(/^(\w+:\/\/(?:[^/@]*@)?)\//, '$1localhost/')
  const url = URL.parse(whole)
  // pg asks for TLS even with `ssl=false`, so only `ssl=true` is accepted.
  if ((url?.searchParams.get('ssl') ?? 'true') !== 'true') {
    throw new WrongSetting('must say sslmode=verify-full or sslmode=disable in place of ssl')
  }
  if (url !== null && url.pathname.length > 1) return whole
  throw new WrongSetting('must be an address such as postgres://user:password@host/database')
}

export function readNetworks(text: string): string[] {
  const entries = text.split(/[\s,]+/).filter(Boolean)
  const networks = entries.flatMap((entry) =>
    entry === 'loopback' ? ['127.0.0.0/8', '::1/128'] : [entry],
  )
  if (networks.every(isNetwork)) return networks
  throw new WrongSetting('must be a list of addresses or ranges such as 10.0.0.0/8')
}

function isNetwork(text: string): boolean {
  try {
    return /^[^/]+(?:\/\d+)?$/.test(text) && Boolean(new Proxies([text]))
  } catch {
    return false
  }
}

export function readRateLimit(text: string): { soft: number; hard: number } | 'off' {
  if (text === 'off') return text
  if (text === 'on') return defaultRateLimit
  const [, soft, hard] = /^(\d{1,9}),\s*(\d{1,9})$/.exec(text) ?? []
  if (soft !== undefined) return { soft: Number(soft), hard: Number(hard) }
  throw new WrongSetting('must be on, off, or two numbers such as 20,300')
}

/** `undefined`: the service erases no leads by itself. */
export function readRetention(text: string): Retention | undefined {
  if (text === 'off') return undefined
  if (text === 'on') return defaultRetention
  const [, spam, held, closed] =
    /^([1-9]\d{0,4}),\s*([1-9]\d{0,4}),\s*([1-9]\d{0,4})$/.exec(text) ?? []
  if (spam !== undefined) return { spam: Number(spam), held: Number(held), closed: Number(closed) }
  throw new WrongSetting('must be on, off, or three numbers of days such as 30,90,365')
}

export function readSmtpUrl(text: string): string {
  // A raw #, ? or / in the user or password makes the URL parser take the user for the host.
  if (/^smtps?:\/\/.*(?:[#?/]|%(?![\da-f]{2})).*@/i.test(text)) {
    throw new WrongSetting(
      'must have these signs in the user and the password in percent encoding: # as %23, / as %2F, ? as %3F, : as %3A, @ as %40, % as %25',
    )
  }
  if (URL.canParse(text) && /^smtps?:\/\/[^/?#]+\/?$/.test(text)) return text
  throw new WrongSetting('must be an address such as smtp://user:password@mail.example.com:587')
}

const unitsMs = { m: minuteMs, h: hourMs, d: dayMs }

export function readDuration(text: string): number {
  const [, count, unit] = /^([1-9]\d{0,3})([mhd])$/.exec(text) ?? []
  if (count !== undefined) return Number(count) * unitsMs[unit as keyof typeof unitsMs]
  throw new WrongSetting('must be a number of minutes, hours or days such as 30m, 1h or 1d')
}

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
