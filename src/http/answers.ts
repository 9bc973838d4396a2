/**
 * The answers of all doors. Each has a policy: for everybody, for one caller, or for members
 * (`frame/answers.ts` of the inbox has that one).
 */
import type { Headers, WholeAnswer, Answer, StreamSource } from './message.ts'

/** Says what a browser may do with the answer, and that it guesses no type. Mostly says who may keep it, too. */
export type Policy = Headers & {
  readonly 'X-Content-Type-Options': 'nosniff'
  readonly 'Content-Security-Policy': string
}

export const unsniffed = { 'X-Content-Type-Options': 'nosniff' } as const
export const uncached: Headers = { 'Cache-Control': 'no-store' }
const noReferrer: Headers = { 'Referrer-Policy': 'no-referrer' }

/** Runs and loads nothing, but for what is `allowed`. Caches may keep it. */
export function inert(allowed = ''): Policy {
  const policy = `default-src 'none'; ${allowed}frame-ancestors 'none'`
  return { ...unsniffed, 'Content-Security-Policy': policy }
}

/** For one caller. */
export const personal: Policy = { ...inert(), ...uncached }

/** For a page that only one person gets. `policy` is that of the site, which lets its pages do more. */
export function personalPolicy({ policy }: { policy: string }): Policy {
  return { ...unsniffed, ...uncached, ...noReferrer, 'Content-Security-Policy': policy }
}

type AnswerParts = { status?: number; type: string; body: string | Buffer }

export function answerOf({ status = 200, type, body }: AnswerParts, policy: Policy): WholeAnswer {
  return { status, headers: { 'Content-Type': type, ...policy }, body }
}

export function jsonAnswer(status: number, value: unknown, policy = personal): WholeAnswer {
  return answerOf({ status, type: 'application/json', body: JSON.stringify(value) }, policy)
}

export function pageAnswer(status: number, body: string, policy: Policy): WholeAnswer {
  return answerOf({ status, type: 'text/html; charset=utf-8', body }, policy)
}

export const markdownType = 'text/markdown; charset=utf-8'

type File = { type: string; name: string; body: string | StreamSource }

/** A file to save, of what changes from one moment to the next. */
export function fileAnswer({ type, name, body }: File, policy: Policy): Answer {
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
export function redirect(location: string, policy: Policy): WholeAnswer {
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
