/**
 * Sessions: a browser shows an id and a secret; the database holds the secret's hash. They end 30
 * days after they were last seen, and 90 days after they were made.
 */
import { randomUUID } from 'node:crypto'
import { dayMs, hourMs, minuteMs } from '../durations.ts'
import type { Member } from '../store/access/members.ts'
import type { Session } from '../store/access/sessions.ts'
import type { AccessStore } from '../store/access/store.ts'
import { hashOf, isSame, newSecret } from './secrets.ts'

export const longestSessionMs = 90 * dayMs
const idleMs = 30 * dayMs
/** Who has just proved who he is may do what is asked for only rarely. */
const freshMs = 10 * minuteMs
const seenEveryMs = hourMs

/** A member in one browser. */
export type Visit = { member: Member; session: Session; isFresh: boolean }

export type MemberSessions = {
  /** `value`: what the browser showed. */
  find(value: string): Promise<Visit | undefined>
  /** Whether it goes on; a step-up gives it another id. */
  isOpen(visit: Visit): Promise<boolean>
  /** Written at most once an hour. */
  noteSeen(visit: Visit): Promise<void>
  /** In place of the one that this browser had. Returns what the browser is to show from now on. */
  begin(member: Member, device: string, earlier?: Session): Promise<string>
  /**
   * The member has proved once more who he is: the same session under a new id. `undefined`: it was
   * ended meanwhile.
   */
  refresh(visit: Visit): Promise<string | undefined>
}

export function createMemberSessions(
  store: Pick<
    AccessStore,
    'findSession' | 'listSessions' | 'addSession' | 'renewSession' | 'noteSeen'
  >,
  now: () => number,
): MemberSessions {
  return {
    async find(value) {
      const [id, secret] = value.split('.')
      if (id === undefined || secret === undefined) return undefined
      const found = await store.findSession(id, now())
      if (found === undefined || !isSame(hashOf(secret), found.session.secretHash)) return undefined
      return { ...found, isFresh: found.session.freshUntil > now() }
    },

    async isOpen({ session: { memberId, madeAt, device } }) {
      const open = await store.listSessions(now(), memberId)
      return open.some((each) => each.madeAt === madeAt && each.device === device)
    },

    async noteSeen({ session }) {
      if (now() - session.seenAt < seenEveryMs) return
      await store.noteSeen({ id: session.id, seenAt: now(), endsAt: endOf(session.madeAt) })
    },

    async begin(member, device, earlier) {
      const { session, value } = fresh({ memberId: member.id, device, madeAt: now() })
      await store.addSession(session, earlier?.id)
      return value
    },

    async refresh({ session: earlier }) {
      const { session, value } = fresh(earlier)
      return (await store.renewSession(earlier.id, session)) ? value : undefined
    },
  }

  function fresh({ memberId, device, madeAt }: Pick<Session, 'memberId' | 'device' | 'madeAt'>) {
    // A UUID never begins with a dash, which a command would read as an option.
    const [id, secret] = [randomUUID(), newSecret()]
    const session: Session = {
      id,
      secretHash: hashOf(secret),
      memberId,
      madeAt,
      seenAt: now(),
      endsAt: endOf(madeAt),
      freshUntil: now() + freshMs,
      device,
    }
    return { session, value: `${id}.${secret}` }
  }

  function endOf(madeAt: number): number {
    return Math.min(now() + idleMs, madeAt + longestSessionMs)
  }
}
