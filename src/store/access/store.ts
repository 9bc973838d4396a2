/** Members, passkeys, sessions, devices and tickets. The database holds only hashes of sessions, links and codes. */
import { codeTries } from '../../contract/limits.ts'
import {
  fromRow,
  insertRows,
  type Engine,
  type Row,
  type Statement,
  type Value,
} from '../engine/engine.ts'

export type Member = {
  id: string
  name: string
  email: string
  madeAt: number
  /** 1, the default: this member gets emails about requests. */
  mailed?: number
  /** How often the address of the member's calendar was renewed. */
  feed?: number
  /** 1: the calendar shows names and numbers. */
  feedNames?: number
}

export type Passkey = {
  id: string
  memberId: string
  rpId: string
  /** A COSE key, as base64url. */
  publicKey: string
  counter: number
  /** 1: the passkey is copied to the member's other devices. */
  backedUp: number
  name: string
  madeAt: number
  usedAt: number | undefined
}

/** `provedAt` is when the member last proved who they are, by signing in. */
export type Session = {
  id: string
  secretHash: string
  memberId: string
  madeAt: number
  seenAt: number
  endsAt: number
  provedAt: number
}

/** A device stays when its session expires, so that notifications do not stop silently. */
export type PushDevice = {
  id: string
  memberId: string
  sessionId: string
  endpoint: string
  p256dh: string
  auth: string
  name: string
  madeAt: number
}

/** `answer`: marks a passkey's answer as used, so that it is not accepted again. */
export type Ticket = {
  hash: string
  kind: 'link' | 'code' | 'answer'
  memberId: string | undefined
  endsAt: number
  data: string
}

/** No method returns a member whose membership has ended. */
export class AccessStore {
  readonly #engine: Engine

  constructor(engine: Engine) {
    this.#engine = engine
  }

  async #read<T>(sql: string, values: readonly Value[] = []): Promise<T[]> {
    return (await this.#engine.read(sql, values)).map(fromRow<T>)
  }

  /** Searches the list of all members, because a business has only a handful. */
  async findMember(id: string): Promise<Member | undefined> {
    return (await this.listMembers()).find((member) => member.id === id)
  }

  async findMemberByEmail(email: string): Promise<Member | undefined> {
    return (await this.listMembers()).find((member) => member.email === email)
  }

  listMembers(): Promise<Member[]> {
    const sql = `select id, name, email, made_at, mailed, feed, feed_names from member
      where ended_at is null order by made_at, id`
    return this.#read(sql)
  }

  /** Returns false if a member has this email already. */
  async addMember(member: Member): Promise<boolean> {
    return (await this.#engine.run([insertRows('member', member)]))[0] === 1
  }

  async setMailed(id: string, isMailed: boolean): Promise<void> {
    const sql = 'update member set mailed = $1 where id = $2'
    await this.#engine.run([[sql, [Number(isMailed), id]]])
  }

  async setFeedNames(id: string, isNamed: boolean): Promise<void> {
    const sql = 'update member set feed_names = $1 where id = $2'
    await this.#engine.run([[sql, [Number(isNamed), id]]])
  }

  async renewFeed(id: string): Promise<void> {
    await this.#engine.run([['update member set feed = feed + 1 where id = $1', [id]]])
  }

  /** Returns false if the member, or the acting member `by`, is a member no more. */
  async endMember(id: string, by: string, at: number): Promise<boolean> {
    // PostgreSQL would let two members end each other at once. Locks in the order of ids make them wait.
    const locks = [id, by]
      .toSorted()
      .map((each): Statement => ['update member set feed = feed where id = $1', [each]])
    const results = await this.#engine.run([
      ...locks,
      [
        `update member set ended_at = $1 where id = $2 and ended_at is null
         and exists (select 1 from member where id = $3 and ended_at is null)`,
        [at, id, by],
      ],
      ...['session', 'push_device', 'passkey', 'ticket'].map((table): Statement => [
        `delete from ${table} where member_id in
         (select id from member where id = $1 and ended_at is not null)`,
        [id],
      ]),
    ])
    return results[locks.length] === 1
  }

  async findPasskey(id: string): Promise<Passkey | undefined> {
    return (await this.#read<Passkey>('select * from passkey where id = $1', [id]))[0]
  }

  listPasskeys(memberId: string): Promise<Passkey[]> {
    return this.#read('select * from passkey where member_id = $1 order by made_at, id', [memberId])
  }

  async addPasskey(key: Passkey): Promise<boolean> {
    return (await this.#engine.run([insertRows('passkey', key)]))[0] === 1
  }

  async notePasskeyUse({ id, counter, backedUp, usedAt }: Passkey): Promise<void> {
    const sql = 'update passkey set counter = $1, backed_up = $2, used_at = $3 where id = $4'
    await this.#engine.run([[sql, [counter, backedUp, usedAt ?? null, id]]])
  }

  async namePasskey(memberId: string, id: string, name: string): Promise<void> {
    const sql = 'update passkey set name = $1 where id = $2 and member_id = $3'
    await this.#engine.run([[sql, [name, id, memberId]]])
  }

  async removePasskey(memberId: string, id: string, keptSession: string): Promise<void> {
    const passkey = await this.findPasskey(id)
    if (passkey?.memberId !== memberId) return
    await this.#engine.run([
      ['delete from passkey where id = $1 and member_id = $2', [id, memberId]],
      ...endOtherSessions(memberId, keptSession),
    ])
  }

  async findSession(
    id: string,
    at: number,
  ): Promise<{ session: Session; member: Member } | undefined> {
    const sql = 'select * from session where id = $1 and ends_at > $2'
    const [session] = await this.#read<Session>(sql, [id, at])
    const member = session && (await this.findMember(session.memberId))
    return member && { session, member }
  }

  async countSessions(memberId: string, at: number): Promise<number> {
    const sql = 'select count(*) as n from session where member_id = $1 and ends_at > $2'
    return Number((await this.#engine.read(sql, [memberId, at]))[0]!['n'])
  }

  async saveSession(session: Session, replacedId = ''): Promise<void> {
    await this.#engine.run([
      [
        'update push_device set session_id = $1 where session_id = $2 and member_id = $3',
        [session.id, replacedId, session.memberId],
      ],
      // A device that is left is of another member, who must get no more notifications here.
      ['delete from push_device where session_id = $1', [replacedId]],
      ['delete from session where ends_at <= $1 or id = $2', [session.seenAt, replacedId]],
      insertRows('session', session),
    ])
  }

  async noteSeen({ id, seenAt, endsAt }: Pick<Session, 'id' | 'seenAt' | 'endsAt'>): Promise<void> {
    const sql = 'update session set seen_at = $1, ends_at = $2 where id = $3'
    await this.#engine.run([[sql, [seenAt, endsAt, id]]])
  }

  async endSession(id: string): Promise<void> {
    await this.#engine.run([
      ['delete from session where id = $1', [id]],
      ['delete from push_device where session_id = $1', [id]],
    ])
  }

  async endSessions(memberId: string, keptId = ''): Promise<void> {
    await this.#engine.run(endOtherSessions(memberId, keptId))
  }

  async listDevices(memberId = ''): Promise<PushDevice[]> {
    const sql = `select * from push_device where $1 in ('', member_id) order by made_at, id`
    return this.#read<PushDevice>(sql, [memberId])
  }

  /** A browser is one device, so its earlier row is replaced, even that of another member. */
  async saveDevice(device: PushDevice): Promise<void> {
    await this.#engine.run([
      ['delete from push_device where id = $1 or session_id = $2', [device.id, device.sessionId]],
      insertRows('push_device', device),
    ])
  }

  async removeDevice({ id, memberId }: Pick<PushDevice, 'id' | 'memberId'>): Promise<void> {
    const sql = 'delete from push_device where id = $1 and member_id = $2'
    await this.#engine.run([[sql, [id, memberId]]])
  }

  /** Returns false if there still is a ticket with the same hash. */
  async addTicket(ticket: Ticket, at: number): Promise<boolean> {
    const [, added] = await this.#engine.run([
      ['delete from ticket where ends_at <= $1', [at]],
      insertRows('ticket', { ...ticket, tries: 0 }),
    ])
    return added === 1
  }

  async findTicket(kind: Ticket['kind'], hash: string, at: number): Promise<Ticket | undefined> {
    const sql = `select hash, kind, member_id, ends_at, data from ticket
      where hash = $1 and kind = $2 and ends_at > $3`
    return (await this.#read<Ticket>(sql, [hash, kind, at]))[0]
  }

  async spendTicket(kind: Ticket['kind'], hash: string): Promise<boolean> {
    const sql = 'delete from ticket where hash = $1 and kind = $2'
    return (await this.#engine.run([[sql, [hash, kind]]]))[0] === 1
  }

  /** Counts the try before comparing the code, so that parallel requests share the five tries. */
  async useCode(hash: string, codeHash: string, at: number): Promise<string | undefined> {
    const [, spent] = await this.#engine.run([
      [`update ticket set tries = tries + 1 where hash = $1 and kind = 'code'`, [hash]],
      [
        `delete from ticket where hash = $1 and kind = 'code' and data = $2 and ends_at > $3
         and tries <= ${codeTries} returning member_id`,
        [hash, codeHash, at],
      ],
    ])
    const [row] = spent as Row[]
    return row && String(row['member_id'])
  }
}

function endOtherSessions(memberId: string, keptSession: string): Statement[] {
  const values = [memberId, keptSession]
  return [
    ['delete from session where member_id = $1 and id <> $2', values],
    ['delete from push_device where member_id = $1 and session_id <> $2', values],
  ]
}
