/**
 * The answers of all doors. Each has a policy: headers that say who may keep the answer, and what a browser
 * may do with it. The inbox has a policy of its own, and pages have that of the site.
 */
import type { Headers, WholeAnswer, Answer, StreamSource } from './message.ts'

export const unsniffed: Headers = { 'X-Content-Type-Options': 'nosniff' }
export const uncached: Headers = { 'Cache-Control': 'no-store' }
const noReferrer: Headers = { 'Referrer-Policy': 'no-referrer' }

/** Runs and loads nothing, but for what is `allowed`. Caches may keep it. */
export function inert(allowed = ''): Headers {
  const policy = `default-src 'none'; ${allowed}frame-ancestors 'none'`
  return { ...unsniffed, 'Content-Security-Policy': policy }
}

/** For one caller. */
export const personal: Headers = { ...inert(), ...uncached }

/** For a page that only one person gets. `policy` is that of the site, which lets its pages do more. */
export function personalPolicy({ policy }: { policy: string }): Headers {
  return { ...unsniffed, ...uncached, ...noReferrer, 'Content-Security-Policy': policy }
}

export function jsonAnswer(status: number, value: unknown, policy = personal): WholeAnswer {
  const headers = { 'Content-Type': 'application/json', ...policy }
  return { status, headers, body: JSON.stringify(value) }
}

export function pageAnswer(status: number, body: string, policy: Headers): WholeAnswer {
  return { status, headers: { 'Content-Type': 'text/html; charset=utf-8', ...policy }, body }
}

type File = { type: string; name: string; body: string | StreamSource }

/** A file to save, of what changes from one moment to the next. */
export function fileAnswer({ type, name, body }: File, policy: Headers): Answer {
  const disposition = `attachment; filename="${name}"`
  const about = { 'Content-Type': type, 'Content-Disposition': disposition }
  const headers = { ...about, ...uncached, ...policy }
  return typeof body === 'string' ? { status: 200, headers, body } : { status: 200, headers, body }
}

export const calendarType = 'text/calendar; charset=utf-8'

export function emptyAnswer(status: number, headers: Headers): Answer {
  return { status, headers: { ...personal, ...noReferrer, ...headers }, body: '' }
}

/** `location` must begin with a constant path, so that it cannot lead to another site. */
export function redirect(location: string, policy: Headers): WholeAnswer {
  return { status: 303, headers: { ...policy, Location: location }, body: '' }
}

/** With words for a client that does not follow it. */
export function seeOther(location: string, words: string): WholeAnswer {
  const type = { 'Content-Type': 'text/plain; charset=utf-8' }
  const policy = { ...type, ...inert(), ...noReferrer }
  return { ...redirect(location, policy), body: `${words} See ${location}.\n` }
}

export function moved(location: string, headers: Headers = {}): Answer {
  const { headers: own, body } = seeOther(location, 'Moved permanently.')
  return { status: 308, headers: { ...own, ...uncached, ...headers }, body }
}

export function retryAfter(waitS: number): Headers {
  return { 'Retry-After': String(waitS) }
}
