/** Moves of leads and notes on them, each with its event. */
import { setTimeout as sleep } from 'node:timers/promises'
import { isMoveTold, type Telling } from '../../contract/notices.ts'
import { eventOfMove, type State } from '../../contract/states.ts'
import { insertLeadNotice } from '../deliveries/rows.ts'
import { fromRow, StorageUnavailable, type Engine } from '../engine/engine.ts'
import { changeLead, isUnchanged, type Moved } from './events.ts'
import { freeContentKey } from './keep.ts'
import { ofLeads, type Lead } from './rows.ts'
import { wordsOf } from './search-words.ts'

export type Move = {
  to: State
  /** `owner`, `sender`, `retention` or the id of a member. */
  by: string
  at: number
  /** The number of the event that is undone. */
  undoes?: number
  /** The channels that get a notice of the move, in the same batch. Left out: none. */
  tell?: Telling | undefined
}

export type Note = {
  leadId: string
  /** Number of the note's event. */
  number: number
  at: number
  memberId: string
  words: string
}

export type Changes = ReturnType<typeof createChanges>

/** `onMoved`: called after each move, for its deliveries are due. */
export function createChanges(engine: Engine, onMoved: () => void) {
  return {
    async moveLead(lead: Lead, { to, by, at, undoes, tell }: Move): Promise<Moved> {
      const kind = eventOfMove(lead.state, to)
      const channels = isMoveTold(lead.state, to) ? (tell?.[kind] ?? []) : []
      const moved = await changeLead(engine, lead, {
        event: { at, kind, data: JSON.stringify({ from: lead.state, to, by, undoes }) },
        set: { state: to, state_changed_at: at },
        also: [
          ...channels.map((channel) => insertLeadNotice(lead, { kind, channel, dueAt: at })),
          ...(to === 'withdrawn' ? [freeContentKey(lead)] : []),
        ],
      })
      if (moved.kind === 'moved') onMoved()
      return moved
    },

    async addNote(lead: Lead, note: Pick<Note, 'at' | 'memberId' | 'words'>): Promise<Moved> {
      const { id, version } = lead
      const { at, memberId, words } = note
      const earlier = (await notesOf([lead])).map((each) => each.words)
      return changeLead(engine, lead, {
        event: { at, kind: 'lead.noted', data: JSON.stringify({ by: memberId }) },
        also: [
          [
            `insert into note (lead_id, number, at, member_id, words)
             select $1, cast($2 as bigint), cast($3 as bigint), $4, $5 where ${isUnchanged}`,
            [id, version, at, memberId, words],
          ],
          [
            `update search_doc set words = $3 where lead_id = $1 and ${isUnchanged}`,
            [id, version, wordsOf(lead, [...earlier, words]).join(' ')],
          ],
        ],
      })
    },

    notesOf,
  }

  /** The notes of these leads, oldest first for each lead. */
  async function notesOf(leads: readonly Pick<Lead, 'id'>[]): Promise<Note[]> {
    if (leads.length === 0) return []
    const [where, ids] = ofLeads(leads)
    const sql = `select lead_id, number, at, member_id, words from note
      where ${where} order by lead_id, number`
    return (await engine.read(sql, ids)).map(fromRow<Note>)
  }
}

/** More tries than a lead needs by chance: something is wrong then. */
const maxTries = 50
const longestWaitMs = 200

/**
 * Repeats `look`, which reads and writes, while another writer was first. Each waits for a random time,
 * longer after each try, because writers that retry at once would overtake each other again.
 */
export async function untilMoved<T>(look: () => Promise<T | 'overtaken'>): Promise<T> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const outcome = await look()
    if (outcome !== 'overtaken') return outcome
    await sleep(Math.random() * Math.min(2 ** tries, longestWaitMs))
  }
  throw new StorageUnavailable('contended')
}
