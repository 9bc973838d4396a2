/**
 * Applies a change of a lead that `src/lead/life.ts` decided. It applies only to the version of the
 * lead that was read: its batch inserts the event first, whose primary key makes a second writer wait
 * for the first, and then change nothing.
 */
import { noRecipients, type Recipients } from '../../contract/notices.ts'
import type { EventKind } from '../../contract/states.ts'
import { isVisitAhead } from '../../contract/visit.ts'
import { insertLeadNotice } from '../deliveries/rows.ts'
import {
  fromRow,
  toAssignments,
  type Engine,
  type Row,
  type Statement,
  type Value,
} from '../engine/engine.ts'
import { blockStatements, type Blocking } from './blocked.ts'
import { detailColumns, keepDetails, type Details } from './details.ts'
import { eraseStatements, toErasedColumns } from './erasing.ts'
import { eventColumns, ifUnchanged, type EventData } from './events.ts'
import { freeContentKey } from './keep.ts'
import { noteColumns } from './notes.ts'
import { toFlag, toLead, type Lead } from './rows.ts'

/** What a change can set. */
export type LeadPart = Pick<
  Lead,
  | 'state'
  | 'stateChangedAt'
  | 'date'
  | 'visitPlace'
  | 'isVisitSeen'
  | 'takenBy'
  | 'lostWhy'
  | 'askedAt'
>

export type ChangeNotice = {
  kind: 'lead.released' | 'lead.state_changed' | 'lead.withdrawn' | 'lead.visit' | 'lead.asked'
  dueAt: number
  about?: string
}

export type LeadChange = {
  event: { at: number; kind: EventKind; data: EventData & { by: string } }
  after: LeadPart
  /** Which channels get a notice is told by `sendNoticesTo`. */
  notices: readonly ChangeNotice[]
  /** The words of a note, which belongs to the event. */
  note?: string
  /** The words of the note with this number; '' removes the note. */
  noteChange?: { number: number; words: string }
  /** The details that replace those of the lead. */
  details?: Details
  /** Whether the email and the phone number of the lead are blocked from now on, or no longer. */
  blocks?: Blocking | undefined
  /** `keep`: the place of the visit, and whether it is shown, are kept for an undo. */
  visitBefore?: 'keep' | 'forget'
  /** The person's other request, from which the visit comes, or to which it goes. */
  visitOfOther?: string | undefined
  /** The same content, sent again, makes a new lead. */
  freesContent?: boolean
  /** Everything that was sent or written about the lead is deleted. */
  erases?: boolean
}

/** The place of the visit, and whether it was shown, before the event `number` changed them. */
export type VisitBefore = Pick<Lead, 'visitPlace' | 'isVisitSeen'> & { number: number }

export class LeadChanges {
  readonly #engine: Engine
  #recipients: Recipients = noRecipients

  constructor(engine: Engine) {
    this.#engine = engine
  }

  /** The channels that get each notice, given once at the start. */
  sendNoticesTo(recipients: Recipients): void {
    this.#recipients = recipients
  }

  /** Returns the changed lead; `undefined` if another writer changed it since it was read. */
  async apply(lead: Lead, change: LeadChange): Promise<Lead | undefined> {
    const { id, version } = lead
    const { at, kind, data } = change.event
    const set = { version: version + 1, ...(await this.#toColumns(change)) }
    const event = { leadId: id, number: version, at, kind, data: JSON.stringify(data) }
    const results = await this.#engine.run([
      eventColumns.insertIf(ifUnchanged(lead), event),
      ...this.#toParts(lead, change),
      // Comes last, because the statements before it apply only to the version that was read.
      [
        `update lead set ${toAssignments(set, 3)} where id = $1 and version = $2 returning *`,
        [id, version, ...Object.values(set)],
      ],
    ])
    const [row] = results.at(-1) as Row[]
    return row && toLead(row)
  }

  async #toColumns({ after, erases, event, details }: LeadChange): Promise<Record<string, Value>> {
    return {
      ...(erases && { ...(await toErasedColumns(this.#engine)), erased_at: event.at, photos: 0 }),
      state: after.state,
      state_changed_at: after.stateChangedAt,
      next_at: after.date?.at ?? null,
      next_for: after.date?.what ?? null,
      visit_place: after.visitPlace ?? null,
      visit_shown: toColumn(after.isVisitSeen),
      taken_by: after.takenBy ?? null,
      lost_why: after.lostWhy ?? null,
      asked_at: after.askedAt ?? null,
      ...(details && detailColumns(details)),
    }
  }

  /** Each statement has the condition `ifUnchanged`. */
  #toParts(lead: Lead, change: LeadChange): Statement[] {
    const parts = change.erases ? eraseStatements(lead) : []
    for (const notice of change.notices) {
      const channels = this.#recipients[notice.kind] ?? []
      parts.push(...channels.map((channel) => insertLeadNotice(lead, { ...notice, channel })))
    }
    parts.push(...rowsBeside(lead, change))
    if (change.freesContent) parts.push(freeContentKey(lead))
    return parts
  }

  async visitBefore({ id }: Pick<Lead, 'id'>): Promise<VisitBefore | undefined> {
    const sql = 'select number, place, shown from visit_before where lead_id = $1'
    const [row] = await this.#engine.read(sql, [id])
    if (row === undefined) return undefined
    const { number, place, shown } = fromRow<{ number: number; place?: string; shown?: number }>(
      row,
    )
    return { number, visitPlace: place, isVisitSeen: toFlag(shown) }
  }
}

function toColumn(flag: boolean | undefined): number | null {
  return flag === undefined ? null : Number(flag)
}

/** What a change writes to the tables that belong to the lead. */
function rowsBeside(lead: Lead, change: LeadChange): Statement[] {
  const { event, note, noteChange, details, blocks, visitBefore, visitOfOther } = change
  const rows: Statement[] = []
  if (note !== undefined) rows.push(addNote(lead, event, note))
  if (noteChange) rows.push(changeNote(lead, noteChange))
  if (details) rows.push(keepDetails(lead, event.data.undoes))
  if (blocks) rows.push(...blockStatements(lead, blocks, event.at))
  if (visitBefore === 'keep') rows.push(keepVisit(lead))
  if (visitBefore === 'forget') rows.push(forgetVisit(lead))
  if (visitOfOther !== undefined) rows.push(...takeVisitEmailAlong(lead, change, visitOfOther))
  return rows
}

function addNote(lead: Lead, { at, data }: LeadChange['event'], words: string): Statement {
  const note = { leadId: lead.id, number: lead.version, at, memberId: data.by, words }
  return noteColumns.insertIf(ifUnchanged(lead), note)
}

function changeNote(lead: Lead, { number, words }: { number: number; words: string }): Statement {
  const [isUnchanged, which] = ifUnchanged(lead)
  const where = `where ${isUnchanged} and lead_id = $1 and number = $3`
  if (words === '') return [`delete from note ${where}`, [...which, number]]
  return [`update note set words = $4 ${where}`, [...which, number, words]]
}

/** Only the last event can be undone, so a lead has one row. Its number is that of the new event. */
function keepVisit(lead: Lead): Statement {
  const [isUnchanged, which] = ifUnchanged(lead)
  return [
    `insert into visit_before (lead_id, number, place, shown)
     select $1, cast($2 as bigint), $3, cast($4 as bigint) where ${isUnchanged}
     on conflict (lead_id) do update
     set number = excluded.number, place = excluded.place, shown = excluded.shown`,
    [...which, lead.visitPlace ?? null, toColumn(lead.isVisitSeen)],
  ]
}

/** An undo cannot be undone, and what it took back may be the address of another customer. */
function forgetVisit(lead: Lead): Statement {
  const [isUnchanged, which] = ifUnchanged(lead)
  return [`delete from visit_before where ${isUnchanged} and lead_id = $1`, which]
}

/**
 * A visit that moves between two requests of a person takes along what the last email said of it. Two
 * changes move it; the second one, which finds that only one of the requests has a visit, does this.
 */
function takeVisitEmailAlong(
  lead: Lead,
  { after, event }: LeadChange,
  otherId: string,
): Statement[] {
  const isGained = isVisitAhead(after, event.at)
  const [from, to] = isGained ? [otherId, lead.id] : [lead.id, otherId]
  const [isUnchanged, which] = ifUnchanged(lead)
  const hasVisit = `exists (select 1 from lead as other where other.id = $3
    and other.state = 'consultation_booked' and other.next_for = 'visit' and other.next_at > $4)`
  const isMoved = `${isUnchanged} and ${isGained ? 'not' : ''} ${hasVisit}`
  const values = [...which, otherId, event.at, to]
  return [
    [`delete from visit_email where ${isMoved} and lead_id = $5 and is_off = 1`, values],
    [
      `update visit_email set lead_id = $5 where ${isMoved} and lead_id = $6 and is_off = 0
       and email_key = (select email_key from lead as owner where owner.id = $5)
       and not exists (select 1 from visit_email as own
         where own.lead_id = $5 and own.email_key = visit_email.email_key)`,
      [...values, from],
    ],
  ]
}
