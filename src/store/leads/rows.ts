/** A lead as a row of the database. */
import { fieldKeys, type FieldKey, type FieldValues } from '../../contract/fields.ts'
import type { ChannelName } from '../../contract/notices.ts'
import type { Door, LostReason, Next, State } from '../../contract/states.ts'
import { toDate, type LeadDate } from '../../contract/visit.ts'
import {
  Columns,
  fromRow,
  type Condition,
  type Engine,
  type Row,
  type Statement,
  type Value,
} from '../engine/engine.ts'

export type Lead = {
  id: string
  reference: string
  receivedAt: number
  values: FieldValues
  /** JSON of the fields that the contract does not list. */
  unlisted: string
  botcheck: string
  door: Door
  agent: string
  client: string
  userAgent: string
  fingerprint: string
  judgement: { score: number; reasons: readonly string[] }
  state: State
  stateChangedAt: number
  /** Grows by one with each event, and is the number of the next event. */
  version: number
  erasedAt: number | undefined
  /** The id of the request that this one is joined with, if its state is `joined`, else ''. */
  joinedTo: string
  date: LeadDate | undefined
  /** Where the visit is or, without one, the last one was; and whether the customer sees or saw it. */
  visitPlace: string | undefined
  isVisitSeen: boolean | undefined
  takenBy: string | undefined
  lostWhy: LostReason | undefined
  /** What the proposal comes to, for members only. */
  proposalSum: number | undefined
  /** When the customer asked for another time; `undefined` once the owner has answered. */
  askedAt: number | undefined
  /** The owner adds these two. */
  secondPhone: string | undefined
  street: string | undefined
  /** Keyed hashes of the email and the phone number; '' without one. */
  emailKey: string
  phoneKey: string
  /** How many photos it has. */
  photos: number
}

export type NewLead = Pick<Lead, 'id' | 'reference' | 'receivedAt' | 'values' | 'unlisted'> &
  Pick<Lead, 'botcheck' | 'door' | 'agent' | 'client' | 'userAgent' | 'judgement'> & {
    state: 'new' | 'held'
    /** When the lead was stored, if it waited in a journal. */
    keptAt?: number
    /** The member who added the lead after a call. */
    addedBy?: string
    dedup: Dedup
    /** Hashes of the email, which begin with e, and of the phone numbers, which begin with p. */
    personKeys: readonly string[]
    deliverTo: readonly ChannelName[]
  }

/** What makes a lead a repeat. A nonce counts only together with the same content. */
export type Dedup =
  | { by: 'key' | 'nonce'; value: string }
  | { by: 'content' }
  /** The lead is never a repeat, so it is always kept. */
  | { by: 'none' }

/** `filled` is not the lead's: see fill.ts. */
const notOwn = new Set<string>([...fieldKeys, 'filled'])

type OwnColumns = {
  score: number
  reasons: string
  addedPhone: string | undefined
  addedStreet: string | undefined
  nextAt: number | undefined
  nextFor: Next['what'] | undefined
  visitShown: number | undefined
}

export function toLead(row: Row): Lead {
  const own = Object.fromEntries(Object.entries(row).filter(([column]) => !notOwn.has(column)))
  const { score, reasons, addedPhone, addedStreet, ...rest } = fromRow<Lead & OwnColumns>(own)
  const { nextAt, nextFor = 'ring', visitShown, ...lead } = rest
  const next = nextAt === undefined ? undefined : { at: nextAt, what: nextFor }
  const isVisitSeen = toFlag(visitShown)
  return {
    ...lead,
    date: toDate(next, { visitPlace: lead.visitPlace, isVisitSeen }),
    isVisitSeen,
    secondPhone: addedPhone,
    street: addedStreet,
    values: Object.fromEntries(fieldKeys.map((field) => [field, row[field]])) as FieldValues,
    judgement: { score, reasons: reasons.split(' ').filter(Boolean) },
  }
}

/** A request may have no message, such as that of somebody who rang. */
export function messagesIn(leads: readonly Lead[] = []): string[] {
  return leads.map(({ values }) => values.message).filter(Boolean)
}

/** The databases have no booleans in common. */
export function toFlag(column: number | undefined): boolean | undefined {
  return column === undefined ? undefined : column === 1
}

/** Ids are UUIDs of version 7 (RFC 9562, 5.7), which sort by time. */
export function toIdStart(timeMs: number): string {
  const hex = timeMs.toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}`
}

/** Returns the time in milliseconds that `toIdStart` wrote into an id. */
export function timeOfId(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
}

export async function readLeads(
  engine: Pick<Engine, 'read'>,
  rest: string,
  values: readonly Value[],
): Promise<Lead[]> {
  return (await engine.read(`select * from lead ${rest}`, values)).map(toLead)
}

export type FingerprintedLead = NewLead & { fingerprint: string }

const leadColumns = new Columns('lead', {
  id: 'text',
  reference: 'text',
  receivedAt: 'integer',
  ...(Object.fromEntries(fieldKeys.map((key) => [key, 'text'])) as Record<FieldKey, 'text'>),
  unlisted: 'text',
  botcheck: 'text',
  door: 'text',
  agent: 'text',
  client: 'text',
  userAgent: 'text',
  fingerprint: 'text',
  score: 'integer',
  reasons: 'text',
  state: 'text',
  stateChangedAt: 'integer',
  version: 'integer',
  emailKey: 'text',
  phoneKey: 'text',
})

export function insertLead(only: Condition, lead: FingerprintedLead): Statement {
  const { values, judgement, receivedAt } = lead
  return leadColumns.insertIf(only, {
    ...lead,
    ...values,
    score: judgement.score,
    reasons: judgement.reasons.join(' '),
    stateChangedAt: receivedAt,
    version: 1,
    emailKey: keyOf(lead, 'e'),
    phoneKey: keyOf(lead, 'p'),
  })
}

function keyOf({ personKeys }: NewLead, kind: 'e' | 'p'): string {
  return personKeys.find((key) => key.startsWith(kind)) ?? ''
}
