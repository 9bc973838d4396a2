/** What is to be told later, because something was told or could not be. */
import type { Business } from '../../contract/business.ts'
import { alarms } from '../../contract/notices.ts'
import type { ChannelsFor } from '../../contract/notices.ts'
import { hourMs, minuteMs } from '../../durations.ts'
import type { Leased, NewDelivery } from '../../store/delivery-rows.ts'
import { toEach } from '../channel-plan.ts'
import { afterOpenTime, isOpen, stepMs } from './hours.ts'
import { writeDeadAbout } from '../notice.ts'

const waitingMs = hourMs
/** Dead letters of this time are told together. */
const gatherMs = 10 * minuteMs

export type FollowUp = (leased: Leased, ending: 'delivered' | 'dead', at: number) => NewDelivery[]

export function createFollowUp(channelsFor: ChannelsFor, business: Business): FollowUp {
  let closed: { step: number; dueAt: number | undefined } | undefined

  return (leased, ending, at) => {
    if (ending === 'dead') return tellOfDead(leased, at)
    const isNew = leased.kind === 'lead.received' || leased.kind === 'lead.released'
    return isNew && leased.channel === channelsFor('lead.waiting')[0] ? remindLater(leased, at) : []
  }

  /** Dropped when it is due, if somebody has seen to the lead by then. */
  function remindLater({ leadId, channel }: Leased, at: number): NewDelivery[] {
    const dueAt = reminderAfter(at)
    if (dueAt === undefined) return []
    const id = `${leadId}/waiting/${channel}`
    return [{ id, leadId, channel, kind: 'lead.waiting', about: '', dueAt }]
  }

  /** While the business is closed it is the same for all, and takes some milliseconds to find. */
  function reminderAfter(at: number): number | undefined {
    if (isOpen(at, business)) return afterOpenTime(at, waitingMs, business)
    const step = Math.floor(at / stepMs)
    if (closed?.step !== step) closed = { step, dueAt: afterOpenTime(at, waitingMs, business) }
    return closed.dueAt
  }

  function tellOfDead({ channel: dead, kind }: Leased, at: number): NewDelivery[] {
    // An alarm about an alarm would go back and forth between two dead channels.
    if (alarms.includes(kind)) return []
    const from = Math.floor(at / gatherMs) * gatherMs
    const span = { from, before: from + gatherMs }
    const others = channelsFor('delivery.dead').filter((channel) => channel !== dead)
    const name = `dead-${dead}-${from}`
    const about = writeDeadAbout(dead, span)
    return toEach(others, { name, kind: 'delivery.dead', about, dueAt: span.before })
  }
}
