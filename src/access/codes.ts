/**
 * Codes by email, to sign in with. A code works once, and only in the browser that asked. No answer
 * shows whether an address is a member's.
 */
import { createHmac, hkdfSync, randomInt } from 'node:crypto'
import { codeMs } from '../contract/limits.ts'
import { dayMs, hourMs } from '../time.ts'
import { toSite } from '../http/client-address.ts'
import { secondsTo, WindowCounter } from '../window-counter.ts'
import { type ReportFailure } from '../log.ts'
import { type AccessStore, type Member } from '../store/access/store.ts'
import { plainEmail } from './members.ts'
import { hashOfSecret, newSecret } from './sessions.ts'

/** I, L, O and U are left out, because they are easily misread. */
const codeLetters = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const codeLength = 8

/** Codes an hour for one email from one network, so that a stranger elsewhere cannot use up a member's codes. */
const perNetwork = 3
/** Codes an hour for a member in browsers where he has signed in before. */
const perKnownMember = 6
/** Codes for all other browsers together, so that strangers cannot use up the mail account, which emails about leads need. */
export const ceiling = { perHour: 20, perDay: 60 } as const
/** Codes that are mailed at the same time, because a mail server refuses hundreds of connections. */
const mostCodesAtOnce = 4

/** `known`: the id of the member who has signed in with this browser before. */
export type Asker = { network: string; known: string | undefined }

/** `held`: a secret for the asking browser. The code does not work without it. */
export type AskedCode = { kind: 'asked'; held: string } | { kind: 'limited'; waitS: number }

export type CodesParts = {
  store: AccessStore
  secret: Buffer
  mailCode: (code: string, to: string) => Promise<boolean>
  reportFailure: ReportFailure
  now: () => number
}

export class Codes {
  readonly #parts: CodesParts
  readonly #key: Buffer
  readonly #mails = new WindowCounter(hourMs)
  readonly #mailsOfHour = new WindowCounter(hourMs)
  readonly #mailsOfDay = new WindowCounter(dayMs)
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
    const isAllowed = isKnown && this.#mails.count(member.id, 1, now).count <= perKnownMember
    if (!isAllowed) {
      const { count, endsAt } = this.#mails.count(`${email} ${toSite(network)}`, 1, now)
      if (count > perNetwork) return { kind: 'limited', waitS: secondsTo(endsAt, now) }
    }
    const held = newSecret()
    // Above the ceiling the answer must not change: only members' addresses count, so it would show who is one.
    if (member !== undefined && (isAllowed || this.#countToCeiling(now))) {
      const send = () => this.#send(member, held)
      this.#waiting.splice(isKnown ? 0 : this.#waiting.length, 0, send)
    }
    // The mail is not awaited, because the wait would show that the address is a member's.
    void this.#sendNext()
    return { kind: 'asked', held }
  }

  /** Counts an email, and says whether it may be sent. One that the hourly limit refuses does not count for the day. */
  #countToCeiling(now: number): boolean {
    if (this.#mailsOfHour.count('', 1, now).count > ceiling.perHour) return false
    return this.#mailsOfDay.count('', 1, now).count <= ceiling.perDay
  }

  async use(typed: string, held: string): Promise<Member | undefined> {
    const { store, now } = this.#parts
    const codeHash = this.#codeHash(plainCode(typed), held)
    const memberId = await store.useCode(hashOfSecret(held), codeHash, now())
    return memberId === undefined ? undefined : store.findMember(memberId)
  }

  async #sendNext(): Promise<void> {
    const send = this.#underWay < mostCodesAtOnce ? this.#waiting.shift() : undefined
    if (send === undefined) return
    this.#underWay += 1
    await send()
    this.#underWay -= 1
    void this.#sendNext()
  }

  async #send(member: Member, held: string): Promise<void> {
    const { store, mailCode, reportFailure, now } = this.#parts
    const code = Array.from({ length: codeLength }, () => codeLetters[randomInt(32)]).join('')
    const [hash, data, endsAt] = [hashOfSecret(held), this.#codeHash(code, held), now() + codeMs]
    try {
      await store.addTicket({ hash, kind: 'code', memberId: member.id, endsAt, data }, now())
      if (!(await mailCode(code, member.email))) reportFailure('inbox.code-not-sent', undefined)
    } catch (error) {
      reportFailure('inbox.code-not-sent', error)
    }
  }

  /** The hash is keyed, because all codes could be tried against a plain hash. */
  #codeHash(code: string, held: string): string {
    return createHmac('sha256', this.#key).update(`${held} ${code}`).digest('base64url')
  }
}

function plainCode(typed: string): string {
  return typed.replaceAll(/[\s-]/g, '').toUpperCase().replaceAll('O', '0').replaceAll(/[IL]/g, '1')
}
