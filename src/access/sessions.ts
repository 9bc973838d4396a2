/**
 * Sessions: a browser's cookie holds an id and a secret, and the database holds the secret's hash. A
 * session ends 30 days after the last visit, and at the latest 90 days after signing in. Codes and
 * links use `newSecret` and `hashOf`, too.
 */
import { createHash, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto'
import { dayMs, hourMs, minuteMs } from '../time.ts'
import { type AccessStore, type Member, type Session } from '../store/access/store.ts'

export const longestSessionMs = 90 * dayMs
const idleMs = 30 * dayMs
/** Erasing, exporting and changing members or passkeys need a sign-in no older than this. */
const freshMs = 10 * minuteMs
const seenEveryMs = hourMs

/** A member in one browser. `isFresh`: the member signed in within the last `freshMs`. */
export type Visit = { member: Member; session: Session; isFresh: boolean }

export class Sessions {
  readonly #store: AccessStore
  readonly #now: () => number

  constructor(store: AccessStore, now: () => number) {
    this.#store = store
    this.#now = now
  }

  /** `shown` is the text in the browser's cookie. Returns `undefined` if no session has this id and secret. */
  async find(shown: string): Promise<Visit | undefined> {
    const [id = '', secret = ''] = shown.split('.')
    const found = await this.#store.findSession(id, this.#now())
    if (found === undefined) return undefined
    const [shownHash, secretHash] = [hashOf(secret), found.session.secretHash]
    if (!timingSafeEqual(Buffer.from(shownHash), Buffer.from(secretHash))) return undefined
    return { ...found, isFresh: this.#now() - found.session.provedAt < freshMs }
  }

  /** Stores the time of the visit and the later end of the session, at most once an hour. */
  async noteSeen({ session: { id, seenAt, madeAt } }: Visit): Promise<void> {
    if (this.#now() - seenAt < seenEveryMs) return
    await this.#store.noteSeen({ id, seenAt: this.#now(), endsAt: this.#endOf(madeAt) })
  }

  /** Signs a member in, and ends the browser's `earlier` session. Returns the text for the cookie. */
  async begin(member: Member, earlier?: Session): Promise<string> {
    const [id, secret] = [randomUUID(), newSecret()]
    const at = this.#now()
    const session = {
      id,
      secretHash: hashOf(secret),
      memberId: member.id,
      madeAt: at,
      seenAt: at,
      endsAt: this.#endOf(at),
      provedAt: at,
    }
    await this.#store.saveSession(session, earlier?.id)
    return `${id}.${secret}`
  }

  #endOf(madeAt: number): number {
    return Math.min(this.#now() + idleMs, madeAt + longestSessionMs)
  }
}

/** Makes 256 random bits, as base64url. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** Hashes a secret that is too long to be guessed. A short secret would need a keyed hash. */
export function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url')
}
