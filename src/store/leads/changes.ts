import { setTimeout as sleep } from 'node:timers/promises'
import { isMoveTold, type Telling } from '../../contract/notices.ts'
import { shownVisit } from '../../contract/receipt.ts'
import { eventOfMove, type Next, type State } from '../../contract/states.ts'
import { minuteMs } from '../../time.ts'
import { aboutVisit } from '../deliveries/about.ts'
import { insertLeadNotice } from '../deliveries/rows.ts'
import {
  fromRow,
  insertIf,
  StorageUnavailable,
  toParameters,
  type Engine,
  type Statement,
  type Value,
} from '../engine/engine.ts'
import { changeLead, ifUnchanged, type Moved } from './events.ts'
import { freeContentKey } from './keep.ts'
import { nextOf, type Lead } from './rows.ts'
import { wordsOf } from './search-words.ts'

export type Move = {
  to: State
  /** Who moved the lead: `owner`, `sender`, `retention` or the id of a member. */
  by: string
  at: number
  /** The number of the event that this move undoes. */
  undoes?: number
  /** If left out, the lead has no date after the move. */
  next?: Next | undefined
  /** If left out, `place` and `shown` do not change. */
  place?: string | undefined
  shown?: boolean | undefined
  tell?: Telling | undefined
}

export type PlannedDate = Pick<Move, 'next' | 'place' | 'shown'>

export type Plan = Pick<Move, 'by' | 'at' | 'undoes' | 'tell' | keyof PlannedDate> & {
  /** True if the owner rang and nobody answered. */
  tried?: boolean
}

export type Note = {
  leadId: string
  number: number
  at: number
  memberId: string
  words: string
}

export function createChanges(engine: Engine, onMoved: () => void) {
  return {
    async moveLead(lead: Lead, move: Move): Promise<Moved> {
      const { to, at, tell } = move
      const kind = eventOfMove(lead.state, to)
      const channels = isMoveTold(lead.state, to) ? (tell?.[kind] ?? []) : []
      const moved = await changeLead(engine, lead, {
        event: { at, kind, data: dataOf(lead, move) },
        set: { state: to, state_changed_at: at, ...toDate(move) },
        also: [
          ...channels.map((channel) => insertLeadNotice(lead, { kind, channel, dueAt: at })),
          ...(to === 'withdrawn' ? [freeContentKey(lead)] : []),
          ...tellVisit(lead, move),
          ...(await indexPlace(lead, move)),
        ],
      })
      if (moved.kind === 'moved') onMoved()
      return moved
    },

    async planLead(lead: Lead, plan: Plan): Promise<Moved> {
      const change = { ...plan, to: lead.state }
      const kind = plan.tried ? 'lead.tried' : 'lead.planned'
      return changeLead(engine, lead, {
        event: { at: plan.at, kind, data: dataOf(lead, change) },
        set: toDate(plan),
        also: [...tellVisit(lead, change), ...(await indexPlace(lead, plan))],
      })
    },

    setTakenBy(
      lead: Lead,
      { by, at, takenBy }: Pick<Move, 'by' | 'at'> & { takenBy: string | undefined },
    ): Promise<Moved> {
      return changeLead(engine, lead, {
        event: { at, kind: 'lead.taken', data: JSON.stringify({ by, takenBy }) },
        set: { taken_by: takenBy ?? null },
      })
    },

    async addNote(lead: Lead, note: Pick<Note, 'at' | 'memberId' | 'words'>): Promise<Moved> {
      const { id: leadId, version: number } = lead
      const { at, memberId, words } = note
      return changeLead(engine, lead, {
        event: { at, kind: 'lead.noted', data: JSON.stringify({ by: memberId }) },
        also: [
          insertIf(ifUnchanged(lead), 'note', { leadId, number, at, memberId, words }),
          await indexWith(lead, [words, lead.visitPlace ?? '']),
        ],
      })
    },

    notesOf,
  }

  async function indexPlace(lead: Lead, { place }: PlannedDate): Promise<Statement[]> {
    return place === undefined ? [] : [await indexWith(lead, [place])]
  }

  /** Makes the lead found by its own words, its notes and these texts. */
  async function indexWith(lead: Lead, texts: readonly string[]): Promise<Statement> {
    const notes = (await notesOf([lead])).map(({ words }) => words)
    const [isUnchanged, which] = ifUnchanged(lead)
    return [
      `update search_doc set words = $3 where lead_id = $1 and ${isUnchanged}`,
      [...which, wordsOf(lead, [...notes, ...texts]).join(' ')],
    ]
  }

  async function notesOf(leads: readonly Pick<Lead, 'id'>[]): Promise<Note[]> {
    const sql = `select * from note where lead_id in (${toParameters(leads.length)})
      order by lead_id, number`
    const ids = leads.map(({ id }) => id)
    return (await engine.read(sql, ids)).map(fromRow<Note>)
  }
}

function dataOf(lead: Lead, { to, by, undoes, next }: Move): string {
  return JSON.stringify({ from: lead.state, to, by, undoes, next, was: nextOf(lead) })
}

function toDate({ next, place, shown }: PlannedDate): Record<string, Value> {
  return {
    next_at: next?.at ?? null,
    next_for: next?.what ?? null,
    ...(place !== undefined && { visit_place: place }),
    ...(shown !== undefined && { visit_shown: Number(shown) }),
  }
}

/** A letter about a visit waits, so that nobody is mailed about a mistake that the owner soon undoes. */
export const visitLetterWaitMs = 2 * minuteMs

/** Adds a letter if the visit that the sender may see changes. */
function tellVisit(lead: Lead, change: Omit<Move, 'by'>): Statement[] {
  const { to, at, next, place = lead.visitPlace, shown, tell } = change
  const visitShown = shown === undefined ? lead.visitShown : Number(shown)
  const date = { nextAt: next?.at, nextFor: next?.what, visitPlace: place, visitShown }
  const after = { ...lead, ...date, state: to }
  const about = aboutVisit.write(after)
  if (about === aboutVisit.write(lead)) return []
  if ((shownVisit(after) ?? shownVisit(lead))! <= at) return []
  const notice = { kind: 'lead.visit', dueAt: at + visitLetterWaitMs, about } as const
  return (tell?.['lead.visit'] ?? []).map((channel) =>
    insertLeadNotice(lead, { ...notice, channel }),
  )
}

/** Other writers never overtake a change this often by chance. */
const maxTries = 50
const longestWaitMs = 200

/** Waits for a random, growing time, because writers that retry at once would overtake each other again. */
export async function untilMoved<T>(look: () => Promise<T | 'overtaken'>): Promise<T> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const outcome = await look()
    if (outcome !== 'overtaken') return outcome
    await sleep(Math.random() * Math.min(2 ** tries, longestWaitMs))
  }
  throw new StorageUnavailable('contended')
}
