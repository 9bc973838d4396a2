/** What the inbox answers: pages, redirects and, for its script, JSON. Nothing of it is stored or indexed. */
import { type Limited } from '../../../access/codes.ts'
import { howToType } from '../../../config.ts'
import { html, type Html } from '../../../html.ts'
import { type Answer, type Ask } from '../../../http/message.ts'
import { compressFor } from '../../resource.ts'
import { mark } from '../../../site/layout.ts'
import { paths } from '../paths.ts'
import { type Inbox, type Visitor } from './inbox.ts'

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
export const guardedHeaders: readonly string[] = Object.entries({
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex, nofollow',
  'Referrer-Policy': 'same-origin',
  'Content-Security-Policy': policy,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
}).flat()

const unstored = [...guardedHeaders, 'Cache-Control', 'no-store']
const vary = ['Vary', 'Accept-Encoding, Cookie']
const htmlHeaders = ['Content-Type', 'text/html; charset=utf-8', ...vary, ...unstored]
const jsonHeaders = ['Content-Type', 'application/json', ...unstored]

export type InboxPage = {
  status?: number
  title: string
  /** The inside of `<main>`. */
  main: Html
  /** Whose page it is; left out for somebody who is not signed in. */
  visit?: Visitor | undefined
  headers?: readonly string[]
}

/** A whole page. It has no part of the public site but its mark. */
export function showPage(inbox: Inbox, ask: Ask, page: InboxPage): Promise<Answer> {
  const { status = 200, title, main, visit, headers = [] } = page
  const body = html`<!DOCTYPE html>
<html lang="en-AU">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Inbox</title>
<meta name="robots" content="noindex, nofollow">
<meta name="color-scheme" content="light dark">
<meta name="theme-color" content="${bar}">
<link rel="stylesheet" href="${inbox.stylePath}">
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<script type="module" src="${inbox.scriptPath}"></script>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="bar">
<a class="brand" href="${paths.list}">${mark}<span>Inbox <small>${inbox.businessName}</small></span></a>
${visit === undefined ? '' : navigation(ask.path)}</header>
<main id="main">
${visit?.typed === undefined ? '' : signedInAgain}${main}</main>
</body>
</html>
`
  return compressFor(ask, { status, headers: [...htmlHeaders, ...headers], body: body.text })
}

/** `--bar` of the style sheet, for the browser's own bars. */
const bar = '#2b2018'

function navigation(path: string): Html {
  const here = path.startsWith(paths.settings) ? html` aria-current="page"` : ''
  return html`<nav aria-label="Inbox"><a href="${paths.settings}"${here}>Settings</a></nav>
`
}

const signedInAgain = html`<p class="notice" role="status">You are signed in again. Nothing was changed yet: what you typed is still here, so press the button once more.</p>
`

/** For the script: where to go next (`to`), or what to tell the member (`say`). */
export function scriptAnswer(
  status: number,
  value: object,
  headers: readonly string[] = [],
): Answer {
  return { status, headers: [...jsonHeaders, ...headers], body: JSON.stringify(value) }
}

/** `path` is made by us, or was sealed by us; it is never anything that a request said. */
export function goTo(path: string, headers: readonly string[] = []): Answer {
  return { status: 303, headers: [...unstored, 'Location', path, ...headers], body: '' }
}

/** What happened, and to which member, for the line of the log. Never a name or an email. */
export function logged(answer: Answer, event: string, memberId?: string): Answer {
  return { ...answer, logFacts: { inbox: event, member: memberId } }
}

/** A problem at the top of a page; '' for none. */
export function alertOf(problem: string): Html {
  if (problem === '') return html``
  return html`<p class="alert" role="alert">${problem}</p>
`
}

export function tooOften(inbox: Inbox, ask: Ask, { waitS }: Limited): Promise<Answer> {
  const minutes = Math.ceil(waitS / 60)
  const title = 'Too many tries'
  const main = html`<h1>${title}</h1>
<p>Wait ${minutes === 1 ? 'a minute' : `${minutes} minutes`}, then try again. A passkey, or the command <code>${howToType('inbox link')}</code>, works at once.</p>
<p><a class="button quiet" href="${paths.signIn}">Back to the sign-in page</a></p>
`
  return showPage(inbox, ask, { status: 429, title, main, headers: retryAfter(waitS) })
}

export function tooOftenForScript({ waitS }: Limited): Answer {
  return scriptAnswer(429, { say: 'Too many tries. Wait some minutes.' }, retryAfter(waitS))
}

function retryAfter(waitS: number): string[] {
  return ['Retry-After', String(waitS)]
}
