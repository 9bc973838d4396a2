/**
 * Codes by mail. A code has eight characters and works once, for ten minutes and five tries, only in
 * the browser that asked for it. Codes are stored for members only, and no answer shows whether an
 * address belongs to a member.
 */
import { createHmac, hkdfSync, randomInt } from 'node:crypto'
import { hourMs, minuteMs } from '../time.ts'
import { Counter, secondsTo } from '../lead/limits.ts'
import { type ReportFailure } from '../log.ts'
import { type AccessStore, type Member } from '../store/access/store.ts'
import { plainEmail } from './members.ts'
import { hashOf, newSecret } from './sessions.ts'

const codeMs = 10 * minuteMs
/** The letters and digits of references. I, L, O and U are left out, because they are easily misread. */
const codeLetters = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const codeLength = 8

/**
 * Most codes mailed to an address in an hour. Each network that asks is counted alone, so that a stranger
 * cannot use up a member's codes. Browsers in which the member has signed in before are counted apart.
 */
const perNetwork = 3
const perKnownMember = 6
/** Most codes mailed at the same time, because a mail server refuses hundreds of connections at once. */
const mostAtOnce = 4

/** The browser that asks for a code. `known`: the id of a member who has signed in there before. */
export type Asker = { network: string; known: string | undefined }

/**
 * `held`: a secret that the asking browser keeps. The code does not work without it. `waitS`: seconds
 * until the next code is allowed.
 */
export type AskedCode = { kind: 'asked'; held: string } | { kind: 'limited'; waitS: number }

export type CodesParts = {
  store: AccessStore
  secret: Buffer
  /** Resolves to false if the code could not be sent. */
  mailCode: (code: string, to: string) => Promise<boolean>
  reportFailure: ReportFailure
  now: () => number
}

export class Codes {
  readonly #parts: CodesParts
  readonly #key: Buffer
  readonly #letters = new Counter(hourMs)
  readonly #waiting: (() => Promise<void>)[] = []
  #underWay = 0

  constructor(parts: CodesParts) {
    this.#parts = parts
    this.#key = Buffer.from(hkdfSync('sha256', parts.secret, '', 'inbox', 32))
  }

  async ask(address: string, { network, known }: Asker): Promise<AskedCode> {
    const now = this.#parts.now()
    const email = plainEmail(address)
    const member = await this.#parts.store.findMemberByEmail(email)
    const isKnown = member !== undefined && member.id === known
    const isAllowed = isKnown && this.#letters.count(member.id, 1, now).count <= perKnownMember
    if (!isAllowed) {
      const { count, endsAt } = this.#letters.count(`${email} ${toSite(network)}`, 1, now)
      if (count > perNetwork) return { kind: 'limited', waitS: secondsTo(endsAt, now) }
    }
    const held = newSecret()
    // The mail is sent after this answer, so that a member waits no longer for it than a stranger.
    const send = member && (() => this.#send(member, held))
    if (send !== undefined) this.#waiting.splice(isKnown ? 0 : this.#waiting.length, 0, send)
    void this.#sendNext()
    return { kind: 'asked', held }
  }

  /** Returns `undefined` if the code is wrong, expired, was tried five times, or belongs to another browser. */
  async use(typed: string, held: string): Promise<Member | undefined> {
    const { store, now } = this.#parts
    const codeHash = this.#codeHash(plainCode(typed), held)
    const memberId = await store.useCode(hashOf(held), codeHash, now())
    return memberId === undefined ? undefined : store.findMember(memberId)
  }

  async #sendNext(): Promise<void> {
    const send = this.#underWay < mostAtOnce ? this.#waiting.shift() : undefined
    if (send === undefined) return
    this.#underWay += 1
    await send()
    this.#underWay -= 1
    void this.#sendNext()
  }

  async #send(member: Member, held: string): Promise<void> {
    const { store, mailCode, reportFailure, now } = this.#parts
    const code = Array.from({ length: codeLength }, () => codeLetters[randomInt(32)]).join('')
    const [hash, data, endsAt] = [hashOf(held), this.#codeHash(code, held), now() + codeMs]
    try {
      await store.addTicket({ hash, kind: 'code', memberId: member.id, endsAt, data }, now())
      if (!(await mailCode(code, member.email))) reportFailure('inbox.code-not-sent', undefined)
    } catch (error) {
      reportFailure('inbox.code-not-sent', error)
    }
  }

  /** The hash is keyed, because a code is so short that it could be guessed from a plain hash. */
  #codeHash(code: string, held: string): string {
    return createHmac('sha256', this.#key).update(`${held} ${code}`).digest('base64url')
  }
}

/** Returns the /48 around an IPv6 /64. Otherwise a stranger who has a /48 could ask for three codes in each of its 65,536 networks. */
function toSite(network: string): string {
  return network.replace(/^((?:[\da-f]+:){3})[\da-f]+::\/64$/, '$1:/48')
}

/** Turns a typed code into the mailed one. Lower case, spaces and look-alikes such as O for 0 do not matter. */
function plainCode(typed: string): string {
  return typed.replaceAll(/[\s-]/g, '').toUpperCase().replaceAll('O', '0').replaceAll(/[IL]/g, '1')
}
