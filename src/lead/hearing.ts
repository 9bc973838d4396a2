/** Who hears of a lead and of its changes, when, and when a notice that waited is no longer worth sending. */
import { readerOf, type ChannelName } from '../contract/notices.ts'
import { eventOfMove, type State } from '../contract/states.ts'
import {
  hasHiddenVisit,
  hearsOfVisits,
  isSameVisit,
  seenVisit,
  visitOf,
} from '../contract/visit.ts'
import { aboutJoined, aboutVisit } from '../store/deliveries/about.ts'
import type { ChangeNotice } from '../store/leads/changes.ts'
import type { Lead, NewLead } from '../store/leads/rows.ts'
import { minuteMs } from '../time.ts'

/**
 * How a lead begins: a held one is announced to nobody. `added`: the members know of it, because one of
 * them added it, so only the customer, if that was wished, and programs hear of it.
 */
export function begin(
  { state, score, reasons }: Judged,
  recipients: readonly ChannelName[],
  added?: { emailsCustomer: boolean },
): Pick<NewLead, 'state' | 'judgement' | 'deliverTo'> {
  const mayHear = (channel: ChannelName) => {
    const reader = readerOf(channel)
    if (added === undefined || reader === 'program') return true
    return reader === 'customer' && added.emailsCustomer
  }
  const deliverTo = state === 'held' ? [] : recipients.filter(mayHear)
  return { state, judgement: { score, reasons }, deliverTo }
}

type Judged = NewLead['judgement'] & Pick<NewLead, 'state'>

/** Whether a notice about the lead is no longer worth sending: it may have waited for days. */
export type Stale = (lead: Lead, about: string, isForPeople: boolean) => boolean

const isErased: Stale = ({ state }) => state === 'erased'

/** A program logs every event, unless the lead was erased since. */
function orErased(isOver: (lead: Lead, about: string) => boolean): Stale {
  return (lead, about, isForPeople) =>
    isErased(lead, about, isForPeople) || (isForPeople && isOver(lead, about))
}

export const stale = {
  /** The owner hears of a withdrawal also if the customer erases the request at once. */
  never: () => false,
  onceErased: isErased,
  /** Nobody is asked to ring a sender who took the request back, and the sender is not thanked for it. */
  onceWithdrawn: orErased(({ state }) => state === 'withdrawn'),
  onceAnswered: orErased(({ askedAt }) => askedAt === undefined),
  /** The change that came since has an email of its own. */
  onceVisitChanged: orErased(
    (lead, about) => !isSameVisit(aboutVisit.read(about).visit, seenVisit(lead)),
  ),
} satisfies Record<string, Stale>

/** A spammer must not reach the owner by withdrawing spam or a held lead. */
export function moveNotices(lead: Lead, to: State, at: number): ChangeNotice[] {
  const { state } = lead
  if (to === state) return []
  if (to === 'withdrawn' && (state === 'held' || state === 'spam')) return []
  const about = to === 'withdrawn' ? aboutFirst(lead) : {}
  return [{ kind: eventOfMove(state, to), dueAt: at, ...about }]
}

/** The owner hears that the request which stood for both stays. */
export function aboutFirst({ joinedTo }: Lead): Pick<ChangeNotice, 'about'> {
  return joinedTo === '' ? {} : { about: aboutJoined.write({ first: joinedTo }) }
}

/** An email about a visit waits, so that nobody is mailed about a mistake that the owner soon undoes. */
export const visitEmailWaitMs = 2 * minuteMs

/**
 * Queues an email if the visit that the customer sees has changed and has not begun. Hiding it, or
 * changing it while it is hidden, queues none; taking a hidden one away does, because an earlier email
 * may have named it, and `newsOf` drops it if none did. An unchanged visit is queued for a new address,
 * or as an answer (`answers`: when the customer asked for another time). An undo queues its own email:
 * both are dropped when they would leave, if nothing has changed.
 */
export function visitNotices(
  lead: Lead,
  after: Lead,
  at: number,
  answers?: number,
): ChangeNotice[] {
  const [before, visit] = [visitOf(lead), seenVisit(after)]
  const isAhead = (visit ?? before ?? { at: 0 }).at > at
  if (!isAhead || hasHiddenVisit(after) || !hearsOfVisits(after)) return []
  const isOwed = after.emailKey !== lead.emailKey || answers !== undefined
  const isSame = !hasHiddenVisit(lead) && isSameVisit(before, visit)
  if (isSame && !(visit !== undefined && isOwed)) return []
  const about = aboutVisit.write({ visit, answers })
  return [{ kind: 'lead.visit', dueAt: at + visitEmailWaitMs, about }]
}
