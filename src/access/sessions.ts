/**
 * The sessions of members in their browsers. The cookie holds the id and the secret of a session, the
 * database the secret's hash.
 */
import { createHash, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto'
import { isWithin } from '../store/clock.ts'
import { freshMs, sessionMs } from '../contract/limits.ts'
import { hourMs } from '../time.ts'
import { type AccessStore, type Member, type Session } from '../store/access/store.ts'

const seenEveryMs = hourMs

export type SignedIn = { member: Member; session: Session; isFresh: boolean }

export class Sessions {
  readonly #store: AccessStore
  readonly #now: () => number

  constructor(store: AccessStore, now: () => number) {
    this.#store = store
    this.#now = now
  }

  async find(cookie: string): Promise<SignedIn | undefined> {
    const [id = '', secret = ''] = cookie.split('.')
    const found = await this.#store.findSession(id, this.#now())
    if (found === undefined) return undefined
    const [sentHash, secretHash] = [hashOfSecret(secret), found.session.secretHash]
    if (!timingSafeEqual(Buffer.from(sentHash), Buffer.from(secretHash))) return undefined
    return { ...found, isFresh: isWithin(freshMs, found.session.provedAt, this.#now()) }
  }

  async noteSeen({ session: { id, seenAt, madeAt } }: SignedIn): Promise<void> {
    if (this.#now() - seenAt < seenEveryMs) return
    await this.#store.noteSeen({ id, seenAt: this.#now(), endsAt: this.#endOf(madeAt) })
  }

  /** Returns the text for the cookie. */
  async begin(member: Member, replaced?: Session): Promise<string> {
    const [id, secret] = [randomUUID(), newSecret()]
    const at = this.#now()
    const session = {
      id,
      secretHash: hashOfSecret(secret),
      memberId: member.id,
      madeAt: at,
      seenAt: at,
      endsAt: this.#endOf(at),
      provedAt: at,
    }
    await this.#store.saveSession(session, replaced?.id)
    return `${id}.${secret}`
  }

  #endOf(madeAt: number): number {
    return Math.min(this.#now() + sessionMs.idle, madeAt + sessionMs.longest)
  }
}

export function newSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** Only for secrets that are too long to be guessed. A short secret needs a keyed hash. */
export function hashOfSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url')
}
