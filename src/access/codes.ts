/**
 * Codes by mail: eight characters that work for ten minutes, five tries, in the browser that asked.
 * Whether an address belongs to a member shows neither in the answer nor in its time: a stranger's
 * address gets a ticket that no code opens, and no letter.
 */
import { randomInt } from 'node:crypto'
import { minuteMs } from '../durations.ts'
import type { Member } from '../store/access/members.ts'
import type { ReportFailure } from '../log.ts'
import type { AccessStore } from '../store/access/store.ts'
import type { AccessLimits, Limited } from './limits.ts'
import { isSame } from './secrets.ts'
import type { KeyedHash } from './secrets.ts'

const codeMs = 10 * minuteMs
const mostTries = 5
/** As in a reference: without I, L, O and U. */
const codeLetters = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const codeLength = 8

/** For what, and in which browser or session. */
export type CodeHolder = { purpose: 'sign-in' | 'step-up'; heldBy: string }

export type AskedCode = { kind: 'asked' } | Limited
export type TriedCode =
  | { kind: 'in'; member: Member }
  | { kind: 'wrong' }
  | { kind: 'over' }
  | Limited

export type Codes = {
  /** `network`: where it comes from. */
  ask(email: string, holder: CodeHolder, network: string): Promise<AskedCode>
  attempt(code: string, holder: CodeHolder): Promise<TriedCode>
  /** Whether a code can still be typed. */
  isWaiting(holder: CodeHolder): Promise<boolean>
}

export type CodesParts = {
  store: Pick<
    AccessStore,
    'findMember' | 'findMemberByEmail' | 'addTicket' | 'findTicket' | 'tryTicket' | 'spendTicket'
  >
  limits: AccessLimits
  keyedHash: KeyedHash
  /** False: it could not be sent. */
  mailCode: (code: string, to: string) => Promise<boolean>
  reportFailure: ReportFailure
  now: () => number
}

export function createCodes(parts: CodesParts): Codes {
  const { store, limits, keyedHash, mailCode, reportFailure, now } = parts
  return {
    async ask(email, holder, network) {
      const asker = `${email} ${toSite(network)}`
      const limited =
        holder.purpose === 'sign-in'
          ? await limits.count('letters', asker)
          : await limits.count('stepUpLetters', email)
      if (limited !== undefined) return limited
      const member = await store.findMemberByEmail(email)
      const code = newCode()
      const data = hashIn(holder, code)
      const ticket = { ...keyOf(holder), memberId: member?.id, tries: mostTries, data }
      await store.addTicket({ ...ticket, endsAt: now() + codeMs }, now())
      // Not waited for: the answer for a member takes no longer than the one for a stranger.
      if (member !== undefined) void send(code, member.email, holder, asker)
      return { kind: 'asked' }
    },

    async attempt(typed, holder) {
      const ticket = await store.tryTicket(keyOf(holder), now())
      if (ticket === undefined) return { kind: 'over' }
      const isRight = isSame(hashIn(holder, plainCode(typed)), ticket.data)
      if (!isRight || ticket.memberId === undefined) {
        return ticket.tries > 0 ? { kind: 'wrong' } : { kind: 'over' }
      }
      if ((await store.spendTicket(keyOf(holder), now())) === undefined) return { kind: 'over' }
      const member = await store.findMember(ticket.memberId)
      if (member === undefined) return { kind: 'over' }
      return { kind: 'in', member }
    },

    async isWaiting(holder) {
      const ticket = await store.findTicket(keyOf(holder), now())
      return ticket !== undefined && ticket.tries > 0
    },
  }

  async function send(
    code: string,
    to: string,
    { purpose }: CodeHolder,
    asker: string,
  ): Promise<void> {
    try {
      if (purpose === 'sign-in' && (await isPastLetters(asker))) {
        reportFailure('inbox.letters-used-up', undefined)
      } else if (!(await mailCode(code, to))) reportFailure('inbox.code-not-sent', undefined)
    } catch (error) {
      reportFailure('inbox.code-not-sent', error)
    }
  }

  async function isPastLetters(asker: string): Promise<boolean> {
    if ((await limits.count('ownLetters', asker)) === undefined) return false
    return (await limits.count('moreLetters')) !== undefined
  }

  function keyOf({ purpose, heldBy }: CodeHolder) {
    const hash = keyedHash(`${purpose} ${heldBy}`)
    return { hash, purpose: `${purpose} code`, boundTo: hash }
  }

  function hashIn({ purpose, heldBy }: CodeHolder, code: string): string {
    return keyedHash(`${purpose} ${heldBy} ${code}`)
  }
}

/** An IPv6 /48 has 65,536 networks: its owner could ask for three letters from each. */
function toSite(network: string): string {
  return network.replace(/^((?:[\da-f]+:){3})[\da-f]+::\/64$/, '$1:/48')
}

function newCode(): string {
  return Array.from({ length: codeLength }, () => codeLetters[randomInt(32)]).join('')
}

/** As it was mailed: small letters, spaces and look-alikes do not matter. */
function plainCode(typed: string): string {
  return typed.replaceAll(/[\s-]/g, '').toUpperCase().replaceAll('O', '0').replaceAll(/[IL]/g, '1')
}
