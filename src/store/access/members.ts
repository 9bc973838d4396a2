/** The people who may open the inbox. */
import type { Engine, Row, Statement } from '../engine/engine.ts'

export type Member = { id: string; name: string; email: string; madeAt: number }

export type Members = {
  /** None of these finds a member who has left. */
  findMember(id: string): Promise<Member | undefined>
  findMemberByEmail(email: string): Promise<Member | undefined>
  listMembers(): Promise<Member[]>
  /** False: somebody has this email already. */
  addMember(member: Member): Promise<boolean>
  /** False: there is a member already. */
  addFirstMember(member: Member): Promise<boolean>
  /**
   * With sessions, passkeys and tickets. `by`: the member who does it; the operator is none. False:
   * there is no such member, or the other one was ended meanwhile.
   */
  endMember(id: string, at: number, by?: string): Promise<boolean>
}

const columns = 'id, name, email, made_at'
const insert = `insert into member (${columns})`

export function createMembers(engine: Engine): Members {
  const find = async (where: string, value: string) => {
    const sql = `select ${columns} from member where ${where} = $1 and ended_at is null`
    return (await engine.read(sql, [value])).map(toMember)[0]
  }
  return {
    findMember: (id) => find('id', id),
    findMemberByEmail: (email) => find('email', email),

    async listMembers() {
      const sql = `select ${columns} from member where ended_at is null order by made_at, id`
      return (await engine.read(sql)).map(toMember)
    },

    async addMember({ id, name, email, madeAt }) {
      const sql = `${insert} values ($1, $2, $3, $4) on conflict do nothing`
      const [added] = await engine.run([[sql, [id, name, email, madeAt]]])
      return Number(added) === 1
    },

    async addFirstMember({ id, name, email, madeAt }) {
      const [, added] = await engine.run([
        lock,
        [
          `${insert} select cast($1 as text), cast($2 as text), cast($3 as text), cast($4 as bigint)
           where not exists (select 1 from member where ended_at is null)`,
          [id, name, email, madeAt],
        ],
      ])
      return Number(added) === 1
    },

    async endMember(id, at, by) {
      const end = 'update member set ended_at = $1 where id = $2 and ended_at is null'
      const hasEnded = 'not exists (select 1 from member where id = $1 and ended_at is null)'
      const [, ended] = await engine.run([
        lock,
        by === undefined
          ? [end, [at, id]]
          : [
              `${end} and exists (select 1 from member as other where other.id = $3 and other.ended_at is null)`,
              [at, id, by],
            ],
        [`delete from session where member_id = $1 and ${hasEnded}`, [id]],
        [`delete from passkey where member_id = $1 and ${hasEnded}`, [id]],
        [`delete from ticket where member_id = $1 and ${hasEnded}`, [id]],
      ])
      return Number(ended) === 1
    },
  }
}

/**
 * Two who make the first member, or end each other, at the same time: the second one waits here, then
 * sees what the first did.
 */
const lock: Statement = [
  `insert into attempt (id, count, ends_at) values ('first-member', 1, 0)
   on conflict (id) do update set count = 1`,
  [],
]

export function toMember(row: Row): Member {
  return {
    id: String(row['id']),
    name: String(row['name']),
    email: String(row['email']),
    madeAt: Number(row['made_at']),
  }
}
