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
  type Seal,
} from '../../../http/cookies.ts'
import { type Ask } from '../../../http/message.ts'

export class InboxCookies {
  /** What a signed-in browser shows: an id and a secret. */
  readonly session: InboxCookie
  /** The secret of a browser that asked for a code. */
  readonly code: InboxCookie
  /** The sealed challenge for a passkey. */
  readonly challenge: InboxCookie
  /** The id of a member who was signed in in this browser. Browsers keep no cookie for longer. */
  readonly known: InboxCookie
  /** What was just done, for the bar that offers to undo it. No part of it names a person. */
  readonly done: InboxCookie
  readonly back: BackCookie

  constructor(secret: Buffer, secure: boolean) {
    const prefix = secure ? '__Host-' : ''
    const named = (name: string, ms: number, seal?: Seal) =>
      new InboxCookie(`${prefix}${name}`, { path: '/', maxAgeS: ms / secondMs, secure }, seal)
    this.session = named('inbox', longestSessionMs)
    this.code = named('inbox-code', 10 * minuteMs)
    this.challenge = named('inbox-challenge', challengeMs)
    this.known = named('inbox-known', 400 * dayMs, openSeal(secret, 'inbox known'))
    this.done = named('inbox-done', minuteMs)
    this.back = new BackCookie(`${prefix}inbox-back`, secure, openSeal(secret, 'inbox back'))
  }
}

type Options = Parameters<typeof setCookie>[2]

class InboxCookie {
  readonly #name: string
  readonly #options: Options
  readonly #seal: Seal | undefined

  constructor(name: string, options: Options, seal?: Seal) {
    this.#name = name
    this.#options = options
    this.#seal = seal
  }

  read({ headers }: Ask): string | undefined {
    const value = readCookie(headers.cookie, this.#name)
    return value !== undefined && this.#seal ? this.#seal.open(value) : value
  }

  /** As a header: name and value. */
  set(value: string): string[] {
    return setCookie(this.#name, this.#seal?.close(value) ?? value, this.#options)
  }

  clear(): string[] {
    return setCookie(this.#name, '', { ...this.#options, maxAgeS: 0 })
  }
}

/** A page that somebody must sign in for, and the fields of a form that he sent there. */
export type WayBack = { page: string; fields: readonly Pair[] }

class BackCookie {
  readonly #name: string
  readonly #options: Options
  readonly #seal: Seal

  constructor(name: string, secure: boolean, seal: Seal) {
    this.#name = name
    this.#options = { path: '/', maxAgeS: (15 * minuteMs) / secondMs, secure }
    this.#seal = seal
  }

  read({ headers }: Ask): WayBack | undefined {
    const text = this.#seal.open(readLongCookie(headers.cookie, this.#name) ?? '')
    return text === undefined ? undefined : (JSON.parse(text) as WayBack)
  }

  /** `undefined`: the fields are too long for any browser to carry. */
  set(back: WayBack): string[] | undefined {
    return setLongCookie(this.#name, this.#seal.close(JSON.stringify(back)), this.#options)
  }

  clear(): string[] {
    return setLongCookie(this.#name, '', this.#options) ?? []
  }
}
