/** The passkeys of the members. */
import type { Engine, Row } from '../engine/engine.ts'

export type Passkey = {
  id: string
  memberId: string
  /** The host it was made for. */
  rpId: string
  /** A COSE key, as base64url. */
  publicKey: string
  counter: number
  /** It is copied to the member's other devices. */
  backedUp: boolean
  name: string
  madeAt: number
  usedAt: number | undefined
}

export type Passkeys = {
  findPasskey(id: string): Promise<Passkey | undefined>
  listPasskeys(memberId: string): Promise<Passkey[]>
  /** The hosts that passkeys were made for. */
  passkeyHosts(): Promise<string[]>
  /** False: there is one with this id. */
  addPasskey(passkey: Passkey): Promise<boolean>
  notePasskeyUse(use: { id: string; counter: number; backedUp: boolean; at: number }): Promise<void>
  namePasskey(memberId: string, id: string, name: string): Promise<boolean>
  /** Ends the member's sessions too, but the one that is kept. */
  removePasskey(memberId: string, id: string, keptSession: string): Promise<boolean>
}

const columns = 'id, member_id, rp_id, public_key, counter, backed_up, name, made_at, used_at'

export function createPasskeys(engine: Engine): Passkeys {
  return {
    async findPasskey(id) {
      const sql = `select ${columns} from passkey where id = $1`
      return (await engine.read(sql, [id])).map(toPasskey)[0]
    },

    async listPasskeys(memberId) {
      const sql = `select ${columns} from passkey where member_id = $1 order by made_at, id`
      return (await engine.read(sql, [memberId])).map(toPasskey)
    },

    async passkeyHosts() {
      const rows = await engine.read('select distinct rp_id from passkey order by rp_id')
      return rows.map((row) => String(row['rp_id']))
    },

    async addPasskey(key) {
      const { id, memberId, rpId, publicKey, counter, backedUp, name, madeAt } = key
      const values = [id, memberId, rpId, publicKey, counter, Number(backedUp), name, madeAt]
      const sql = `insert into passkey (${columns})
        values ($1, $2, $3, $4, $5, $6, $7, $8, null) on conflict do nothing`
      return Number((await engine.run([[sql, values]]))[0]) === 1
    },

    async notePasskeyUse({ id, counter, backedUp, at }) {
      const sql = 'update passkey set counter = $1, backed_up = $2, used_at = $3 where id = $4'
      await engine.run([[sql, [counter, Number(backedUp), at, id]]])
    },

    async namePasskey(memberId, id, name) {
      const sql = 'update passkey set name = $1 where id = $2 and member_id = $3'
      return Number((await engine.run([[sql, [name, id, memberId]]]))[0]) === 1
    },

    async removePasskey(memberId, id, keptSession) {
      const [, removed] = await engine.run([
        [
          `delete from session where member_id = $1 and id <> $2
           and exists (select 1 from passkey where passkey.id = $3 and passkey.member_id = $1)`,
          [memberId, keptSession, id],
        ],
        ['delete from passkey where id = $1 and member_id = $2', [id, memberId]],
      ])
      return Number(removed) === 1
    },
  }
}

function toPasskey(row: Row): Passkey {
  return {
    id: String(row['id']),
    memberId: String(row['member_id']),
    rpId: String(row['rp_id']),
    publicKey: String(row['public_key']),
    counter: Number(row['counter']),
    backedUp: Number(row['backed_up']) === 1,
    name: String(row['name']),
    madeAt: Number(row['made_at']),
    usedAt: row['used_at'] === null ? undefined : Number(row['used_at']),
  }
}
