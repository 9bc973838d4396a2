/** Leads as the road hands them to the store, numbered. */
import { fieldKeys, fields, type FieldValues } from '../../src/contract/fields.ts'
import type { NewLead } from '../../src/store/leads/rows.ts'
import { findNamed } from '../../src/lead/act.ts'
import type { LeadEvent } from '../../src/store/leads/events.ts'
import type { Store } from '../../src/store/store.ts'
import type { NewDelivery } from '../../src/store/deliveries/rows.ts'

export const nowMs = Date.UTC(2026, 10, 15)

export function newLead(index: number, parts: Partial<NewLead> = {}): NewLead {
  const tail = String(index).padStart(12, '0')
  return {
    id: `01900000-0000-7000-8000-${tail}`,
    reference: referenceAt(index),
    receivedAt: nowMs + index,
    values: valuesOf({ name: `Person ${index}`, email: `p${index}@example.com` }),
    unlisted: '',
    botcheck: '',
    door: 'json',
    agent: '',
    client: 'client',
    userAgent: '',
    judgement: { score: 0, reasons: [] },
    state: 'new',
    dedup: { by: 'content' },
    personKeys: [],
    deliverTo: [],
    ...parts,
  }
}

/** The fields that a test is not about are empty. */
export function valuesOf(given: Partial<FieldValues>): FieldValues {
  const empty = Object.fromEntries(fieldKeys.map((key) => [key, ''])) as FieldValues
  return { ...empty, ...given }
}

export function referenceAt(index: number): string {
  return `C-00000-${Math.abs(index)
    .toString()
    .padStart(5, index < 0 ? 'Z' : '0')}`
}

export async function countLeads(store: Store): Promise<number> {
  const counts = await store.views.countStates(1_000)
  return Object.values(counts).reduce((sum, count) => sum + count, 0)
}

/** A body with every field of the contract. */
export const everyField = Object.fromEntries(
  fields.map(({ name, example }) => [name, example]),
) as Record<(typeof fields)[number]['name'], string>

export const robin = {
  ...everyField,
  name_1: 'Robin Example',
  email_1: 'robin@example.com',
  phone_1: '0491 570 006',
  text_1: '2480',
  textarea_1: 'A hardwood deck of about 4 by 6 metres, one step up from the lawn.',
}

/** Gives only what is asked for. */
export const sam = { name_1: 'Sam', email_1: 'sam@example.com' }

/** Her agent writes for her, with details of its own. */
export const mai = {
  name_1: 'Mai Example',
  email_1: 'mai@example.com',
  textarea_1: 'A pergola over the back door, please. I am home on Fridays.',
  preferred_days: ['Friday'],
  agent: { name: 'helper', version: '2.1' },
}

/** Fills in what no person sees. */
export const bot = {
  name_1: 'SEO Team',
  email_1: 'seo@example.com',
  textarea_1: 'Rank your site higher.',
  botcheck: 'http://spam.example.com',
}

/** The events of one lead, by its id or reference. */
export async function eventsOf(store: Store, idOrReference: string): Promise<LeadEvent[]> {
  const lead = await findNamed(store, idOrReference)
  const [events] = await store.leads.eventsOf([lead!])
  return events!
}

export async function addDeliveries(store: Store, adds: readonly NewDelivery[]): Promise<void> {
  await store.marks.claim(`test ${adds[0]!.id}`, 0, { adds })
}
