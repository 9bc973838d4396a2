/** Leads of one state by their age, for what is done with old ones. */
import type { State } from '../contract/states.ts'
import type { Engine } from './engine/engine.ts'
import { toIdStart } from './id-time.ts'

export type AgedLead = { id: string; stateChangedAt: number }

export type Aged = {
  /** Those that came in before, the oldest first. `past` is the last id of the page before. */
  agedLeads(
    state: State,
    page: { past: string; before: number; limit: number },
  ): Promise<AgedLead[]>
}

export function createAged(engine: Pick<Engine, 'read'>): Aged {
  return {
    async agedLeads(state, { past, before, limit }) {
      const rows = await engine.read(
        `select id, state_changed_at from lead where state = $1 and id > $2 and id < $3
         order by id limit $4`,
        [state, past, toIdStart(before), limit],
      )
      return rows.map((row) => ({
        id: String(row['id']),
        stateChangedAt: Number(row['state_changed_at']),
      }))
    },
  }
}
