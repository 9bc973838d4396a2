/** Browsers in which a member is signed in. */
import type { Engine, Row, Statement } from '../engine/engine.ts'
import { toMember } from './members.ts'
import type { Member } from './members.ts'

export type Session = {
  id: string
  secretHash: string
  memberId: string
  madeAt: number
  seenAt: number
  endsAt: number
  /** Until then the member need not prove again who he is. */
  freshUntil: number
  device: string
}

export type Sessions = {
  /** With its member; `undefined` where either has ended. */
  findSession(id: string, at: number): Promise<{ session: Session; member: Member } | undefined>
  /** Of one member, or of all; the latest seen first. */
  listSessions(at: number, memberId?: string): Promise<Session[]>
  /** In place of the one that the same browser had, if any. */
  addSession(session: Session, replacedId?: string): Promise<void>
  /** The same session under a new id and secret. False: it has ended. */
  renewSession(oldId: string, session: Session): Promise<boolean>
  noteSeen(session: Pick<Session, 'id' | 'seenAt' | 'endsAt'>): Promise<void>
  /** True: there was one. */
  endSession(id: string, memberId?: string): Promise<boolean>
  /** All of a member, or of everybody; but the one that is kept. How many there were. */
  endSessions(which: { memberId?: string; keptId?: string }): Promise<number>
}

const columns = 'id, secret_hash, member_id, made_at, seen_at, ends_at, fresh_until, device'

export function createSessions(engine: Engine): Sessions {
  return {
    async findSession(id, at) {
      const [row] = await engine.read(
        `select session.id as session_id, secret_hash, member_id, session.made_at as session_made_at,
         seen_at, ends_at, fresh_until, device, member.id, member.name, member.email, member.made_at
         from session join member on member.id = session.member_id
         where session.id = $1 and session.ends_at > $2
         and member.ended_at is null`,
        [id, at],
      )
      if (row === undefined) return undefined
      const own = { ...row, id: row['session_id']!, made_at: row['session_made_at']! }
      return { session: toSession(own), member: toMember(row) }
    },

    async listSessions(at, memberId) {
      const of = memberId === undefined ? '' : 'and member_id = $2'
      const values = [at, ...(memberId === undefined ? [] : [memberId])]
      const open = `ends_at > $1 ${of}`
      const sql = `select ${columns} from session where ${open} order by seen_at desc, id`
      return (await engine.read(sql, values)).map(toSession)
    },

    async addSession(session, replacedId) {
      const { id, secretHash, memberId, madeAt, seenAt, endsAt, freshUntil, device } = session
      const values = [id, secretHash, memberId, madeAt, seenAt, endsAt, freshUntil, device]
      const batch: Statement[] = [
        [`insert into session (${columns}) values ($1, $2, $3, $4, $5, $6, $7, $8)`, values],
        // Those that ended by themselves.
        ['delete from session where ends_at <= $1', [seenAt]],
      ]
      if (replacedId !== undefined) batch.push(['delete from session where id = $1', [replacedId]])
      await engine.run(batch)
    },

    // An update of the row, so that whoever ends it at the same moment waits, and ends the renewed one.
    async renewSession(oldId, { id, secretHash, seenAt, endsAt, freshUntil }) {
      const [renewed] = await engine.run([
        [
          `update session set id = $1, secret_hash = $2, seen_at = $3, ends_at = $4, fresh_until = $5
           where id = $6 and ends_at > $3`,
          [id, secretHash, seenAt, endsAt, freshUntil, oldId],
        ],
      ])
      return Number(renewed) === 1
    },

    async noteSeen({ id, seenAt, endsAt }) {
      const sql = 'update session set seen_at = $1, ends_at = $2 where id = $3'
      await engine.run([[sql, [seenAt, endsAt, id]]])
    },

    async endSession(id, memberId) {
      const [ended] = await engine.run([
        memberId === undefined
          ? ['delete from session where id = $1', [id]]
          : ['delete from session where id = $1 and member_id = $2', [id, memberId]],
      ])
      return Number(ended) === 1
    },

    async endSessions({ memberId, keptId = '' }) {
      const [ended] = await engine.run([
        memberId === undefined
          ? ['delete from session where id <> $1', [keptId]]
          : ['delete from session where id <> $1 and member_id = $2', [keptId, memberId]],
      ])
      return Number(ended)
    },
  }
}

function toSession(row: Row): Session {
  return {
    id: String(row['id']),
    secretHash: String(row['secret_hash']),
    memberId: String(row['member_id']),
    madeAt: Number(row['made_at']),
    seenAt: Number(row['seen_at']),
    endsAt: Number(row['ends_at']),
    freshUntil: Number(row['fresh_until']),
    device: String(row['device']),
  }
}
