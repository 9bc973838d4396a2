/**
 * Challenges for passkeys. One carries its end and a seal, so giving it stores nothing: whoever asks
 * for millions fills no table. Only a spent one is stored, until it would have ended.
 */
import { randomBytes } from 'node:crypto'
import { minuteMs } from '../durations.ts'
import type { AccessStore } from '../store/access/store.ts'
import { hashOf, isSame } from './secrets.ts'
import type { KeyedHash } from './secrets.ts'

export const challengeMs = 5 * minuteMs
/** End and random bytes: a multiple of three, so that the base64 of the seal can follow. */
const [endBytes, randomLength] = [6, 18]
const headLength = ((endBytes + randomLength) / 3) * 4

/** For what, and in which browser or session. */
export type ChallengeHolder = { purpose: 'sign-in' | 'step-up' | 'add'; heldBy: string }

export type Challenges = {
  give(holder: ChallengeHolder): string
  /** Whether it was given to this holder, and has not ended. */
  isOurs(challenge: string, holder: ChallengeHolder): boolean
  /** Of one that is ours. False: it was spent before, on whichever node. */
  spend(challenge: string, holder: ChallengeHolder): Promise<boolean>
}

export function createChallenges(
  store: Pick<AccessStore, 'addTicketOnce'>,
  keyedHash: KeyedHash,
  now: () => number,
): Challenges {
  const sealOf = (head: string, { purpose, heldBy }: ChallengeHolder) =>
    keyedHash(`${purpose} ${heldBy} ${head}`)
  return {
    give(holder) {
      const bytes = Buffer.concat([Buffer.alloc(endBytes), randomBytes(randomLength)])
      bytes.writeUIntBE(now() + challengeMs, 0, endBytes)
      const head = bytes.toString('base64url')
      return head + sealOf(head, holder)
    },

    isOurs(challenge, holder) {
      const head = challenge.slice(0, headLength)
      if (!isSame(challenge.slice(headLength), sealOf(head, holder))) return false
      return endOf(challenge) > now()
    },

    spend(challenge, { purpose, heldBy }) {
      const key = { hash: hashOf(challenge), purpose: `${purpose} challenge` }
      const rest = { boundTo: hashOf(heldBy), memberId: undefined, tries: 0, data: '' }
      return store.addTicketOnce({ ...key, ...rest, endsAt: endOf(challenge) }, now())
    },
  }
}

function endOf(challenge: string): number {
  return Buffer.from(challenge.slice(0, headLength), 'base64url').readUIntBE(0, endBytes)
}
