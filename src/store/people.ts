/** The leads of one person: those that share a keyed hash of the email or the phone number. */
import type { Engine } from './engine/engine.ts'

export type People = {
  /** Ids of the leads under a key, newest first. `before` is the last id of the page before. */
  leadIdsOf(key: string, page: { before?: string; limit: number }): Promise<string[]>
}

export function createPeople(engine: Engine): People {
  return {
    async leadIdsOf(key, { before = '~', limit }) {
      const rows = await engine.read(
        `select lead_id from person_key where key = $1 and lead_id < $2
         order by lead_id desc limit $3`,
        [key, before, limit],
      )
      return rows.map((row) => String(row['lead_id']))
    },
  }
}
