/** Visits for a calendar, those of one person, and why another visit may be a mistake. */
import { joinableStates, type Next } from '../contract/states.ts'
import { isCalledOff, isVisitAhead, lastMet, visitMs, visitOf } from '../contract/visit.ts'
import { readEvents } from '../store/leads/events.ts'
import type { Lead } from '../store/leads/rows.ts'
import type { Store } from '../store/store.ts'
import { localTime } from '../time.ts'
import type { LocalNow } from './plan.ts'
import type { WholeLead } from './whole-lead.ts'

/** The requests that have a visit ahead, the soonest first. */
export function visitsAhead<Each extends Lead>(others: readonly Each[], now: number): Each[] {
  const ahead = others.filter((other) => isVisitAhead(other, now))
  return ahead.sort((one, other) => one.date!.at - other.date!.at)
}

/** `at` and `place` are those of the last visit that took place, if the request has none now. */
export type PlacedVisit = { lead: Lead; at: number; place: string }

/** The visit that the request has now, unless the customer called it off. */
export function placedVisit(lead: Lead): PlacedVisit | undefined {
  const visit = isCalledOff(lead) ? undefined : visitOf(lead)
  return visit && { lead, at: visit.at, place: visit.place }
}

/** The visits of open requests, and those that took place, also of closed ones, from then on. */
export async function readVisits(
  store: Pick<Store, 'views' | 'leads'>,
  { from, now, limit }: { from: number; now: number; limit: number },
): Promise<PlacedVisit[]> {
  const booked = await store.views.toVisit(from, limit)
  const others = (await store.views.maybeVisited(from, limit)).filter((lead) => !visitOf(lead))
  const events = await store.leads.eventsOf(others)
  const met = others.map((lead, index): PlacedVisit | undefined => {
    const last = lastMet(lead, readEvents(events[index]!), now)
    return last && { lead, at: last.at, place: lead.visitPlace ?? '' }
  })
  return [...booked.map(placedVisit), ...met]
    .filter((visit) => visit !== undefined && visit.at >= from)
    .slice(0, limit) as PlacedVisit[]
}

export type Doubt = {
  next: Next
  /** The person's other request that has a visit ahead, and whether this one can be joined with it. */
  other: { lead: Lead; canJoin: boolean } | undefined
  isPast: boolean
  /** Whether the hour looks like a slip, such as 3 am for 3 pm. */
  isNight: boolean
  /** The request of somebody else who is visited in the same hour. */
  clash: Lead | undefined
}

/** Returns `undefined` if there is no reason to ask. */
export async function findDoubt(
  store: Pick<Store, 'views'>,
  whole: WholeLead,
  next: Next,
  { now, timeZone }: LocalNow,
): Promise<Doubt | undefined> {
  if (next.what !== 'visit' || whole.lead.date?.at === next.at) return undefined
  // If this request has a visit already, the member has chosen to keep both.
  const { lead, others } = whole
  const [visited] = isVisitAhead(lead, now) ? [] : visitsAhead(others, now)
  const other = visited && { lead: visited, canJoin: joinableStates.includes(lead.state) }
  const isPast = next.at < now
  const clash = isPast ? undefined : await findClash(store, next, [lead.id, visited?.id])
  const isNight = !isVisitable(next.at, timeZone)
  const isDoubtful = isPast || isNight || other !== undefined || clash !== undefined
  return isDoubtful ? { next, other, isPast, isNight, clash } : undefined
}

/** Visits begin between 6 am and 8 pm. */
function isVisitable(at: number, timeZone: string): boolean {
  const { minute } = localTime(at, timeZone)
  return minute >= 6 * 60 && minute < 20 * 60
}

/** `own`: the requests of the person, whose visits do not clash with this one. */
async function findClash(
  store: Pick<Store, 'views'>,
  { at }: Next,
  own: readonly (string | undefined)[],
): Promise<Lead | undefined> {
  const near = await store.views.toVisit(at - visitMs + 1, own.length + 1)
  return near.find(({ id, date }) => !own.includes(id) && date!.at < at + visitMs)
}
