/** What the inbox answers: pages, redirects and, for its script, JSON. Nothing of it is stored or indexed. */
import type { Html } from '../../html.ts'
import type { Answer, Ask } from '../../http/message.ts'
import { compressFor } from '../resource.ts'

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

/** `same-origin`: with `no-referrer` a browser would send `Origin: null` with a form. */
export const guardedHeaders: readonly string[] = [
  'X-Content-Type-Options',
  'nosniff',
  'X-Robots-Tag',
  'noindex, nofollow',
  'Referrer-Policy',
  'same-origin',
  'Content-Security-Policy',
  policy,
  'Cross-Origin-Opener-Policy',
  'same-origin',
  'Cross-Origin-Resource-Policy',
  'same-origin',
]

const unstored = [...guardedHeaders, 'Cache-Control', 'no-store']
const htmlHeaders = [
  'Content-Type',
  'text/html; charset=utf-8',
  'Vary',
  'Accept-Encoding, Cookie',
  ...unstored,
]
const jsonHeaders = ['Content-Type', 'application/json', ...unstored]

export function htmlAnswer(
  ask: Ask,
  status: number,
  body: Html,
  headers: readonly string[] = [],
): Promise<Answer> {
  return compressFor(ask, { status, headers: [...htmlHeaders, ...headers], body: body.text })
}

/** For the script: where to go next (`to`), or what to tell the member (`say`). */
export function scriptAnswer(
  status: number,
  value: object,
  headers: readonly string[] = [],
): Answer {
  return { status, headers: [...jsonHeaders, ...headers], body: JSON.stringify(value) }
}

/** `path` is one of `paths`, never anything that a request said. */
export function goTo(path: string, headers: readonly string[] = []): Answer {
  return { status: 303, headers: [...unstored, 'Location', path, ...headers], body: '' }
}

/** What happened, and to which member, for the line of the log. Never a name or an email. */
export function logged(answer: Answer, event: string, memberId?: string): Answer {
  return { ...answer, logFacts: { inbox: event, member: memberId } }
}
