/** Counts the requests of thirteen weeks: by week, place and way, how long people waited, and how they ended. */
import { areaOf, type Business } from '../contract/business.ts'
import { plural } from '../words.ts'
import {
  lostReasons,
  openStates,
  type Door,
  type LostReason,
  type State,
} from '../contract/states.ts'
import { lastingEvents } from '../store/leads/events.ts'
import type { CountedLead } from '../store/leads/views.ts'
import type { Store } from '../store/store.ts'
import { days, hourMs, localTime, minuteMs, momentOf, toMinute } from '../time.ts'

/** `people` counts those who filled in the form or rang, `agents` requests that came any other way. */
export type Tally = { people: number; agents: number }

export type Figures = {
  all: Tally
  /** Each week begins on a Monday (`from`). The oldest week comes first. */
  weeks: (Tally & { from: number })[]
  places: (Tally & { name: string })[]
  doors: Map<Door, number>
  /** How many came as far as an open state, or ended in a closed one. */
  outcomeOf: (state: State) => number
  /** What all work that was won comes to, with a proposal or without; 0 if no sum was noted. */
  wonSum: number
  /** How many contacted people waited for it: those who rang did not. */
  waited: number
  proposals: Proposals
  /** How many requests were lost for each reason. */
  lostWhy: Map<LostReason, number>
  waiting: number
  /** Half of the contacted people waited at most this in opening hours, nine of ten at most `mostWithinMs`. */
  halfWithinMs: number
  mostWithinMs: number
  /** How long the business is open on a usual day: the mean of the days on which it opens. */
  openDayMs: number
}

/** What became of the requests that had a proposal. */
export type Proposals = {
  sent: number
  won: number
  lost: number
  open: number
  /** What the open ones and those that were won come to; 0 if no sum was noted. */
  openSum: number
  wonSum: number
}

export const otherPlaces: readonly string[] = ['elsewhere', 'place not said']

export async function readFigures(
  store: Pick<Store, 'views'>,
  business: Pick<Business, 'areas' | 'hours' | 'timeZone'>,
  now: number,
): Promise<Figures> {
  const { areas } = business
  const { weeks, openMs, openDayMs } = toCalendar(business, now)
  const leads = (await store.views.toCount(weeks[0]!)).map(toProgress)
  const waits = leads
    .filter(({ contactedAt, door }) => contactedAt !== undefined && door !== 'phone')
    .map(({ receivedAt, contactedAt }) => openMs(receivedAt, contactedAt!))
    .sort((one, other) => one - other)
  const within = (part: number) => waits[Math.ceil(part * waits.length) - 1] ?? 0
  const byWeek = Map.groupBy(leads, ({ receivedAt }) => weeks.findLast((at) => at <= receivedAt))
  const byPlace = Map.groupBy(leads, ({ postcode }) =>
    postcode === '' ? 'place not said' : (areaOf(postcode, areas) ?? 'elsewhere'),
  )
  const inPlace = (name: string) => ({ name, ...tally(byPlace.get(name)) })
  const byDoor = Map.groupBy(leads, ({ door }) => door)
  const count = (isCounted: (lead: Progress) => boolean) => leads.filter(isCounted).length
  const outcomeOf = (state: State) =>
    count((lead) => (openStates.includes(state) ? lead.reached.has(state) : lead.state === state))
  return {
    all: tally(leads),
    weeks: weeks.map((from) => ({ from, ...tally(byWeek.get(from)) })),
    places: [
      ...areas.map(({ name }) => inPlace(name)).sort((one, other) => sumOf(other) - sumOf(one)),
      ...otherPlaces.filter((name) => byPlace.has(name)).map(inPlace),
    ],
    doors: new Map([...byDoor].map(([door, own]) => [door, own.length])),
    outcomeOf,
    wonSum: totalOf(leads.filter(({ state }) => state === 'won')),
    waited: waits.length,
    proposals: toProposals(leads),
    lostWhy: toReasons(leads),
    waiting: count(({ state, contactedAt }) => state === 'new' && contactedAt === undefined),
    halfWithinMs: within(0.5),
    mostWithinMs: within(0.9),
    openDayMs,
  }
}

export function sumOf({ people, agents }: Tally): number {
  return people + agents
}

const weekCount = 13

function toCalendar({ hours, timeZone }: Pick<Business, 'hours' | 'timeZone'>, now: number) {
  const today = localTime(now, timeZone)
  const daysToFirstMonday = -days.indexOf(today.day) - 7 * (weekCount - 1)
  const momentIn = (day: number, minute: number) =>
    momentOf(today.date, (daysToFirstMonday + day) * 24 * 60 + minute, timeZone)
  const byDay = Array.from({ length: 7 * weekCount }, (_, day) =>
    hours
      .filter((each) => each.days.includes(days[day % 7]!))
      .map(({ opens, closes }) => ({
        opens: momentIn(day, toMinute(opens)),
        closes: momentIn(day, toMinute(closes)),
      })),
  )
  const openings = byDay.flat()
  return {
    openDayMs: sumMs(openings) / byDay.filter((some) => some.length > 0).length,
    weeks: Array.from({ length: weekCount }, (_, week) => momentIn(7 * week, 0)),
    openMs: (from: number, to: number) =>
      openings
        .map(({ opens, closes }) => Math.min(closes, to) - Math.max(opens, from))
        .reduce((sum, ms) => sum + Math.max(0, ms), 0),
  }
}

function sumMs(openings: readonly { opens: number; closes: number }[]): number {
  return openings.reduce((sum, { opens, closes }) => sum + closes - opens, 0)
}

/** "20 minutes", "about 3 hours", "about 6 working days": a wait in opening hours, as a builder says it. */
export function waitInWords(ms: number, openDayMs: number): string {
  const minutes = Math.max(1, Math.ceil(ms / minuteMs))
  if (minutes < 60) return plural(minutes, 'minute')
  if (ms < openDayMs / 2) return `about ${plural(Math.round(ms / hourMs), 'hour')}`
  const workingDays = Math.round(ms / openDayMs)
  return workingDays <= 1 ? 'about a working day' : `about ${workingDays} working days`
}

function toProposals(leads: readonly Progress[]): Proposals {
  const sent = leads.filter(({ reached }) => reached.has('proposal_sent'))
  const count = (...wanted: State[]) => sent.filter(({ state }) => wanted.includes(state)).length
  const out = sent.filter(({ state }) => openStates.includes(state))
  return {
    sent: sent.length,
    won: count('won'),
    wonSum: totalOf(sent.filter(({ state }) => state === 'won')),
    lost: count('lost'),
    open: out.length,
    openSum: totalOf(out),
  }
}

function totalOf(leads: readonly Progress[]): number {
  return leads.reduce((sum, { proposalSum }) => sum + (proposalSum ?? 0), 0)
}

/** The commonest reason first. */
function toReasons(leads: readonly Progress[]): Map<LostReason, number> {
  const lost = leads.filter(({ state }) => state === 'lost')
  const reasons = Object.keys(lostReasons) as LostReason[]
  const counts = reasons.map((reason): [LostReason, number] => [
    reason,
    lost.filter(({ lostWhy }) => lostWhy === reason).length,
  ])
  return new Map(counts.filter(([, n]) => n > 0).sort(([, one], [, other]) => other - one))
}

type Progress = CountedLead & {
  contactedAt: number | undefined
  /** The open states that it came into. */
  reached: ReadonlySet<State>
}

/** Who has rung may have left no more than a message: a member says when they have spoken. */
const inTouch: readonly State[] = ['contacted', 'consultation_booked', 'proposal_sent', 'won']

/** Moves that were undone do not count, because they were mistakes. */
function toProgress(lead: CountedLead): Progress {
  const made = lastingEvents(lead.moves)
  const contactedAt = made.find(({ to }) => to !== undefined && inTouch.includes(to))?.at
  const reached = new Set(made.flatMap(({ to }) => to ?? []))
  if (contactedAt !== undefined) reached.add('contacted')
  return { ...lead, contactedAt, reached }
}

function tally(leads: readonly CountedLead[] = []): Tally {
  const people = leads.filter(({ door }) => door === 'form' || door === 'phone').length
  return { people, agents: leads.length - people }
}
