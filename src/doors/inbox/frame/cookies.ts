/**
 * The cookies of the inbox. `__Host-`: only this host over https can have set it; browsers refuse such
 * a name over plain http, as on http://localhost. `Lax`: a link in a mail must open the inbox signed in.
 */
import { challengeMs } from '../../../access/passkeys.ts'
import { longestSessionMs } from '../../../access/sessions.ts'
import { dayMs, minuteMs, secondMs } from '../../../durations.ts'
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

class InboxCookie {
  readonly #name: string
  readonly #ms: number
  readonly #secure: boolean

  constructor(name: string, ms: number, secure: boolean) {
    this.#name = nameOf(name, secure)
    this.#ms = ms
    this.#secure = secure
  }

  read({ headers }: Ask): string | undefined {
    return readCookie(headers.cookie, this.#name)
  }

  /** As a header: name and value. */
  set(value: string, ms = this.#ms): string[] {
    const options = { path: '/', maxAgeS: ms / secondMs, secure: this.#secure }
    return setCookie(this.#name, value, options)
  }

  clear(): string[] {
    return this.set('', 0)
  }
}

/** A page that somebody must sign in for, and the fields of a form that he sent there. */
export type WayBack = { page: string; fields: readonly Pair[] }

const codeMs = 10 * minuteMs
const doneMs = minuteMs
const backMs = 15 * minuteMs
/** Browsers keep no cookie for longer. */
const knownMs = 400 * dayMs

export class InboxCookies {
  readonly #secure: boolean
  readonly #knownSeal: Seal
  readonly #backSeal: Seal
  /** What a signed-in browser shows: an id and a secret. */
  readonly session: InboxCookie
  /** The secret of a browser that asked for a code. */
  readonly code: InboxCookie
  /** The sealed challenge for a passkey. */
  readonly challenge: InboxCookie
  /** What was just done, for the bar that offers to undo it. No part of it names a person. */
  readonly done: InboxCookie
  readonly #known: InboxCookie

  constructor(secret: Buffer, secure: boolean) {
    this.#secure = secure
    this.#knownSeal = openSeal(secret, 'inbox known')
    this.#backSeal = openSeal(secret, 'inbox back')
    this.session = new InboxCookie('inbox', longestSessionMs, secure)
    this.code = new InboxCookie('inbox-code', codeMs, secure)
    this.challenge = new InboxCookie('inbox-challenge', challengeMs, secure)
    this.done = new InboxCookie('inbox-done', doneMs, secure)
    this.#known = new InboxCookie('inbox-known', knownMs, secure)
  }

  /** The id of a member who was signed in in this browser. */
  readKnown(ask: Ask): string | undefined {
    return this.#knownSeal.open(this.#known.read(ask) ?? '')
  }

  setKnown(memberId: string): string[] {
    return this.#known.set(this.#knownSeal.close(memberId))
  }

  readBack({ headers }: Ask): WayBack | undefined {
    const text = this.#backSeal.open(readLongCookie(headers.cookie, this.#backName()) ?? '')
    return text === undefined ? undefined : (JSON.parse(text) as WayBack)
  }

  /** `undefined`: the fields are too long for any browser to carry. */
  setBack(back: WayBack): string[] | undefined {
    return this.#setBack(this.#backSeal.close(JSON.stringify(back)), backMs)
  }

  clearBack(): string[] {
    return this.#setBack('', 0) ?? []
  }

  #setBack(value: string, ms: number): string[] | undefined {
    const options = { path: '/', maxAgeS: ms / secondMs, secure: this.#secure }
    return setLongCookie(this.#backName(), value, options)
  }

  #backName(): string {
    return nameOf('inbox-back', this.#secure)
  }
}

function nameOf(name: string, secure: boolean): string {
  return secure ? `__Host-${name}` : name
}
