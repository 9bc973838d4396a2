/**
 * Applies a change of a lead that `src/lead/life.ts` decided, with the changes of the requests that it
 * is joined with, in one batch. Each applies only to the version that was read: the row of the lead is
 * changed first, so that a second writer waits for the first, and then changes nothing.
 */
import type { Recipients } from '../../contract/notices.ts'
import type { EventKind } from '../../contract/states.ts'
import { insertLeadNotice } from '../deliveries/rows.ts'
import {
  fromRow,
  insertRows,
  toAssignments,
  type Engine,
  type Statement,
  type Value,
} from '../engine/engine.ts'
import { blockStatements, type Blocking } from './blocked.ts'
import { detailColumns, keepDetails, type Details } from './details.ts'
import { eraseStatements, toErasedColumns } from './erasing.ts'
import type { EventData } from './events.ts'
import { freeContentKey } from './keep.ts'
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
  | 'proposalSum'
  | 'askedAt'
  | 'joinedTo'
>

export type ChangeNotice = {
  kind: 'lead.released' | 'lead.state_changed' | 'lead.withdrawn' | 'lead.visit' | 'lead.asked'
  dueAt: number
  about?: string
}

export type LeadChange = {
  event: { at: number; kind: EventKind; data: EventData & { by: string } }
  after: LeadPart
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
  /** The same content, sent again, makes a new lead. */
  freesContent?: boolean
  /** Everything that was sent or written about the lead is deleted. */
  erases?: boolean
}

export type ChangedLead = { lead: Lead; change: LeadChange }

/** The place of the visit, and whether it was shown, before the event `number` changed them. */
export type VisitBefore = Pick<Lead, 'visitPlace' | 'isVisitSeen'> & { number: number }

export class LeadChanges {
  readonly #engine: Engine
  readonly #recipients: Recipients

  constructor(engine: Engine, recipients: Recipients) {
    this.#engine = engine
    this.#recipients = recipients
  }

  /** Returns the changed leads; none if another writer changed one of them since it was read. */
  async apply(changed: readonly ChangedLead[]): Promise<Lead[]> {
    // In one order, so that two writers never wait for each other.
    const inOrder = changed.toSorted((one, other) => (one.lead.id < other.lead.id ? -1 : 1))
    const batch = await Promise.all(inOrder.map((each) => this.#toStatements(each)))
    const results = await this.#engine.run(batch.flat())
    return results.filter((result) => typeof result !== 'number').map(([row]) => toLead(row!))
  }

  async #toStatements({ lead, change }: ChangedLead): Promise<Statement[]> {
    const { id, version } = lead
    const { at, kind, data } = change.event
    const set = { version: version + 1, ...(await this.#toColumns(lead, change)) }
    const sql = `update lead set ${toAssignments(set, 3)} where id = $1 and version = $2 returning *`
    const undoes = data.undoes ?? null
    const event = { leadId: id, number: version, at, kind, data: JSON.stringify(data), undoes }
    return [
      [sql, [id, version, ...Object.values(set)], 'must'],
      insertRows('event', event),
      ...this.#toParts(lead, change),
    ]
  }

  async #toColumns(
    { version }: Lead,
    { after, erases, event, details }: LeadChange,
  ): Promise<Record<string, Value>> {
    const emptied = erases && {
      ...(await toErasedColumns(this.#engine)),
      erased_at: event.at,
      photos: 0,
      // Leaves nothing to fill.
      filled: version + 1,
    }
    return {
      ...emptied,
      state: after.state,
      state_changed_at: after.stateChangedAt,
      joined_to: after.joinedTo,
      next_at: after.date?.at ?? null,
      next_for: after.date?.what ?? null,
      visit_place: after.visitPlace ?? null,
      visit_shown: flagToColumn(after.isVisitSeen),
      taken_by: after.takenBy ?? null,
      lost_why: after.lostWhy ?? null,
      proposal_sum: after.proposalSum ?? null,
      asked_at: after.askedAt ?? null,
      ...(details && detailColumns(details)),
    }
  }

  #toParts(lead: Lead, change: LeadChange): Statement[] {
    const parts = change.erases ? eraseStatements(lead) : []
    for (const notice of change.notices) {
      const channels = this.#recipients[notice.kind]
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

function flagToColumn(flag: boolean | undefined): number | null {
  return flag === undefined ? null : Number(flag)
}

/** What a change writes to the tables that belong to the lead. */
function rowsBeside(lead: Lead, change: LeadChange): Statement[] {
  const { event, note, noteChange, details, blocks, visitBefore } = change
  const rows: Statement[] = []
  if (note !== undefined) rows.push(addNote(lead, event, note))
  if (noteChange) rows.push(noteStatement(lead, noteChange))
  if (details) rows.push(keepDetails(lead, event.data.undoes))
  if (blocks) rows.push(...blockStatements(lead, blocks, event.at))
  if (visitBefore === 'keep') rows.push(keepVisit(lead))
  if (visitBefore === 'forget') rows.push(forgetVisit(lead))
  return rows
}

function addNote(lead: Lead, { at, data }: LeadChange['event'], words: string): Statement {
  return insertRows('note', {
    leadId: lead.id,
    number: lead.version,
    at,
    memberId: data.by,
    words,
  })
}

function noteStatement(
  { id }: Lead,
  { number, words }: { number: number; words: string },
): Statement {
  const where = 'where lead_id = $1 and number = $2'
  if (words === '') return [`delete from note ${where}`, [id, number]]
  return [`update note set words = $3 ${where}`, [id, number, words]]
}

/** Only the last event can be undone, so a lead has one row. Its number is that of the new event. */
function keepVisit({ id, version, visitPlace, isVisitSeen }: Lead): Statement {
  return [
    `insert into visit_before (lead_id, number, place, shown) values ($1, $2, $3, $4)
     on conflict (lead_id) do update
     set number = excluded.number, place = excluded.place, shown = excluded.shown`,
    [id, version, visitPlace ?? null, flagToColumn(isVisitSeen)],
  ]
}

/** An undo cannot be undone, and what it took back may be the address of another customer. */
function forgetVisit({ id }: Lead): Statement {
  return ['delete from visit_before where lead_id = $1', [id]]
}
