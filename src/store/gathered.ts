/** Deliveries that one digest tells of in their place: which digest waits, and what is in it. */
import type { Leased } from './delivery-rows.ts'
import type { Engine } from './engine/engine.ts'
import { readLeads } from './rows.ts'
import type { Lead } from './rows.ts'

export type Gathered = {
  /** Letters of its channel that were delivered since then or are under way, this one included. Counts up to `most`. */
  countLetters(leased: Leased, time: { since: number; now: number }, most: number): Promise<number>
  /** The digest of a channel that is not delivered yet; first one that was never tried. */
  findDigest(channel: string): Promise<{ id: string; dueAt: number; tried: boolean } | undefined>
  /** What a digest tells of, newest first, and how many they are. */
  leadsIn(digestId: string, limit: number): Promise<{ leads: Lead[]; total: number }>
}

export function createGathered(engine: Engine): Gathered {
  return {
    async countLetters({ id, channel }, { since, now }, most) {
      // Of those under way, the ones before this: so exactly as many go out as may.
      const [row] = await engine.read(
        `select
           (select count(*) from (
             select 1 from delivery
             where channel = $1 and done_at > $2 and outcome = 'delivered' limit $3
           ) as sent)
           + (select count(*) from delivery
              where channel = $1 and done_at is null and due_at > $4 and leased = 1 and id <= $5)
           as n`,
        [channel, since, most, now, id],
      )
      return Number(row?.['n'])
    },

    async findDigest(channel) {
      const [row] = await engine.read(
        `select id, due_at, attempts from delivery
         where channel = $1 and kind = 'leads.gathered' and done_at is null
         order by attempts, id limit 1`,
        [channel],
      )
      return (
        row && {
          id: String(row['id']),
          dueAt: Number(row['due_at']),
          tried: Number(row['attempts']) > 0,
        }
      )
    },

    async leadsIn(digestId, limit) {
      const which = `from delivery where outcome = 'gathered' and about = $1`
      const [row] = await engine.read(`select count(distinct lead_id) as n ${which}`, [digestId])
      const rest = `where id in (select lead_id ${which}) order by id desc limit $2`
      const leads = await readLeads(engine, rest, [digestId, limit])
      return { leads, total: Number(row?.['n']) }
    },
  }
}
