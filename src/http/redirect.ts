/** Redirects. Each has a short body, for clients that do not follow them and for people who read the wire. */
import { html } from '../html.ts'
import { inertHeaders, noReferrer, uncached } from './answer.ts'
import type { Answer } from './message.ts'
import { prefers } from './negotiate.ts'

export type Redirect = {
  /** One of our constants, or an address whose signature was checked. */
  location: string
  /** What happened, and what to do. */
  words: string
  /** Only in the plain text. */
  forPrograms?: string
}

/** A page for clients that name HTML, as browsers do; plain text for all others. */
export function prefersHtml(accept: string | undefined): boolean {
  return prefers(accept, 'text/html', 'text/plain')
}

/** For a POST: caches do not store the answer. */
export function seeOther(
  accept: string | undefined,
  redirect: Redirect,
  ...headers: string[]
): Answer {
  return toRedirect(303, accept, redirect, headers)
}

/** For an address that is written otherwise. The client repeats its method and body there. */
export function moved(accept: string | undefined, location: string, ...headers: string[]): Answer {
  const words = 'This address is written otherwise.'
  return toRedirect(308, accept, { location, words }, [...uncached, ...headers])
}

function toRedirect(
  status: 303 | 308,
  accept: string | undefined,
  { location, words, forPrograms }: Redirect,
  headers: readonly string[],
): Answer {
  const isPage = prefersHtml(accept)
  const type = ['Content-Type', `text/${isPage ? 'html' : 'plain'}; charset=utf-8`]
  return {
    status,
    headers: [...type, ...inertHeaders(), ...noReferrer, 'Location', location, ...headers],
    body: isPage ? toPage(location, words) : toText(location, words, forPrograms),
  }
}

function toText(location: string, words: string, forPrograms = ''): string {
  return `${words} See ${location}. ${forPrograms}`.trimEnd().concat('\n')
}

function toPage(location: string, words: string): string {
  return html`<!DOCTYPE html>
<html lang="en-AU">
<title>Please go on</title>
<p>${words}</p>
<p><a href="${location}">Go on</a></p>
</html>
`.text
}
