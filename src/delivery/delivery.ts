/** Telling the owner and his systems: everything of it, opened together and stopped together. */
import { readVariable } from '../config.ts'
import type { ChannelsFor } from '../contract/notices.ts'
import type { KeptLead, TakeLead } from '../lead/take.ts'
import { errorFacts } from '../log.ts'
import type { Log } from '../log.ts'
import type { Store } from '../store/store.ts'
import type { ChannelPlan } from './channel-plan.ts'
import { createCanary } from './by-clock/canary.ts'
import { openChannels } from './channels.ts'
import type { ChannelParts } from './channels.ts'
import { createDuties } from './by-clock/daily-jobs.ts'
import type { Duties } from './by-clock/daily-jobs.ts'
import { createFloodWatch } from './by-clock/flood.ts'
import { createFollowUp } from './by-clock/follow-up.ts'
import { readNotice } from './notice.ts'
import { createWorker } from './worker.ts'

export type Delivery = {
  channelsFor: ChannelsFor
  /** Called after each commit: whatever is due goes out at once. */
  onKept: (lead: KeptLead) => void
  wake: () => void
  /** Sends what waits from before. The canary takes the road of every other lead. */
  start(takeLead: TakeLead): void
  /** Resolves when what the clock asked for has been done. */
  dutiesDone(): Promise<void>
  /** Resolves when nothing is under way. */
  settled(): Promise<void>
  /** What is under way gets this long to end by itself. */
  stop(patienceMs?: number): Promise<void>
}

export type DeliveryParts = Omit<ChannelParts, 'plans' | 'variable' | 'store'> & {
  store: Store
  log: Log
  variable?: ChannelParts['variable']
  random?: () => number
  /** In place of what each channel gives itself. */
  timeoutMs?: number
}

const stopPatienceMs = 3_000

export async function startDelivery(
  parts: DeliveryParts,
  { plans, channelsFor }: { plans: readonly ChannelPlan[]; channelsFor: ChannelsFor },
): Promise<Delivery> {
  const { settings, business, store, log, now, timeoutMs } = parts
  const { random = Math.random, variable = readVariable } = parts
  const channels = await openChannels({ ...parts, plans, variable })
  await store.releaseLeases().catch((error: unknown) => {
    // They are due again when their leases end.
    log.warn('delivery.store', errorFacts(error))
  })
  const worker = createWorker({
    store,
    channels: timeoutMs === undefined ? channels : channels.map((each) => ({ ...each, timeoutMs })),
    readNotice: (delivery) => readNotice(store, delivery),
    whatFollows: createFollowUp(channelsFor, business),
    log,
    now,
    random,
  })
  const watchFlood = createFloodWatch({ store, channelsFor, log })
  const { wake } = worker
  let duties: Duties | undefined
  let running: Promise<void> | undefined

  return {
    channelsFor,
    wake,
    onKept(lead) {
      if (lead.judgement.state === 'new') wake()
      else watchFlood(lead)
    },
    start(takeLead) {
      duties?.stop()
      const common = { store, channelsFor, business, log, wake, now }
      const canary = settings.CANARY === 'on' ? createCanary({ ...common, takeLead }) : undefined
      duties = createDuties({ ...common, canary, digests: settings.DIGESTS === 'on' })
      running = duties.run()
      wake()
    },
    dutiesDone: async () => running,
    settled: worker.settled,
    async stop(patienceMs = stopPatienceMs) {
      duties?.stop()
      await worker.stop(patienceMs)
    },
  }
}
