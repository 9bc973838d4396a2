/** The kinds of answer, each with the security headers that suit it. */
import type { Answer, WholeAnswer } from './message.ts'

/** Nothing may be loaded, framed or posted from an answer that is not a page, but what `allowed` names. */
export function inertHeaders(allowed = ''): string[] {
  const policy = `default-src 'none'; ${allowed}frame-ancestors 'none'`
  return ['X-Content-Type-Options', 'nosniff', 'Content-Security-Policy', policy]
}

export const uncached = ['Cache-Control', 'no-store'] as const

export const noReferrer = ['Referrer-Policy', 'no-referrer'] as const

const jsonHeaders = ['Content-Type', 'application/json', ...inertHeaders()]

export function jsonAnswer(status: number, value: unknown, ...headers: string[]): WholeAnswer {
  const body = JSON.stringify(value)
  return { status, headers: [...jsonHeaders, ...uncached, ...headers], body }
}

/** The answer to a POST, as JSON already. Caches do not store one, so it has no Cache-Control. */
export function postAnswer(body: string): Answer {
  return { status: 200, headers: jsonHeaders, body }
}

/** `policy` is the page's Content-Security-Policy. */
export function pageAnswer(
  status: number,
  body: string,
  policy: string,
  cacheControl: string,
  ...headers: string[]
): WholeAnswer {
  const type = ['Content-Type', 'text/html; charset=utf-8', 'X-Content-Type-Options', 'nosniff']
  const care = ['Cache-Control', cacheControl, ...noReferrer, 'Content-Security-Policy', policy]
  return { status, headers: [...type, ...care, ...headers], body }
}

export function emptyAnswer(status: number, ...headers: string[]): Answer {
  return { status, headers: [...inertHeaders(), ...uncached, ...noReferrer, ...headers], body: '' }
}

/** For a POST: caches do not store the answer. `location` is a constant, or an address whose signature was checked. */
export function seeOther(location: string, words: string, ...headers: string[]): Answer {
  return toRedirect(303, location, words, headers)
}

/** For an address that is written otherwise. The client repeats its method and body there. */
export function moved(location: string, ...headers: readonly string[]): Answer {
  const words = 'This address is written otherwise.'
  return toRedirect(308, location, words, [...uncached, ...headers])
}

/** The text is for programs that do not follow; no browser shows it. */
function toRedirect(
  status: 303 | 308,
  location: string,
  words: string,
  headers: readonly string[],
): Answer {
  const type = ['Content-Type', 'text/plain; charset=utf-8', ...inertHeaders(), ...noReferrer]
  return {
    status,
    headers: [...type, 'Location', location, ...headers],
    body: `${words} See ${location}.\n`,
  }
}

export function withHeaders<T extends Answer>(answer: T, ...more: string[]): T {
  return more.length === 0 ? answer : { ...answer, headers: [...answer.headers, ...more] }
}
