/** What a database file holds, read without the service: rows, damage, and what does not fit together. */
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { fingerprintOf } from '../../src/store/leads/keep.ts'
import type { LeadEvent } from '../../src/store/leads/events.ts'
import { toLead, type Lead } from '../../src/store/leads/rows.ts'
import { fromRow, type Row } from '../../src/store/engine/engine.ts'
import { patienceMs } from './until.ts'
import type { TestDatabase } from './engines.ts'

export type Stored = {
  leads: Lead[]
  /** `ok`, or what SQLite finds wrong. */
  integrity: string
  /** Events without a lead, leads without all their events, and altered leads. */
  breaks: string[]
}

export function readStored(path: string): Stored {
  const db = new DatabaseSync(path, { timeout: patienceMs })
  try {
    const all = (sql: string) => db.prepare(sql).all() as Row[]
    const leads = all(`select * from lead order by id`).map(toLead)
    const events = all('select * from event order by lead_id, number').map(toEvent)
    const findings = all('pragma integrity_check').map((row) => String(row['integrity_check']))
    return { leads, integrity: findings.join('; '), breaks: findBreaks(leads, events) }
  } finally {
    db.close()
  }
}

/** The same of any database. PostgreSQL looks after its own pages. */
export async function readStoredIn({ execute }: Pick<TestDatabase, 'execute'>): Promise<Stored> {
  const leads = ((await execute(`select * from lead order by id`)) as Row[]).map(toLead)
  const rows = (await execute('select * from event order by lead_id, number')) as Row[]
  return { leads, integrity: 'ok', breaks: findBreaks(leads, rows.map(toEvent)) }
}

export type Comparison = {
  acknowledged: number
  lost: number
  twice: number
  otherReference: number
  storedNotAcknowledged: number
}

/** Every lead of these loads has an email of its own, so it is found by that. */
export function compare(
  acknowledged: ReadonlyMap<string, string>,
  leads: readonly Lead[],
): Comparison {
  const byEmail = Map.groupBy(leads, (lead) => lead.values.email)
  const taken = new Set(leads.map(({ reference }) => reference))
  const outcome = { lost: 0, twice: 0, otherReference: 0 }
  for (const [email, reference] of acknowledged) {
    const found = byEmail.get(email) ?? []
    if (found.length === 0) outcome.lost += 1
    if (found.length > 1) outcome.twice += 1
    const isOther = reference !== '' && found.some((lead) => lead.reference !== reference)
    // Told while PostgreSQL was away, and taken by another lead of that minute.
    if (isOther && !taken.has(reference)) outcome.otherReference += 1
  }
  const storedNotAcknowledged = leads.filter((lead) => !acknowledged.has(lead.values.email)).length
  return { acknowledged: acknowledged.size, ...outcome, storedNotAcknowledged }
}

/** The promise: what was acknowledged is there, once, under the reference that was told, unless another lead has it. */
export function assertKept(
  acknowledged: ReadonlyMap<string, string>,
  { leads, integrity, breaks }: Stored,
): Comparison {
  const comparison = compare(acknowledged, leads)
  assert.equal(integrity, 'ok')
  assert.deepEqual(breaks, [])
  const { lost, twice, otherReference } = comparison
  assert.deepEqual({ lost, twice, otherReference }, { lost: 0, twice: 0, otherReference: 0 })
  return comparison
}

function findBreaks(leads: Lead[], events: LeadEvent[]): string[] {
  const byLead = Map.groupBy(events, (event) => event.leadId)
  const breaks = leads.flatMap((lead) => {
    const found = findBreak(lead, byLead.get(lead.id) ?? [])
    byLead.delete(lead.id)
    return found === undefined ? [] : [`${lead.id}: ${found}`]
  })
  return [...breaks, ...[...byLead.keys()].map((id) => `${id}: events without a lead`)]
}

function findBreak(lead: Lead, events: LeadEvent[]): string | undefined {
  const gap = events.findIndex(({ number }, index) => number !== index)
  if (gap !== -1) return `event ${gap} is missing`
  if (events.length !== lead.version) return 'has not as many events as its version says'
  if (lead.state === 'erased') return undefined
  if (events.some(({ kind }) => kind === 'lead.corrected')) return undefined
  const isAsReceived = lead.fingerprint === fingerprintOf(lead)
  return isAsReceived ? undefined : 'not the lead as received'
}

/** A client of the test reads PostgreSQL's bigint as text. */
function toEvent(row: Row): LeadEvent {
  return { ...fromRow<LeadEvent>(row), number: Number(row['number']) }
}
