/** The leads of one person: those that share a keyed hash of the email or the phone number. */
import { type Engine, type Statement } from './engine/engine.ts'
import { type Lead, type NewLead, readLeads } from './rows.ts'
import { isKept } from './search.ts'

export type People = {
  /** None: the lead has neither email nor phone number, or is erased. */
  personKeysOf(leadId: string): Promise<string[]>
  /** Leads under one of these keys, newest first. `before` is the last id of the page before. */
  leadsOfPerson(
    keys: readonly string[],
    page: { before?: string | undefined; limit: number },
  ): Promise<Lead[]>
}

export function createPeople(engine: Engine): People {
  return {
    async personKeysOf(leadId) {
      const sql = 'select key from person_key where lead_id = $1 order by key'
      return (await engine.read(sql, [leadId])).map((row) => String(row['key']))
    },

    async leadsOfPerson(keys, { before = '~', limit }) {
      if (keys.length === 0) return []
      // The newest of each key: somebody may have sent very many.
      const newest = keys.map(
        (_, index) => `select lead_id from (select lead_id from person_key
          where key = $${index + 3} and lead_id < $1 order by lead_id desc limit $2) as part${index}`,
      )
      const rest = `where id in (${newest.join(' union ')}) order by id desc limit $2`
      return readLeads(engine, rest, [before, limit, ...keys])
    },
  }
}

/** For the batch that keeps the lead. */
export function insertPersonKeys({ id, personKeys }: NewLead): Statement[] {
  return personKeys.map((key) => [
    `insert into person_key (lead_id, key) select $1, $2 where ${isKept} on conflict do nothing`,
    [id, key],
  ])
}
