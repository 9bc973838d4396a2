/**
 * The events of a lead are a chain: each carries a hash over itself and the one before it, and the
 * lead carries the last one. The first event is the lead's own row; later ones are rows of their own.
 * A changed row, or an added or removed event, breaks the chain, and `verify` finds it.
 */
import { hash } from 'node:crypto'
import type { EventKind, State } from '../contract/states.ts'
import type { Door } from '../contract/doors.ts'
import { fieldKeys } from '../contract/fields.ts'
import type { FieldValues } from '../contract/fields.ts'

export type LeadEvent = {
  leadId: string
  number: number
  at: number
  kind: EventKind
  /** JSON without personal data: events stay when a lead is erased. */
  data: string
  hash: string
}

/** Before the first event. */
const chainStart = ''

/** The part of a lead's row that never changes: its first event. */
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

/** What the chain of a lead is checked against. */
export type ChainedLead = { state: State; eventCount: number; eventHead: string }

/** All events of a lead: its row, and `later` ones. */
export function toChain(
  lead: Received & { fingerprint: string; state: State },
  later: readonly LeadEvent[],
): LeadEvent[] {
  const cameInAs = later.map(moveOf).find(({ from }) => from !== undefined)?.from ?? lead.state
  return [firstEventOf(lead, lead.fingerprint, cameInAs), ...later]
}

type EventData = { from?: State; to?: State; by?: string; undoes?: number }

/** The states an event moved its lead between, if it did, and by whom. Unreadable data is found by its hash. */
export function moveOf({ data }: LeadEvent): EventData {
  try {
    return (JSON.parse(data) as EventData | null) ?? {}
  } catch {
    return {}
  }
}

export function linkEvent(event: Omit<LeadEvent, 'hash'>, before: string): LeadEvent {
  const { leadId, number, at, kind, data } = event
  return { ...event, hash: digest(`${before}\0${leadId}\0${number}\0${at}\0${kind}\0${data}`) }
}

/** The next event of a lead. */
export function nextEvent(
  lead: { id: string; eventCount: number; eventHead: string },
  what: Pick<LeadEvent, 'at' | 'kind' | 'data'>,
): LeadEvent {
  return linkEvent({ leadId: lead.id, number: lead.eventCount, ...what }, lead.eventHead)
}

/** The first event is made from the lead's row, so a changed row does not match the next event. */
export function findBreak(lead: ChainedLead, events: readonly LeadEvent[]): string | undefined {
  const [first, ...later] = events
  let head = first!.hash
  let state = first!.kind === 'lead.held' ? 'held' : 'new'
  for (const [index, event] of later.entries()) {
    const number = index + 1
    if (event.number !== number) return `event ${number} is missing`
    if (linkEvent(event, head).hash !== event.hash) {
      return `event ${number}, or what it follows, was changed`
    }
    head = event.hash
    state = moveOf(event).to ?? state
  }
  if (events.length !== lead.eventCount) {
    return `has ${events.length} events where ${lead.eventCount} were written`
  }
  if (head !== lead.eventHead) return 'how or when it came in, or its last event, was changed'
  if (lead.state !== state) return `is ${lead.state}, but its events made it ${state}`
  return undefined
}

/** Links events anew after their first one has changed. */
export function relink(events: readonly LeadEvent[]): LeadEvent[] {
  let before = chainStart
  return events.map((event) => {
    const linked = linkEvent(event, before)
    before = linked.hash
    return linked
  })
}

/**
 * A hash of all that was sent. The first event carries it, so that `verify` finds a changed field. It
 * names the fields and leaves out empty ones: a field that is added later changes no stored hash.
 */
export function fingerprintOf(values: FieldValues, unlisted: string): string {
  let text = unlisted
  for (const key of fieldKeys) {
    const value = values[key]
    // No value holds a NUL: the normalisation removes them.
    if (value !== '') text += `\0${key}\0${key === 'email' ? value.toLowerCase() : value}`
  }
  return digest(text)
}

export function isFingerprintOf(
  fingerprint: string,
  { values, unlisted }: { values: FieldValues; unlisted: string },
): boolean {
  return fingerprint === fingerprintOf(values, unlisted)
}

export function digest(text: string): string {
  return hash('sha256', text, 'base64url')
}
