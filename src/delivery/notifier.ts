/**
 * Notifies the owner and his systems.
 *
 * How a lead becomes a letter: channel-plan.ts says which channels get it; its deliveries are
 * committed with it; lane.ts leases them when they are due; notice.ts reads what is true then;
 * mail/letters.ts finds the words, and mail/smtp.ts sends them.
 */
import type { Settings } from '../config.ts'
import { noChannels } from '../contract/notices.ts'
import type { ChannelsFor } from '../contract/notices.ts'
import type { KeptLead, TakeLead } from '../lead/take.ts'
import type { Log } from '../log.ts'
import type { Store } from '../store/store.ts'
import { planChannels } from './channel-plan.ts'
import type { ChannelParts } from './channels.ts'

export type Notifier = {
  channelsFor: ChannelsFor
  /** To be called after each commit of a lead: what is due goes out at once. */
  onKept: (lead: KeptLead) => void
  /** Something may be due. */
  wake: () => void
  /**
   * Sends what waits from before, and starts the daily jobs. The app needs this notifier to take
   * leads, and the daily check takes a lead through the app: so this comes after the app is made.
   */
  start(takeLead: TakeLead): void
  /** Resolves when the daily jobs that were due at the start are done. */
  jobsDone(): Promise<void>
  /** Resolves when nothing is under way. */
  settled(): Promise<void>
  /** What is under way may end by itself for so long. */
  stop(patienceMs?: number): Promise<void>
}

export type NotifierParts = Omit<ChannelParts, 'plans' | 'variable' | 'store'> & {
  settings: Settings
  store: Store
  log: Log
  variable?: ChannelParts['variable']
  random?: () => number
  /** In place of the time that each channel allows. */
  timeoutMs?: number
}

/** Where no channel is set up, the code for sending is not loaded: that would slow down the start. */
export async function openNotifier(parts: NotifierParts): Promise<Notifier> {
  const plans = planChannels(parts.settings, parts.business)
  if (plans.length === 0) {
    const note =
      'Neither SMTP_URL nor a webhook is set: leads are kept, but nobody is told of them.'
    parts.log.warn('delivery.nobody', { note })
    return silent
  }
  const { openLanes } = await import('./lanes.ts')
  return openLanes(parts, plans)
}

const silent: Notifier = {
  channelsFor: noChannels,
  onKept() {},
  wake() {},
  start() {},
  jobsDone: async () => {},
  settled: async () => {},
  stop: async () => {},
}
