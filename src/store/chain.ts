/**
 * The events of a lead are a chain: each carries a hash over itself and the one before it, and the
 * lead carries the last one. Whoever changes, removes or adds a row leaves a break that `verify` finds.
 */
import { hash } from 'node:crypto'
import type { EventKind } from '../contract/states.ts'
import type { FieldValues } from '../contract/fields.ts'

export type LeadEvent = {
  leadId: string
  number: number
  at: number
  kind: EventKind
  /** JSON, without a person's details: an event outlives an erased lead. */
  data: string
  hash: string
}

/** Before the first event. */
export const chainStart = ''

export function linkEvent(event: Omit<LeadEvent, 'hash'>, before: string): LeadEvent {
  const { leadId, number, at, kind, data } = event
  return { ...event, hash: digest(`${before}\0${leadId}\0${number}\0${at}\0${kind}\0${data}`) }
}

/** The event that follows what has happened to a lead so far. */
export function nextEvent(
  lead: { id: string; eventCount: number; eventHead: string },
  what: Pick<LeadEvent, 'at' | 'kind' | 'data'>,
): LeadEvent {
  return linkEvent({ leadId: lead.id, number: lead.eventCount, ...what }, lead.eventHead)
}

/** The first event carries this of its lead, so that a changed lead is found too. */
export function fingerprintOf(values: FieldValues, unlisted: string): string {
  const { name, email, phone, postcode, message } = values
  // No value holds a NUL: the normalisation takes them out.
  return digest(`${email.toLowerCase()}\0${name}\0${message}\0${phone}\0${postcode}\0${unlisted}`)
}

export function digest(text: string): string {
  return hash('sha256', text, 'base64url')
}
