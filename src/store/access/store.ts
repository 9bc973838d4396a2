/**
 * The database's part of access to the inbox: members, their passkeys, sessions and devices, and tickets.
 * No secret that lets anybody in is in it, only hashes.
 */
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
  /** 1: letters about requests go to this member, too. Left out for a new one, who gets them. */
  mailed?: number
}

export type Passkey = {
  id: string
  memberId: string
  /** The host that the passkey was made for. */
  rpId: string
  /** A COSE key, as base64url. */
  publicKey: string
  counter: number
  /** The key is copied to the member's other devices. */
  backedUp: boolean
  name: string
  madeAt: number
  usedAt: number | undefined
}

/** A browser in which a member is signed in. `provedAt`: when he last proved who he is. */
export type Session = {
  id: string
  secretHash: string
  memberId: string
  madeAt: number
  seenAt: number
  endsAt: number
  provedAt: number
}

/**
 * A browser of a member that shows notifications. The keys encrypt messages to it. It is removed when
 * its session is ended, but not when the session expires: the phone would fall silent.
 */
export type PushDevice = {
  id: string
  memberId: string
  sessionId: string
  endpoint: string
  /** Base64url, like `auth`. */
  p256dh: string
  auth: string
  name: string
  madeAt: number
}

/**
 * A ticket is good for one use: a printed link or a mailed code. An `answer` row records that a
 * passkey's answer was used. `hash`: hash of the secret that a browser must show.
 */
export type Ticket = {
  hash: string
  kind: 'link' | 'code' | 'answer'
  memberId: string | undefined
  endsAt: number
  data: string
}

const mostTries = 5

/** A member whose membership has ended is not found. */
export class AccessStore {
  readonly #engine: Engine

  constructor(engine: Engine) {
    this.#engine = engine
  }

  async #read<T>(sql: string, values: readonly Value[] = []): Promise<T[]> {
    return (await this.#engine.read(sql, values)).map(fromRow<T>)
  }

  async findMember(id: string): Promise<Member | undefined> {
    return (await this.listMembers()).find((member) => member.id === id)
  }

  async findMemberByEmail(email: string): Promise<Member | undefined> {
    return (await this.listMembers()).find((member) => member.email === email)
  }

  /** A business has a handful of members, so the methods above look through them all. */
  listMembers(): Promise<Member[]> {
    const sql = `select id, name, email, made_at, mailed from member where ended_at is null order by made_at, id`
    return this.#read(sql)
  }

  /** False: a member has this email already. */
  async addMember(member: Member): Promise<boolean> {
    return (await this.#engine.run([insertRows('member', member)]))[0] === 1
  }

  async setMailed(id: string, isMailed: boolean): Promise<void> {
    const sql = 'update member set mailed = $1 where id = $2'
    await this.#engine.run([[sql, [Number(isMailed), id]]])
  }

  /** False: there is a member already. */
  async addFirstMember(member: Member): Promise<boolean> {
    return (await this.listMembers()).length === 0 && this.addMember(member)
  }

  /** Ends a membership, with its sessions, devices, passkeys and tickets. False: there is no such member. */
  async endMember(id: string, at: number): Promise<boolean> {
    const [ended] = await this.#engine.run([
      ['update member set ended_at = $1 where id = $2 and ended_at is null', [at, id]],
      ...['session', 'push_device', 'passkey', 'ticket'].map((table): Statement => [
        `delete from ${table} where member_id = $1`,
        [id],
      ]),
    ])
    return ended === 1
  }

  async findPasskey(id: string): Promise<Passkey | undefined> {
    const sql = 'select * from passkey where id = $1'
    return (await this.#engine.read(sql, [id])).map(toPasskey)[0]
  }

  async listPasskeys(memberId: string): Promise<Passkey[]> {
    const sql = 'select * from passkey where member_id = $1 order by made_at, id'
    return (await this.#engine.read(sql, [memberId])).map(toPasskey)
  }

  /** False: a passkey with this id exists already. */
  async addPasskey(key: Passkey): Promise<boolean> {
    return (await this.#engine.run([insertRows('passkey', key)]))[0] === 1
  }

  async notePasskeyUse({ id, counter, backedUp, usedAt }: PasskeyUse): Promise<void> {
    const sql = 'update passkey set counter = $1, backed_up = $2, used_at = $3 where id = $4'
    await this.#engine.run([[sql, [counter, Number(backedUp), usedAt, id]]])
  }

  async namePasskey(memberId: string, id: string, name: string): Promise<void> {
    const sql = 'update passkey set name = $1 where id = $2 and member_id = $3'
    await this.#engine.run([[sql, [name, id, memberId]]])
  }

  /** Ends the member's sessions too, except `keptSession`. */
  async removePasskey(memberId: string, id: string, keptSession: string): Promise<void> {
    const isOwn = 'exists (select 1 from passkey where passkey.id = $3 and passkey.member_id = $1)'
    await this.#engine.run([
      ...endOthers(memberId, keptSession).map(([sql, values]): Statement => [
        `${sql} and ${isOwn}`,
        [...values, id],
      ]),
      ['delete from passkey where id = $1 and member_id = $2', [id, memberId]],
    ])
  }

  /** The session with its member; `undefined` if the session or the membership has ended. */
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

  /** Begins a session, which replaces the session `replacedId` and takes over its device. */
  async saveSession(session: Session, replacedId = ''): Promise<void> {
    await this.#engine.run([
      [
        'update push_device set session_id = $1 where session_id = $2 and member_id = $3',
        [session.id, replacedId, session.memberId],
      ],
      // Another member has signed in in this browser.
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

  /** Ends all sessions of a member except `keptId`. */
  async endSessions(memberId: string, keptId = ''): Promise<void> {
    await this.#engine.run(endOthers(memberId, keptId))
  }

  /** The devices of one member, or of all. */
  async listDevices(memberId = ''): Promise<PushDevice[]> {
    const sql = `select * from push_device where $1 in ('', member_id) order by made_at, id`
    return this.#read<PushDevice>(sql, [memberId])
  }

  /** Replaces the device with the same id: a browser has one, whoever is signed in. */
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

  /** False: a ticket with the same hash exists already. */
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

  /** False: the ticket is spent already. */
  async spendTicket(kind: Ticket['kind'], hash: string): Promise<boolean> {
    const sql = 'delete from ticket where hash = $1 and kind = $2'
    return (await this.#engine.run([[sql, [hash, kind]]]))[0] === 1
  }

  /**
   * Spends a code and returns its member's id. A try is counted before the code is compared, so that
   * parallel requests have no more than five tries either.
   */
  async useCode(hash: string, codeHash: string, at: number): Promise<string | undefined> {
    const [, spent] = await this.#engine.run([
      [`update ticket set tries = tries + 1 where hash = $1 and kind = 'code'`, [hash]],
      [
        `delete from ticket where hash = $1 and kind = 'code' and data = $2 and ends_at > $3
         and tries <= ${mostTries} returning member_id`,
        [hash, codeHash, at],
      ],
    ])
    const [row] = spent as Row[]
    return row && String(row['member_id'])
  }
}

/** Ends the sessions of a member except one, with their devices. */
function endOthers(memberId: string, keptSession: string): Statement[] {
  const values = [memberId, keptSession]
  return [
    ['delete from session where member_id = $1 and id <> $2', values],
    ['delete from push_device where member_id = $1 and session_id <> $2', values],
  ]
}

export type PasskeyUse = { id: string; counter: number; backedUp: boolean; usedAt: number }

function toPasskey(row: Row): Passkey {
  return { ...fromRow<Passkey>(row), backedUp: row['backed_up'] === 1 }
}
