/**
 * One-time addresses and codes: spending one deletes it, so it is spent once on all nodes. Of
 * challenges, those that were spent.
 */
import type { Engine, Row, Statement } from '../engine/engine.ts'

export type Ticket = {
  /** Of the secret that somebody must show. */
  hash: string
  purpose: string
  memberId: string | undefined
  /** The browser or the session it was given to; '' where it is bound to none. */
  boundTo: string
  /** How many are left. */
  tries: number
  endsAt: number
  data: string
}

/** Which ticket is meant: all of it must be right. */
export type TicketKey = Pick<Ticket, 'hash' | 'purpose' | 'boundTo'>

export type Tickets = {
  /** In place of one with the same hash. */
  addTicket(ticket: Ticket, at: number): Promise<void>
  /** False: there is one with the same hash. */
  addTicketOnce(ticket: Ticket, at: number): Promise<boolean>
  findTicket(key: TicketKey, at: number): Promise<Ticket | undefined>
  /** Counts a try before it is looked at. `undefined`: there is no such ticket, or no try is left. */
  tryTicket(key: TicketKey, at: number): Promise<Ticket | undefined>
  /** `undefined`: there is no such ticket any more. */
  spendTicket(key: TicketKey, at: number): Promise<Ticket | undefined>
}

const columns = 'hash, purpose, member_id, bound_to, tries, ends_at, data'
const meant = 'hash = $1 and purpose = $2 and bound_to = $3 and ends_at > $4'

export function createTickets(engine: Engine): Tickets {
  return {
    async addTicket(ticket, at) {
      const replace = `on conflict (hash) do update set purpose = excluded.purpose,
        member_id = excluded.member_id, bound_to = excluded.bound_to, tries = excluded.tries,
        ends_at = excluded.ends_at, data = excluded.data`
      await engine.run([forgetEnded(at), insert(ticket, replace)])
    },

    async addTicketOnce(ticket, at) {
      const batch = [forgetEnded(at), insert(ticket, 'on conflict (hash) do nothing')]
      return Number((await engine.run(batch))[1]) === 1
    },

    async findTicket(key, at) {
      const sql = `select ${columns} from ticket where ${meant}`
      return (await engine.read(sql, valuesOf(key, at))).map(toTicket)[0]
    },

    async tryTicket(key, at) {
      const sql = `update ticket set tries = tries - 1 where ${meant} and tries > 0 returning ${columns}`
      const [found] = await engine.run([[sql, valuesOf(key, at)]])
      return (found as Row[]).map(toTicket)[0]
    },

    async spendTicket(key, at) {
      const sql = `delete from ticket where ${meant} returning ${columns}`
      const [spent] = await engine.run([[sql, valuesOf(key, at)]])
      return (spent as Row[]).map(toTicket)[0]
    },
  }
}

function forgetEnded(at: number): Statement {
  return ['delete from ticket where ends_at <= $1', [at]]
}

function insert(ticket: Ticket, onConflict: string): Statement {
  const { hash, purpose, memberId = null, boundTo, tries, endsAt, data } = ticket
  return [
    `insert into ticket (${columns}) values ($1, $2, $3, $4, $5, $6, $7) ${onConflict}`,
    [hash, purpose, memberId, boundTo, tries, endsAt, data],
  ]
}

function valuesOf({ hash, purpose, boundTo }: TicketKey, at: number) {
  return [hash, purpose, boundTo, at]
}

function toTicket(row: Row): Ticket {
  return {
    hash: String(row['hash']),
    purpose: String(row['purpose']),
    memberId: row['member_id'] === null ? undefined : String(row['member_id']),
    boundTo: String(row['bound_to']),
    tries: Number(row['tries']),
    endsAt: Number(row['ends_at']),
    data: String(row['data']),
  }
}
