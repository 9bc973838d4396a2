/** The answers of the inbox: whole pages, redirects, answers to its scripts. */
import { howToType } from '../../../words.ts'
import { countryOf } from '../../../contract/country.ts'
import { longestSought } from '../../../desk/search.ts'
import { html, type Html, noHtml } from '../../../html.ts'
import {
  jsonAnswer,
  pageAnswer,
  redirect,
  retryAfter,
  uncached,
  unsniffed,
  type Policy,
} from '../../../http/answers.ts'
import { withCookies, type Answer, type Headers } from '../../../http/message.ts'
import { compressFor } from '../../resource.ts'
import { paths } from '../paths.ts'
import { doneCookie, endUndone, type Done } from './done-bar.ts'
import { type Caller, type SignedInCaller } from './inbox.ts'

const contentPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  // The name of the only allowed Trusted Types policy, which push.js creates.
  'trusted-types inbox',
].join('; ')

/** With Referrer-Policy `no-referrer`, forms of older browsers would have `Origin: null` and be refused. */
export const guarded: Policy = {
  ...unsniffed,
  'X-Robots-Tag': 'noindex, nofollow',
  'Referrer-Policy': 'same-origin',
  'Content-Security-Policy': contentPolicy,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
}

const unstored: Policy = { ...guarded, ...uncached }

export type InboxPage = {
  status?: number
  title: string
  main: Html
  headers?: Headers
  back?: Html
  problem?: string
  sought?: string
}

export type RefusalPage = InboxPage & { status: number }

export function showPage(caller: Caller | SignedInCaller, page: InboxPage): Promise<Answer> {
  const { title, main, back, problem = '' } = page
  const above = back === undefined ? '' : backLink(back)
  const whole = html`${above}<h1>${title}</h1>
${alertOf(problem)}${main}`
  return showWhole(caller, { ...page, main: whole })
}

export function backLink(link: Html): Html {
  return html`<p class="back">${link}</p>
`
}

/** Shows a page whose `main` has its own heading. */
export function showWhole(caller: Caller | SignedInCaller, page: InboxPage): Promise<Answer> {
  const { inbox, ask } = caller
  const { status = 200, title, main, headers, sought = '' } = page
  const isSignedIn = 'member' in caller
  const hasTyped = 'typed' in caller && caller.typed !== undefined
  const body = html`<!DOCTYPE html>
<html lang="${countryOf(inbox.business.country).locale}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Inbox</title>
<meta name="robots" content="noindex, nofollow">
<meta name="color-scheme" content="light dark">
<meta name="theme-color" content="${bar}">
<link rel="stylesheet" href="${inbox.stylePath}">
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<link rel="apple-touch-icon" href="/apple-touch-icon.png">
<link rel="manifest" href="${paths.manifest}">
<script type="module" src="${inbox.scriptPath}"></script>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="bar">
<a class="brand" href="${paths.list}">${inbox.logo}<span>Inbox <small>${inbox.businessName}</small></span></a>
${isSignedIn ? html`${searchForm(ask.path, sought)}${navigation(ask.path)}` : ''}</header>
<main id="main">
${hasTyped ? signedInAgain : ''}${main}</main>
</body>
</html>
`
  const policy = { Vary: 'Accept-Encoding, Cookie', ...unstored, ...headers }
  const answer = withCookies(pageAnswer(status, body.text, policy), endUndone(caller))
  return compressFor(ask, answer)
}

/** The colour `--bar` of the style sheet. */
export const bar = '#2b2018'

/** On a phone only the pages of the search show the field; on others a link leads there. */
function searchForm(path: string, sought: string): Html {
  const isShown = path === paths.search
  const focused = isShown && sought === '' ? html` autofocus` : ''
  return html`<form class="search${isShown ? ' shown' : ''}" role="search" method="post" action="${paths.search}">
<label class="unseen" for="q">Search</label>
<input type="search" id="q" name="q" value="${sought}" placeholder="Name, phone, words"
  autocomplete="off" maxlength="${longestSought}" enterkeyhint="search"${focused}>
<button type="submit" class="quiet">Search</button>
</form>
`
}

function navigation(path: string): Html {
  const here = path.startsWith(paths.settings) ? html` aria-current="page"` : ''
  return html`<nav aria-label="Inbox">
<a class="find" href="${paths.search}">${barIcon(lens)}<span class="unseen">Search</span></a>
<a class="add" href="${paths.add}">Add<span class="unseen"> a request</span></a>
<a class="set" href="${paths.settings}"${here}>${barIcon(cog)}<span>Settings</span></a>
</nav>
`
}

function barIcon(drawing: Html): Html {
  return html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">${drawing}</svg>`
}

const lens = html`<path d="M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM15.5 15.5 21 21"/>`
const cog = html`<path d="M12 8.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7zM12 2.5v3M12 18.5v3M2.5 12h3M18.5 12h3M5.3 5.3l2.1 2.1M16.6 16.6l2.1 2.1M18.7 5.3l-2.1 2.1M7.4 16.6l-2.1 2.1"/>`

const signedInAgain = html`<p class="notice" role="status">You are signed in again. Nothing has been changed yet. What you typed is still here: press the button once more.</p>
`

/** In `value`, `to` is the page to open, and `say` is text for the member. */
export function scriptAnswer(status: number, value: object): Answer {
  return jsonAnswer(status, value, unstored)
}

/** `path` must be a page of the inbox, so that it cannot lead to another site. */
export function goTo(path: string, cookies: readonly string[] = []): Answer {
  return withCookies(redirect(path, unstored), cookies)
}

/** `event` must not contain a name or an email. */
export function logged(answer: Answer, event: string, memberId?: string): Answer {
  return { ...answer, logFacts: { inbox: event, member: memberId } }
}

/** Where a member goes once what he sent is done. There a bar offers to undo it, if it says what was `done`. */
export function goOn(
  { inbox, member }: SignedInCaller,
  event: string,
  path: string,
  done?: Done,
): Answer {
  const cookies = done === undefined ? [] : [doneCookie(inbox, done)]
  return logged(goTo(path, cookies), event, member.id)
}

export function alertOf(problem: string): Html {
  if (problem === '') return noHtml
  return html`<p class="alert" role="alert">${problem}</p>
`
}

export const openInboxLink = html`<p><a class="button" href="${paths.list}">Open the inbox</a></p>
`

export function tooOften(waitS: number): RefusalPage {
  const minutes = Math.ceil(waitS / 60)
  const wait = minutes === 1 ? 'a minute' : `${minutes} minutes`
  const words = html`<p>Wait ${wait}, then try again.
A passkey, or the command <code>${howToType('inbox link')}</code>, works at once.</p>
<p><a class="button quiet" href="${paths.signIn}">Back to the sign-in page</a></p>
`
  return { status: 429, title: 'Too many tries', main: words, headers: retryAfter(waitS) }
}

export const missing: RefusalPage = {
  status: 404,
  title: 'Nothing here',
  main: html`<p>The inbox has no such page or request.</p>
${openInboxLink}`,
}
