/**
 * The events of a lead are a chain: each carries a hash over itself and the one before it, and the
 * lead carries the last one. The first, that it came in, is the lead's own row; only those that
 * follow are rows of their own. Whoever changes a row, or adds or removes an event, leaves a break
 * that `verify` finds.
 */
import { hash } from 'node:crypto'
import type { EventKind, State } from '../contract/states.ts'
import type { Door } from '../contract/doors.ts'
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
const chainStart = ''

/** What never changes in the row of a lead, and makes its first event. */
export type Received = {
  id: string
  receivedAt: number
  door: Door
  judgement: { reasons: readonly string[] }
}

export function firstEventOf(lead: Received, fingerprint: string, state: State): LeadEvent {
  const { id, receivedAt, door, judgement } = lead
  return linkEvent(
    {
      leadId: id,
      number: 0,
      at: receivedAt,
      kind: state === 'held' ? 'lead.held' : 'lead.received',
      data: `{"fingerprint":"${fingerprint}","door":"${door}","reasons":${JSON.stringify(judgement.reasons)}}`,
    },
    chainStart,
  )
}

/** All events of a lead, where `later` are those that were written after its row. */
export function toChain(
  lead: Received & { fingerprint: string; state: State },
  later: readonly LeadEvent[],
): LeadEvent[] {
  const cameInAs = later.map(moveOf).find(({ from }) => from !== undefined)?.from ?? lead.state
  return [firstEventOf(lead, lead.fingerprint, cameInAs), ...later]
}

type Move = { from?: State; to?: State }

/** From which state to which an event moved its lead, if it did. One that was made unreadable is told by its hash. */
export function moveOf({ data }: LeadEvent): Move {
  try {
    return (JSON.parse(data) as Move | null) ?? {}
  } catch {
    return {}
  }
}

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

/** The first event carries this of its lead, so that changed words are found too. */
export function fingerprintOf(values: FieldValues, unlisted: string): string {
  const { name, email, phone, postcode, message } = values
  // No value holds a NUL: the normalisation takes them out.
  return digest(`${email.toLowerCase()}\0${name}\0${message}\0${phone}\0${postcode}\0${unlisted}`)
}

export function digest(text: string): string {
  return hash('sha256', text, 'base64url')
}
