/** Leads with all that their chain is checked by. Reads no other columns: that halves the time. */
import type { Door } from '../contract/doors.ts'
import { fieldKeys } from '../contract/fields.ts'
import type { FieldValues } from '../contract/fields.ts'
import type { State } from '../contract/states.ts'
import type { LeadEvent } from './chain.ts'
import type { Engine, Row } from './engine/engine.ts'
import { readNotes } from './notes.ts'
import type { Note } from './notes.ts'
import { ofLeadsInARow, readLaterEvents, toReasons } from './rows.ts'
import type { Lead } from './rows.ts'

type ChainedRow = Pick<
  Lead,
  | 'id'
  | 'receivedAt'
  | 'door'
  | 'values'
  | 'unlisted'
  | 'fingerprint'
  | 'state'
  | 'eventCount'
  | 'eventHead'
> & { judgement: Pick<Lead['judgement'], 'reasons'> }

/** `later`: the events after the first, which is the lead's own row. */
export type Chain = { lead: ChainedRow; later: readonly LeadEvent[]; notes: readonly Note[] }

export type Chains = {
  /** Newest first. `before` is the last id of the page before. */
  listChains(page: { before?: string | undefined; limit: number }): Promise<Chain[]>
  /** `undefined`: there is no such lead. */
  findChain(leadId: string): Promise<Chain | undefined>
  /** Ids of leads that have events but no row. */
  strayEvents(limit: number): Promise<string[]>
}

export function createChains(engine: Pick<Engine, 'read'>): Chains {
  return {
    async listChains({ before = '~', limit }) {
      const rest = 'where id < $1 order by id desc limit $2'
      return withRest(await engine.read(`${select} ${rest}`, [before, limit]))
    },

    async findChain(leadId) {
      return (await withRest(await engine.read(`${select} where id = $1`, [leadId])))[0]
    },

    async strayEvents(limit) {
      const rows = await engine.read(
        `select distinct lead_id from event
         where not exists (select 1 from lead where lead.id = event.lead_id) limit $1`,
        [limit],
      )
      return rows.map((row) => String(row['lead_id']))
    },
  }

  async function withRest(rows: readonly Row[]): Promise<Chain[]> {
    const leads = rows.map(toChainedRow)
    if (leads.length === 0) return []
    const theirs = ofLeadsInARow(leads)
    const later = await readLaterEvents(engine, theirs)
    const notes = Map.groupBy(await readNotes(engine, theirs), ({ leadId }) => leadId)
    return leads.map((lead) => ({
      lead,
      later: later.get(lead.id) ?? none,
      notes: notes.get(lead.id) ?? none,
    }))
  }
}

const none = [] as const

const select = `select id, received_at, unlisted, door, fingerprint, reasons, state, event_count,
  event_head, ${fieldKeys.join(', ')} from lead`

function toChainedRow(row: Row): ChainedRow {
  return {
    id: String(row['id']),
    receivedAt: Number(row['received_at']),
    door: row['door'] as Door,
    // Each field has a column of its name.
    values: row as FieldValues,
    unlisted: String(row['unlisted']),
    fingerprint: String(row['fingerprint']),
    judgement: { reasons: toReasons(String(row['reasons'])) },
    state: row['state'] as State,
    eventCount: Number(row['event_count']),
    eventHead: String(row['event_head']),
  }
}
