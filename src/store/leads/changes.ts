import { setTimeout as sleep } from 'node:timers/promises'
import { isMoveTold, type Telling } from '../../contract/notices.ts'
import { shownVisit } from '../../contract/receipt.ts'
import { eventOfMove, type Next, type State } from '../../contract/states.ts'
import { minuteMs } from '../../time.ts'
import { aboutVisit } from '../deliveries/about.ts'
import { insertLeadNotice } from '../deliveries/rows.ts'
import {
  fromRow,
  StorageUnavailable,
  type Engine,
  type Statement,
  type Value,
} from '../engine/engine.ts'
import { changeLead, ifUnchanged, type Moved } from './events.ts'
import { freeContentKey } from './keep.ts'
import { noteColumns, notesOf, type Note } from './notes.ts'
import { nextOf, type Lead } from './rows.ts'
import { searchTextOf } from './search-text.ts'

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

export function createChanges(engine: Engine, onMoved: () => void) {
  return {
    async moveLead(lead: Lead, move: Move): Promise<Moved> {
      const { to, at, tell } = move
      const after = await applyTo(lead, move)
      const kind = eventOfMove(lead.state, to)
      const channels = isMoveTold(lead.state, to) ? (tell?.[kind] ?? []) : []
      const moved = await changeLead(engine, lead, {
        event: { at, kind, data: dataOf(lead, move) },
        set: { state: to, state_changed_at: at, ...toDate(after) },
        also: [
          ...channels.map((channel) => insertLeadNotice(lead, { kind, channel, dueAt: at })),
          ...(to === 'withdrawn' ? [freeContentKey(lead)] : []),
          ...tellVisit(lead, after, move),
          ...(await changePlace(lead, after, move)),
        ],
      })
      if (moved.kind === 'moved') onMoved()
      return moved
    },

    async planLead(lead: Lead, plan: Plan): Promise<Moved> {
      const change = { ...plan, to: lead.state }
      const kind = plan.tried ? 'lead.tried' : 'lead.planned'
      const after = await applyTo(lead, change)
      return changeLead(engine, lead, {
        event: { at: plan.at, kind, data: dataOf(lead, change) },
        set: toDate(after),
        also: [...tellVisit(lead, after, plan), ...(await changePlace(lead, after, plan))],
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
          noteColumns.insertIf(ifUnchanged(lead), { leadId, number, at, memberId, words }),
          await indexWith(lead, [words, lead.visitPlace ?? '']),
        ],
      })
    },

    notesOf: (leads: readonly Pick<Lead, 'id'>[]) => notesOf(engine, leads),
  }

  /** Returns the lead as it is after the move. An undo restores what the undone event changed. */
  async function applyTo(lead: Lead, { to, next, place, shown, undoes }: Move): Promise<Lead> {
    const dated = { ...lead, state: to, nextAt: next?.at, nextFor: next?.what }
    const before = undoes === undefined ? undefined : await findVisitBefore(lead, undoes)
    if (before !== undefined) return { ...dated, ...before }
    return {
      ...dated,
      visitPlace: place ?? lead.visitPlace,
      visitShown: shown === undefined ? lead.visitShown : Number(shown),
    }
  }

  /** Returns `undefined` if the event changed neither the place nor whether it is shown. */
  async function findVisitBefore({ id }: Lead, number: number): Promise<PlaceOfVisit | undefined> {
    const sql = `select place as visit_place, shown as visit_shown from visit_before
      where lead_id = $1 and number = $2`
    const [row] = await engine.read(sql, [id, number])
    return row && fromRow<PlaceOfVisit>(row)
  }

  async function changePlace(
    lead: Lead,
    after: Lead,
    { undoes }: Pick<Move, 'undoes'>,
  ): Promise<Statement[]> {
    const isSamePlace = after.visitPlace === lead.visitPlace
    if (isSamePlace && after.visitShown === lead.visitShown) return []
    return [
      undoes === undefined ? keepBefore(lead) : forgetBefore(lead),
      ...(isSamePlace ? [] : [await indexWith(lead, [after.visitPlace ?? ''])]),
    ]
  }

  /** Makes the lead found by its own words, its notes and these texts. */
  async function indexWith(lead: Lead, texts: readonly string[]): Promise<Statement> {
    const notes = (await notesOf(engine, [lead])).map(({ words }) => words)
    const [isUnchanged, which] = ifUnchanged(lead)
    return [
      `insert into search_doc (lead_id, words) select $1, $3 where ${isUnchanged}
       on conflict (lead_id) do update set words = excluded.words`,
      [...which, searchTextOf(lead, [...notes, ...texts])],
    ]
  }
}

function dataOf(lead: Lead, { to, by, undoes, next }: Move): string {
  return JSON.stringify({ from: lead.state, to, by, undoes, next, was: nextOf(lead) })
}

function toDate({ nextAt, nextFor, visitPlace, visitShown }: Lead): Record<string, Value> {
  return {
    next_at: nextAt ?? null,
    next_for: nextFor ?? null,
    visit_place: visitPlace ?? null,
    visit_shown: visitShown ?? null,
  }
}

type PlaceOfVisit = Pick<Lead, 'visitPlace' | 'visitShown'>

/** Only the last event can be undone, so a lead has one row. Its number is that of the new event. */
function keepBefore(lead: Lead): Statement {
  const [isUnchanged, which] = ifUnchanged(lead)
  return [
    `insert into visit_before (lead_id, number, place, shown)
     select $1, cast($2 as bigint), $3, cast($4 as bigint) where ${isUnchanged}
     on conflict (lead_id) do update
     set number = excluded.number, place = excluded.place, shown = excluded.shown`,
    [...which, lead.visitPlace ?? null, lead.visitShown ?? null],
  ]
}

/** An undo cannot be undone, and what it took back may be the address of another customer. */
function forgetBefore(lead: Lead): Statement {
  const [isUnchanged, which] = ifUnchanged(lead)
  return [`delete from visit_before where ${isUnchanged} and lead_id = $1`, which]
}

/** A letter about a visit waits, so that nobody is mailed about a mistake that the owner soon undoes. */
export const visitLetterWaitMs = 2 * minuteMs

/** Adds a letter if the visit that the sender may see changes. */
function tellVisit(lead: Lead, after: Lead, { at, tell }: Pick<Move, 'at' | 'tell'>): Statement[] {
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
