/** The cookies of the inbox. A malformed one counts as none. */
import { longestSessionMs } from '../../access/sessions.ts'
import { newSecret } from '../../access/secrets.ts'
import { minuteMs, secondMs } from '../../durations.ts'
import { readCookie, setCookie } from '../../http/cookies.ts'
import type { Ask } from '../../http/message.ts'

export type InboxCookies = {
  /** What a signed-in browser shows: an id and a secret. */
  readSession(ask: Ask): string | undefined
  setSession(value: string): string[]
  clearSession(): string[]
  /** Of a browser that is about to sign in: codes and challenges are bound to it. */
  readBrowser(ask: Ask): string | undefined
  /** The present one, or a new one to be set. */
  browserOf(ask: Ask): { value: string; headers: string[] }
  /** The lead that a browser asked for before it signed in: it is shown next. */
  readWanted(ask: Ask): string | undefined
  setWanted(leadId: string): string[]
  clearWanted(): string[]
  /** What was just done, for the bar that offers to undo it. No part of it names a person. */
  readDone(ask: Ask): string | undefined
  setDone(value: string): string[]
}

const browserMs = 15 * minuteMs
const doneMs = minuteMs

/**
 * `__Host-`: only this host over https can have set it. Browsers refuse such a name over plain http,
 * as on http://localhost. `Lax`: a link in a mail must open the inbox signed in.
 */
export function createInboxCookies(secure: boolean): InboxCookies {
  const prefix = secure ? '__Host-' : ''
  const set = (name: string, value: string, ms: number) =>
    setCookie(`${prefix}${name}`, value, { path: '/', maxAgeS: ms / secondMs, secure })
  const readSession = createRead(`${prefix}inbox`, /^[\da-f-]{36}\.[\w-]{43}$/)
  const readBrowser = createRead(`${prefix}inbox-browser`, /^[\w-]{43}$/)
  return {
    readSession,
    setSession: (value) => set('inbox', value, longestSessionMs),
    clearSession: () => set('inbox', '', 0),
    readBrowser,
    browserOf(ask) {
      const value = readBrowser(ask) ?? newSecret()
      return { value, headers: set('inbox-browser', value, browserMs) }
    },
    readWanted: createRead(`${prefix}inbox-wanted`, /^[0-9a-f-]{36}$/),
    setWanted: (leadId) => set('inbox-wanted', leadId, browserMs),
    clearWanted: () => set('inbox-wanted', '', 0),
    readDone: createRead(`${prefix}inbox-done`, /^[\w~-]{1,2000}$/),
    setDone: (value) => set('inbox-done', value, doneMs),
  }
}

function createRead(name: string, shape: RegExp) {
  return ({ headers }: Ask): string | undefined => {
    const value = readCookie(headers.cookie, name)
    return value !== undefined && shape.test(value) ? value : undefined
  }
}
