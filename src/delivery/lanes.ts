/** A notifier that runs: a lane for each channel, and the daily jobs. */
import { readVariable } from '../config.ts'
import type { Settings } from '../config.ts'
import type { ChannelsFor } from '../contract/notices.ts'
import { secondMs } from '../durations.ts'
import type { KeptLead, TakeLead } from '../lead/take.ts'
import { reportOnceAMinute, type Log } from '../log.ts'
import type { DiskState } from '../store/disk.ts'
import type { Store } from '../store/store.ts'
import { createCanary } from './by-clock/canary.ts'
import { createDailyJobs } from './by-clock/daily-jobs.ts'
import type { DailyJobs } from './by-clock/daily-jobs.ts'
import { createFloodWatch } from './by-clock/flood.ts'
import { createFollowUp } from './by-clock/follow-up.ts'
import { createLateBackupCheck } from './by-clock/late-backup.ts'
import { createLowDiskCheck } from './by-clock/low-disk.ts'
import { createChannelsFor } from './channel-plan.ts'
import type { ChannelPlan } from './channel-plan.ts'
import { openChannels } from './channels.ts'
import type { ChannelParts } from './channels.ts'
import { Lane } from './lane.ts'
import { createPastLimit } from './letter-limit.ts'
import { readNotice } from './notice.ts'

export type Notifier = {
  /** Names of those that are set up. */
  channels: readonly string[]
  channelsFor: ChannelsFor
  /** To be called after each commit of a lead: what is due goes out at once. */
  onKept: (lead: KeptLead) => void
  /** Something may be due. */
  wake: () => void
  /** Whether there is mail to send codes by. */
  mailsCodes: boolean
  /** Mails a member a code for the inbox. False: that failed, or there is no mail. */
  mailCode: (code: string, to: string) => Promise<boolean>
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
  /** State of the disk with the database or the journal. */
  readDisk?: () => Promise<DiskState>
  /** In place of the time that each channel allows. */
  timeoutMs?: number
  /** In place of 30 seconds. */
  lookAroundMs?: number
}

/** Somebody waits for the page that says so. */
const codePatienceMs = 10 * secondMs
const stopPatienceMs = 3 * secondMs

export async function openLanes(
  parts: NotifierParts,
  plans: readonly ChannelPlan[],
): Promise<Notifier> {
  const { settings, business, store, log, now, timeoutMs, lookAroundMs, readDisk } = parts
  const { random = Math.random, variable = readVariable } = parts
  const channelsFor = createChannelsFor(plans)
  const names = plans.map(({ name }) => name)
  const channels = openChannels({ ...parts, plans, variable })
  const mail = channels.find(({ sendCode }) => sendCode !== undefined)
  const reportFailure = reportOnceAMinute(log.error, now)
  await store.releaseLeases().catch((error: unknown) => {
    // They are due again when their leases end.
    reportFailure('delivery.store', error)
  })
  const laneParts = {
    store,
    readNotice: readNotice.bind(undefined, { store, retention: settings.RETENTION, now }),
    pastLimit: createPastLimit(store, now),
    followUp: createFollowUp(channelsFor, business),
    reportFailure,
    log,
    now,
    random,
    ...(lookAroundMs && { lookAroundMs }),
  }
  const lanes = channels.map((channel) => {
    return new Lane(laneParts, timeoutMs === undefined ? channel : { ...channel, timeoutMs })
  })
  const watchFlood = createFloodWatch({ store, channelsFor, reportFailure })
  let jobs: DailyJobs | undefined
  let firstJobs: Promise<void> | undefined

  return {
    channels: names,
    channelsFor,
    wake,
    mailsCodes: mail !== undefined,
    async mailCode(code, to) {
      const sent = await mail?.sendCode?.({ code, to }, AbortSignal.timeout(codePatienceMs))
      return sent?.kind === 'delivered'
    },
    onKept(lead) {
      if (lead.judgement.state === 'new') wake()
      else watchFlood(lead)
    },
    start(takeLead) {
      jobs?.stop()
      const common = { store, channelsFor, business, log, wake, now }
      const canary = settings.CANARY === 'on' ? createCanary({ ...common, takeLead }) : undefined
      const digests = settings.DIGESTS === 'on'
      const checkDisk = readDisk && createLowDiskCheck({ ...common, readDisk })
      const { BACKUP_TO, BACKUP_EVERY: everyMs } = settings
      const checkBackup =
        BACKUP_TO === undefined ? undefined : createLateBackupCheck({ ...common, everyMs })
      const checks = { checkDisk, checkBackup }
      jobs = createDailyJobs({ ...common, canary, digests, ...checks, reportFailure })
      firstJobs = jobs.run()
      store.onReplayed(wake)
      wake()
    },
    jobsDone: async () => firstJobs,
    async settled() {
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
