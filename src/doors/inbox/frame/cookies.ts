/** The prefix `__Host-` proves that this host set the cookie. Browsers refuse the prefix over http. */
import { challengeMs, codeMs, sessionMs } from '../../../contract/limits.ts'
import { dayMs, minuteMs, secondMs } from '../../../time.ts'
import { type Pair } from '../../../http/body.ts'
import {
  createSeal,
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
    session: named('inbox', sessionMs.longest),
    /** A mailed code works only in the browser that has this secret. */
    code: named('inbox-code', codeMs),
    challenge: named('inbox-challenge', challengeMs),
    /** The id of the member who last signed in. Browsers keep cookies for at most 400 days. */
    known: named('inbox-known', 400 * dayMs, createSeal(secret, 'inbox known')),
    /** The last act, for the bar that offers to undo it. It has no personal data. */
    done: named('inbox-done', minuteMs),
    back: openBackCookie(`${prefix}inbox-back`, secure, createSeal(secret, 'inbox back')),
  }
}

function openCookie(name: string, options: CookieOptions, seal?: Seal) {
  return {
    read({ headers }: Ask): string | undefined {
      const value = readCookie(headers.cookie, name)
      return value !== undefined && seal ? seal.open(value) : value
    },
    set: (value: string) => setCookie(name, seal?.close(value) ?? value, options),
    clear: () => setCookie(name, '', { ...options, maxAgeS: 0 }),
    isIn: (cookies: readonly string[] = []) => cookies.some((each) => each.startsWith(`${name}=`)),
  }
}

type WayBack = { page: string; fields: readonly Pair[] }

function openBackCookie(name: string, secure: boolean, seal: Seal) {
  const options = { path: '/', maxAgeS: (15 * minuteMs) / secondMs, secure }
  return {
    read({ headers }: Ask): WayBack | undefined {
      const text = seal.open(readLongCookie(headers.cookie, name) ?? '')
      return text === undefined ? undefined : (JSON.parse(text) as WayBack)
    },
    /** Returns `undefined` if the typed fields are too long for cookies. */
    set: (back: WayBack) => setLongCookie(name, seal.close(JSON.stringify(back)), options),
    clear: () => setLongCookie(name, '', options) ?? [],
  }
}
