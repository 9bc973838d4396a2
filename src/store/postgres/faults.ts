/** What errors of PostgreSQL and of connections to it mean, for the service and for people. */
import { StorageUnavailable, StoreRefused } from '../engine/engine.ts'

/** A service gives a connection less time (`commitDeadlineMs`). */
export const commandConnectMs = 5_000

/** Returns `undefined` if the statement or this program is at fault. */
export function postgresFault(error: unknown): string | undefined {
  if (error instanceof StorageUnavailable) return error.reason
  // pg throws a `TypeError` for a value that it cannot write, which is a fault of this program.
  if (error instanceof TypeError || error instanceof StoreRefused) return undefined
  const { code, severity } = error as { code?: string; severity?: string }
  // Only an error of the server has a severity. Without one, the connection failed.
  if (code === undefined || severity === undefined) return 'away'
  return byCode[code] ?? byClass[code.slice(0, 2)]
}

/** A pooler gave this transaction a connection on which the named statement is unknown, or known already. */
export function lacksNames(error: unknown): boolean {
  return ['26000', '42P05'].includes((error as { code?: string }).code ?? '')
}

/** After a deadlock or a serialization failure, the same transaction may succeed at the next try. */
export function wasCrossed(error: unknown): boolean {
  return (error as { code?: string }).code?.startsWith('40') === true
}

const byCode: Record<string, string> = {
  '25006': 'read-only',
  // A right, column or table is missing, which is no fault of the lead.
  '42501': 'refused',
  '42703': 'refused',
  '42P01': 'refused',
  '53100': 'full',
  '55P03': 'locked',
  '57014': 'slow',
}

/** Classes of error codes: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const byClass: Record<string, string> = {
  '08': 'away',
  '28': 'refused',
  '3D': 'refused',
  '3F': 'refused',
  '53': 'overloaded',
  '57': 'restarting',
  '58': 'input-output',
  XX: 'damaged',
}

/** Returns `undefined` if there is no advice, for example because the server may come back by itself. */
export function explainPostgresFault(error: unknown, url: string): StoreRefused | undefined {
  if (error instanceof StoreRefused) return error
  const cause = (error instanceof StorageUnavailable ? error.cause : error) ?? {}
  const { code = '', syscall, path } = cause as { code?: string; syscall?: string; path?: string }
  if (syscall === 'open') {
    return new StoreRefused(
      `${path} cannot be read (${code}). Check sslrootcert, sslcert and sslkey in DATABASE_URL, and that this user may read what they name.`,
    )
  }
  const sentence = sentences[code]?.(urlParts(url), code)
  return sentence === undefined ? undefined : new StoreRefused(sentence)
}

type Sentence = (parts: ReturnType<typeof urlParts>, code: string) => string

const notLetIn: Sentence = ({ place, user }, code) =>
  `PostgreSQL at ${place} does not let the user ${user} in (${code}). Check user and password in DATABASE_URL, sslmode where the server asks for TLS, and pg_hba.conf of the server.`

const sentences: Record<string, Sentence> = {
  '28000': notLetIn,
  '28P01': notLetIn,
  '3D000': ({ place, database }) =>
    `PostgreSQL at ${place} has no database ${database}. Create it (create database ${database}), or name another one in DATABASE_URL.`,
  '42501': ({ place, user, database }) =>
    `The user ${user} may not make or write tables in the database ${database} at ${place}. As its owner run: grant create, usage on schema public to ${user}. If another user made the tables, let that one own them all, or grant every right on them.`,
}

/** Says why the server cannot be used now, and the cure. */
export function whyAway(error: unknown, url: string): string {
  const { place } = urlParts(url)
  const server = `PostgreSQL at ${place}`
  const known = error instanceof StorageUnavailable ? explainReason(error.reason, url) : undefined
  if (known !== undefined) return known
  const cause = ((error as Error).cause ?? error) as Error & { code?: string; severity?: string }
  const { code = '', message } = cause
  if (message === 'The server does not support SSL connections') {
    return `${server} does not speak TLS, and DATABASE_URL asks for it (sslmode). Set ssl = on in its postgresql.conf.`
  }
  if (/CERT|LEAF/.test(code)) {
    return `${server} shows a certificate that is not accepted: ${message.split(';')[0]}. Name the server in DATABASE_URL as its certificate does, and the file of the authority that signed it (sslrootcert).`
  }
  // Poolers answer so; PostgreSQL itself does only to what does not speak its protocol.
  if (code === '08P01') {
    return `The pooler at ${place} refuses the connection: ${message} (08P01). Check its settings: the database, the user, and how many clients it takes.`
  }
  if (cause.severity !== undefined) {
    return `${server} answers with an error: ${message} (${code}). Its own log says more.`
  }
  // pg has a message without a code for a connection that took too long.
  if (code === '' && message.includes('timeout')) {
    return `${server} does not answer within ${commandConnectMs / 1_000} s. Check host and port in DATABASE_URL and the firewalls in between, and whether the server hangs.`
  }
  return `${server} cannot be reached (${code || message}). Check host, port and TLS (sslmode) in DATABASE_URL, and that the server runs.`
}

/** Says what a `reason` of `StorageUnavailable` means; `undefined` if only the error can tell more. */
export function explainReason(reason: string, url: string): string | undefined {
  const server = `PostgreSQL at ${urlParts(url).place}`
  const words: Record<string, string> = {
    full: `The disk of ${server} is full. Make room there; until then leads wait in the journals of the nodes.`,
    overloaded: `${server} has no connection free or no memory. A node takes up to ten connections: raise max_connections in postgresql.conf, or close what else is connected.`,
    slow: `${server} took too long to answer. Look at its load, its disk, and at what holds locks in it.`,
    'read-only': `${server} is read-only: it is a standby, or was set so, as some providers do when its disk is full. Name the primary in DATABASE_URL, or make room.`,
  }
  return words[reason]
}

/** These parts are shown in messages, so the password is not one of them. */
function urlParts(url: string): { user: string; place: string; database: string } {
  const { username, hostname, port, pathname, searchParams } = new URL(url)
  const host = searchParams.get('host') ?? hostname
  return {
    user: decodeURIComponent(username) || (searchParams.get('user') ?? '(none)'),
    place: host.startsWith('/') ? host : `${host || 'localhost'}:${port || '5432'}`,
    database: decodeURIComponent(pathname.slice(1)) || '(none)',
  }
}
