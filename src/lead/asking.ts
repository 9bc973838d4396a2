/** Who asks for a change, from which page, and whether somebody else was there first. */
import type { EventKind, Next } from '../contract/states.ts'
import { isSameDate, nextOf } from '../contract/visit.ts'
import { dataOf, type LeadEvent } from '../store/leads/events.ts'
import type { Lead } from '../store/leads/rows.ts'

export type Asking = {
  /** `owner`, `sender`, `retention` or the id of a member. */
  by: string
  at: number
  /** The version that the page showed. With `undefined`, no change of the lead is noticed. */
  version?: number | undefined
}

/** `next` left out: the lead has no date afterwards. `place` or `shown` left out: they stay. */
export type VisitDate = {
  next?: Next | undefined
  place?: string | undefined
  shown?: boolean | undefined
}

/** These events overwrite nothing that a move replaces. `hasOldPlace` looks at corrections of the street. */
const harmless: readonly EventKind[] = [
  'lead.repeated',
  'lead.noted',
  'lead.note_changed',
  'lead.taken',
  'lead.corrected',
  'lead.explained',
  'lead.summed',
  'lead.joined',
]

export function isOvertaken(lead: Lead, events: readonly LeadEvent[], asking: Asking): boolean {
  const since = eventsSince(events, asking)
  return isPageAhead(lead, asking) || since.some(({ kind }) => !harmless.includes(kind))
}

/** A page fills in the place of a visit by the street, so a place that names another one may be the old one. */
export function hasOldPlace(
  lead: Lead,
  events: readonly LeadEvent[],
  asking: Asking,
  { place }: VisitDate,
): boolean {
  if (place === undefined || place === (lead.street ?? '')) return false
  return isStreetCorrected(events, asking)
}

/** Whether the street was corrected since the page was shown. */
export function isStreetCorrected(
  events: readonly LeadEvent[],
  asking: Pick<Asking, 'version'>,
): boolean {
  return eventsSince(events, asking).some((event) => dataOf(event).fields?.includes('street'))
}

/** Whether one of the kinds came since the page was opened. A correction is overtaken only by another one. */
export function hasSince(
  kinds: readonly EventKind[],
  lead: Lead,
  events: readonly LeadEvent[],
  asking: Asking,
): boolean {
  const since = eventsSince(events, asking)
  return isPageAhead(lead, asking) || since.some(({ kind }) => kinds.includes(kind))
}

/** After a restore, a page may show a newer version than the lead has, which counts as a change. */
function isPageAhead(lead: Lead, { version = lead.version }: Asking): boolean {
  return version > lead.version
}

export function eventsSince(
  events: readonly LeadEvent[],
  { version }: Pick<Asking, 'version'>,
): readonly LeadEvent[] {
  return version === undefined ? [] : events.slice(version)
}

/**
 * The first date replaces nothing; a date, or its place, replaces one that is there or was removed
 * since. Every date answers a customer who asked for another time, which the page must have shown,
 * also if an undo brought it back.
 */
export function replacesDate(lead: Lead, since: readonly LeadEvent[], date: VisitDate): boolean {
  const { next, place, shown } = date
  const isDated = lead.date !== undefined || since.some((event) => dataOf(event).was)
  if (!isDated) return false
  const isOther = !isSameDate(next, nextOf(lead))
  const isElsewhere = place !== undefined && place !== (lead.visitPlace ?? '')
  const isShownAnew = shown !== undefined && shown !== (lead.isVisitSeen ?? false)
  const asks = (event: LeadEvent) =>
    event.kind === 'lead.asked' || dataOf(event).undoes !== undefined
  const isAsked = lead.askedAt !== undefined && since.some(asks)
  return isOther || isElsewhere || isShownAnew || isAsked
}
