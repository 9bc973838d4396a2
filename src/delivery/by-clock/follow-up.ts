/** What one delivery leads to: a reminder after a new lead was delivered, an alarm after a delivery died. */
import type { Business } from '../../contract/business.ts'
import { alarms } from '../../contract/notices.ts'
import type { ChannelsFor } from '../../contract/notices.ts'
import { hourMs } from '../../durations.ts'
import { aboutDead } from '../../store/about.ts'
import { subjects, toDeliveryId } from '../../store/delivery-id.ts'
import type { Leased, NewDelivery } from '../../store/delivery-rows.ts'
import { toEach } from '../channel-plan.ts'
import { gatherMs } from '../schedule.ts'
import { afterOpenTime, isOpen, stepMs } from './hours.ts'

export type FollowUp = (leased: Leased, ending: 'delivered' | 'dead', at: number) => NewDelivery[]

/** Of opening time. */
const remindAfterMs = hourMs

export function createFollowUp(channelsFor: ChannelsFor, business: Business): FollowUp {
  let closed: { step: number; dueAt: number | undefined } | undefined

  return (leased, ending, at) => {
    if (ending === 'dead') return alarmAbout(leased, at)
    const isNew = leased.kind === 'lead.received' || leased.kind === 'lead.released'
    return isNew && leased.channel === channelsFor('lead.waiting')[0] ? remindLater(leased, at) : []
  }

  /** Dropped when it is due, if the lead has moved on by then. */
  function remindLater({ leadId, channel }: Leased, at: number): NewDelivery[] {
    const dueAt = reminderAfter(at)
    if (dueAt === undefined) return []
    const id = toDeliveryId(subjects.reminder(leadId), channel)
    return [{ id, leadId, channel, kind: 'lead.waiting', about: '', dueAt }]
  }

  /** While the business is closed it is the same for all leads, and takes milliseconds to compute. */
  function reminderAfter(at: number): number | undefined {
    if (isOpen(at, business)) return afterOpenTime(at, remindAfterMs, business)
    const step = Math.floor(at / stepMs)
    if (closed?.step !== step) closed = { step, dueAt: afterOpenTime(at, remindAfterMs, business) }
    return closed.dueAt
  }

  function alarmAbout({ channel: dead, kind }: Leased, at: number): NewDelivery[] {
    // An alarm about an alarm would go back and forth between two dead channels.
    if (alarms.includes(kind)) return []
    const from = Math.floor(at / gatherMs) * gatherMs
    const span = { from, before: from + gatherMs }
    const others = channelsFor('delivery.dead').filter((channel) => channel !== dead)
    return toEach(others, {
      name: `dead-${dead}-${from}`,
      kind: 'delivery.dead',
      about: aboutDead.write(dead, span),
      dueAt: span.before,
    })
  }
}
