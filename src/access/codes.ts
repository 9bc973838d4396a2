/**
 * Codes by mail: eight characters that work once, for ten minutes and five tries, in the browser that
 * asked. Only a code that is really mailed is stored, and no answer shows whether an address belongs
 * to a member.
 */
import { createHmac, hkdfSync, randomInt } from 'node:crypto'
import { hourMs, minuteMs } from '../time.ts'
import { Counter, secondsTo } from '../lead/limits.ts'
import { type ReportFailure } from '../log.ts'
import { type AccessStore, type Member } from '../store/access/store.ts'
import { plainEmail } from './members.ts'
import { hashOf, newSecret } from './sessions.ts'

const codeMs = 10 * minuteMs
/** The letters of a reference: without I, L, O and U. */
const codeLetters = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const codeLength = 8

/** Letters in an hour. A stranger on another network can use up neither. */
const perNetwork = 3
const perKnownMember = 6
/** A mail server that is asked for hundreds of connections at once refuses them all. */
const mostAtOnce = 4

/** `known`: the id of a member who was signed in in this browser before. */
export type Asker = { network: string; known: string | undefined }

/** `waitS`: how long, in seconds, until the next one is allowed. */
export type Limited = { kind: 'limited'; waitS: number }

/** `held`: a secret for the browser that asked, without which the code is worth nothing. */
export type AskedCode = { kind: 'asked'; held: string } | Limited

export type CodesParts = {
  store: AccessStore
  secret: Buffer
  /** False: the code could not be sent. */
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
    // Not waited for: the answer takes no longer for a member than for a stranger.
    const send = member && (() => this.#send(member, held))
    if (send !== undefined) this.#waiting.splice(isKnown ? 0 : this.#waiting.length, 0, send)
    void this.#sendNext()
    return { kind: 'asked', held }
  }

  /** `undefined`: wrong, expired, tried five times, or of another browser. */
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

  /** With a key that is not in the database: a code is short enough to be guessed from a plain hash. */
  #codeHash(code: string, held: string): string {
    return createHmac('sha256', this.#key).update(`${held} ${code}`).digest('base64url')
  }
}

/** An IPv6 /48 has 65,536 networks: its owner could ask for three letters from each. */
function toSite(network: string): string {
  return network.replace(/^((?:[\da-f]+:){3})[\da-f]+::\/64$/, '$1:/48')
}

/** The code as it was mailed: small letters, spaces and look-alikes do not matter. */
function plainCode(typed: string): string {
  return typed.replaceAll(/[\s-]/g, '').toUpperCase().replaceAll('O', '0').replaceAll(/[IL]/g, '1')
}
