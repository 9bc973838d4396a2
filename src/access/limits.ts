/**
 * Limits on getting in, over all nodes. An attempt is counted before it is looked at, so that many
 * side by side are not more than allowed.
 */
import { dayMs, hourMs, minuteMs, secondMs } from '../durations.ts'
import type { AccessStore } from '../store/access/store.ts'
import type { KeyedHash } from './secrets.ts'

/** `waitS`: how long, in seconds, until the next one counts. */
export type Limited = { kind: 'limited'; waitS: number }

type Limit = { most: number; windowMs: number }

const limits = {
  /** Codes asked for or tried at sign-in, from one network. */
  network: { most: 10, windowMs: 15 * minuteMs },
  /** The same at step-up, in one session. */
  session: { most: 10, windowMs: 15 * minuteMs },
  /** Asked for at sign-in, for one address from one network, whether or not it is a member's. */
  letters: { most: 3, windowMs: hourMs },
  /**
   * Sent at sign-in to one member for one network, whatever others ask for: strangers cannot use
   * these up. Only members' letters count, here and in the next, so no answer may depend on them.
   */
  ownLetters: { most: 3, windowMs: dayMs },
  /** Sent at sign-in beyond those, to all members together. */
  moreLetters: { most: 10, windowMs: dayMs },
  /** To one member who is signed in: strangers cannot use these up. */
  stepUpLetters: { most: 3, windowMs: hourMs },
} as const satisfies Record<string, Limit>

type LimitName = keyof typeof limits

export type AccessLimits = {
  /** Counts one; past the limit, says how long to wait and counts nothing. */
  count(name: LimitName, of?: string): Promise<Limited | undefined>
  /** After a success. */
  forget(name: LimitName, of?: string): Promise<void>
}

export type AccessLimitsParts = {
  store: Pick<AccessStore, 'findAttempts' | 'countAttempt' | 'forgetAttempts'>
  /** Networks and addresses are stored as hashes. */
  keyedHash: KeyedHash
  now: () => number
}

export function createAccessLimits({ store, keyedHash, now }: AccessLimitsParts): AccessLimits {
  const idOf = (name: LimitName, of: string) => `${name} ${of === '' ? '' : keyedHash(of)}`
  return { count, forget: (name, of = '') => store.forgetAttempts(idOf(name, of)) }

  async function count(name: LimitName, of = ''): Promise<Limited | undefined> {
    const before = await look(name, of)
    if (before !== undefined) return before
    const { most, windowMs } = limits[name]
    const counted = await store.countAttempt(idOf(name, of), now(), windowMs)
    return counted.count > most ? toLimited(counted.endsAt) : undefined
  }

  async function look(name: LimitName, of = ''): Promise<Limited | undefined> {
    const found = await store.findAttempts(idOf(name, of), now())
    if (found === undefined || found.count < limits[name].most) return undefined
    return toLimited(found.endsAt)
  }

  function toLimited(endsAt: number): Limited {
    return { kind: 'limited', waitS: Math.max(1, Math.ceil((endsAt - now()) / secondMs)) }
  }
}
