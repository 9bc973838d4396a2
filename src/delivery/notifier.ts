/**
 * Notifies the owner and his systems.
 *
 * How a lead becomes a letter: channel-plan.ts says which channels get it; its deliveries are
 * committed with it; lane.ts leases them when they are due; notice.ts reads what is true then;
 * mail/letters.ts finds the words, and mail/smtp.ts sends them.
 */
import { noChannels } from '../contract/notices.ts'
import { planChannels } from './channel-plan.ts'
import { openLanes, type Notifier, type NotifierParts } from './lanes.ts'

export async function openNotifier(parts: NotifierParts): Promise<Notifier> {
  const plans = planChannels(parts.settings, parts.business)
  if (plans.length === 0) {
    const note =
      'Neither SMTP_URL nor a webhook is set: leads are kept, but no notification is sent.'
    parts.log.warn('delivery.no-channel', { note })
    return noNotifier
  }
  return openLanes(parts, plans)
}

/** Where there is no channel. */
export const noNotifier: Notifier = {
  channels: [],
  channelsFor: noChannels,
  onKept() {},
  wake() {},
  mailsCodes: false,
  mailCode: () => Promise.resolve(false),
  start() {},
  jobsDone: async () => {},
  settled: async () => {},
  stop: async () => {},
}
