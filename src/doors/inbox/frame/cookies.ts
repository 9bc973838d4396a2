/**
 * The cookies of the inbox. `__Host-`: only this host over https can have set it; browsers refuse such
 * a name over plain http, as on http://localhost. `Lax`: a link in a mail must open the inbox signed in.
 */
import { challengeMs } from '../../../access/passkeys.ts'
import { longestSessionMs } from '../../../access/sessions.ts'
import { dayMs, minuteMs, secondMs } from '../../../time.ts'
import { type Pair } from '../../../http/body.ts'
import {
  openSeal,
  readCookie,
  readLongCookie,
  setCookie,
  setLongCookie,
  type CookieOptions,
  type Seal,
} from '../../../http/cookies.ts'
import { type Ask } from '../../../http/message.ts'

export type InboxCookies = ReturnType<typeof openCookies>

export function openCookies(secret: Buffer, secure: boolean) {
  const prefix = secure ? '__Host-' : ''
  const named = (name: string, ms: number, seal?: Seal) =>
    openCookie(`${prefix}${name}`, { path: '/', maxAgeS: ms / secondMs, secure }, seal)
  return {
    /** The id and the secret that a signed-in browser shows. */
    session: named('inbox', longestSessionMs),
    /** The secret of a browser that asked for a code. */
    code: named('inbox-code', 10 * minuteMs),
    /** The sealed challenge for a passkey. */
    challenge: named('inbox-challenge', challengeMs),
    /** The id of a member who was signed in in this browser. Browsers keep no cookie for longer. */
    known: named('inbox-known', 400 * dayMs, openSeal(secret, 'inbox known')),
    /** The last act, for the bar that offers to undo it. No part of it names a person. */
    done: named('inbox-done', minuteMs),
    back: openBackCookie(`${prefix}inbox-back`, secure, openSeal(secret, 'inbox back')),
  }
}

/** `set` and `clear` return a header: name and value. */
function openCookie(name: string, options: CookieOptions, seal?: Seal) {
  return {
    read({ headers }: Ask): string | undefined {
      const value = readCookie(headers.cookie, name)
      return value !== undefined && seal ? seal.open(value) : value
    },
    set: (value: string) => setCookie(name, seal?.close(value) ?? value, options),
    clear: () => setCookie(name, '', { ...options, maxAgeS: 0 }),
  }
}

/** A page that somebody must sign in for, and the fields of a form that he sent there. */
type WayBack = { page: string; fields: readonly Pair[] }

function openBackCookie(name: string, secure: boolean, seal: Seal) {
  const options = { path: '/', maxAgeS: (15 * minuteMs) / secondMs, secure }
  return {
    read({ headers }: Ask): WayBack | undefined {
      const text = seal.open(readLongCookie(headers.cookie, name) ?? '')
      return text === undefined ? undefined : (JSON.parse(text) as WayBack)
    },
    /** `undefined`: the fields are too long for any browser to carry. */
    set: (back: WayBack) => setLongCookie(name, seal.close(JSON.stringify(back)), options),
    clear: () => setLongCookie(name, '', options) ?? [],
  }
}
