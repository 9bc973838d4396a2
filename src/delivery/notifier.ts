/**
 * Notifies the owner and his systems: plans the channels, opens them, and runs a lane for each.
 *
 * How a lead becomes a letter: channel-plan.ts says which channels get it; its deliveries are
 * committed with it; a lane leases them when they are due; notice.ts reads what is true then;
 * mail/letters.ts finds the words, and mail/smtp.ts sends them.
 */
import { readVariable } from '../config.ts'
import { noChannels } from '../contract/notices.ts'
import type { ChannelsFor } from '../contract/notices.ts'
import { secondMs } from '../durations.ts'
import type { KeptLead, TakeLead } from '../lead/take.ts'
import { errorFacts } from '../log.ts'
import type { Log } from '../log.ts'
import type { Store } from '../store/store.ts'
import { createCanary } from './by-clock/canary.ts'
import { createDailyJobs } from './by-clock/daily-jobs.ts'
import type { DailyJobs } from './by-clock/daily-jobs.ts'
import { createFloodWatch } from './by-clock/flood.ts'
import { createFollowUp } from './by-clock/follow-up.ts'
import { createChannelsFor, planChannels } from './channel-plan.ts'
import type { ChannelSettings } from './channel-plan.ts'
import { openChannels } from './channels.ts'
import type { ChannelParts } from './channels.ts'
import { Lane } from './lane.ts'
import { readNotice } from './notice.ts'

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

export type NotifierParts = Omit<ChannelParts, 'plans' | 'settings' | 'variable' | 'store'> & {
  settings: ChannelParts['settings'] &
    ChannelSettings & { CANARY: 'on' | 'off'; DIGESTS: 'on' | 'off' }
  store: Store
  log: Log
  variable?: ChannelParts['variable']
  random?: () => number
  /** In place of the time that each channel allows. */
  timeoutMs?: number
}

const stopPatienceMs = 3 * secondMs

export async function openNotifier(parts: NotifierParts): Promise<Notifier> {
  const { settings, business, store, log, now, timeoutMs } = parts
  const { random = Math.random, variable = readVariable } = parts
  const plans = planChannels(settings, business)
  if (plans.length === 0) {
    const note =
      'Neither SMTP_URL nor a webhook is set: leads are kept, but nobody is told of them.'
    log.warn('delivery.nobody', { note })
    return silent
  }
  const channelsFor = createChannelsFor(plans)
  const channels = await openChannels({ ...parts, plans, variable })
  await store.releaseLeases().catch((error: unknown) => {
    // They are due again when their leases end.
    log.warn('delivery.store', errorFacts(error))
  })
  const laneParts = {
    store,
    readNotice: readNotice.bind(undefined, store),
    followUp: createFollowUp(channelsFor, business),
    log,
    now,
    random,
  }
  const lanes = channels.map(
    (channel) => new Lane(laneParts, { ...channel, ...(timeoutMs && { timeoutMs }) }),
  )
  const watchFlood = createFloodWatch({ store, channelsFor, log })
  let jobs: DailyJobs | undefined
  let firstJobs: Promise<void> | undefined

  return {
    channelsFor,
    wake,
    onKept(lead) {
      if (lead.judgement.state === 'new') wake()
      else watchFlood(lead)
    },
    start(takeLead) {
      jobs?.stop()
      const common = { store, channelsFor, business, log, wake, now }
      const canary = settings.CANARY === 'on' ? createCanary({ ...common, takeLead }) : undefined
      jobs = createDailyJobs({ ...common, canary, digests: settings.DIGESTS === 'on' })
      firstJobs = jobs.run()
      wake()
    },
    jobsDone: async () => firstJobs,
    async settled() {
      // What one lane sends may give another something to do.
      while (lanes.some((lane) => lane.isBusy)) {
        await Promise.all(lanes.map((lane) => lane.settled()))
      }
    },
    async stop(patienceMs = stopPatienceMs) {
      jobs?.stop()
      await Promise.all(lanes.map((lane) => lane.stop(patienceMs)))
      for (const channel of channels) channel.close()
    },
  }

  function wake(): void {
    for (const lane of lanes) lane.wake()
  }
}

/** Where no channel is set up. */
const silent: Notifier = {
  channelsFor: noChannels,
  onKept() {},
  wake() {},
  start() {},
  jobsDone: async () => {},
  settled: async () => {},
  stop: async () => {},
}
