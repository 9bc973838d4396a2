/** What /metrics shows: what this process counted, and what is read when it is asked. */
import { dayMs, hourMs } from '../durations.ts'
import { countedFamilies } from '../metrics/counted.ts'
import { gauge } from '../metrics/family.ts'
import type { Family } from '../metrics/family.ts'
import type { ReportFailure } from '../log.ts'
import { readBackupState } from '../store/backup-state.ts'
import type { Room } from '../store/disk.ts'
import type { Prove } from '../store/prove.ts'
import type { Store } from '../store/store.ts'
import { version } from '../version.ts'

export type FigureParts = {
  store: Pick<
    Store,
    | 'state'
    | 'countLeads'
    | 'countDeliveries'
    | 'newestLeadAt'
    | 'countWanted'
    | 'waitingSince'
    | 'findOnce'
  >
  prove: Prove
  /** Room on the disk with the database or the journal. Left out: nothing is said of it. */
  readRoom?: (() => Promise<Room>) | undefined
  /** Time from one backup to the next. `undefined`: none are made by the clock. */
  backupEveryMs: number | undefined
  /** Names of the channels that are set up. */
  channels: readonly string[]
  lagSeconds: number | undefined
  reportFailure: ReportFailure
  now: () => number
}

/** Larger numbers are shown as this one, so that a scrape stays fast. */
const mostCounted = 10_000
/** The time that tells how often leads come. */
const usualSpanMs = 28 * dayMs
/** With fewer leads in that time nothing is usual. */
const fewestUsual = 4
/** Three times this is a day: a night without leads is no fault. */
const shortestGapMs = 8 * hourMs

/** What cannot be read is left out. */
export async function readFigures(parts: FigureParts): Promise<Family[]> {
  const readings = [
    readDatabase(parts),
    readLeads(parts),
    readDeliveries(parts),
    readDisk(parts),
    readBackups(parts),
  ].map((reading) =>
    reading.catch((error: unknown): Family[] => {
      parts.reportFailure('metrics.not-read', error)
      return []
    }),
  )
  const [proven, ...read] = await Promise.all([parts.prove(), ...readings])
  const build = { labels: { version, node: process.version }, value: 1 }
  return [
    { name: 'build_info', type: 'gauge', help: 'The program that runs.', samples: [build] },
    gauge(
      'probe_success',
      '1 if a test commit went through, so that a lead would.',
      Number(proven),
    ),
    ...read.flat(),
    gauge(
      'event_loop_lag_seconds',
      'The longest time since the last scrape in which nothing else could be done.',
      parts.lagSeconds,
    ),
    ...countedFamilies(),
  ]
}

async function readDatabase({ store, now }: FigureParts): Promise<Family[]> {
  const { away, journal } = await store.state(now())
  const oldest = journal && (journal.oldestAt === undefined ? 0 : now() - journal.oldestAt)
  const refused = journal && Number(journal.refused !== undefined)
  const journalFamilies = [
    gauge('journal_leads', 'Leads on this node that wait for PostgreSQL.', journal?.leads),
    gauge('journal_oldest_seconds', 'Age of the oldest of them.', toSeconds(oldest)),
    gauge(
      'journal_refused',
      '1 while a file beside it holds leads that PostgreSQL refused.',
      refused,
    ),
  ]
  const up = gauge(
    'database_up',
    '1 while the database can be written.',
    Number(away === undefined),
  )
  return [up, ...journalFamilies]
}

async function readLeads({ store }: FigureParts): Promise<Family[]> {
  const newestAt = await store.newestLeadAt()
  return [
    gauge(
      'held_leads',
      `Leads that are held; at most ${mostCounted} are counted.`,
      await store.countLeads('held', mostCounted),
    ),
    gauge(
      'last_lead_timestamp_seconds',
      'When the newest lead came in that is neither held nor spam.',
      toSeconds(newestAt),
    ),
    gauge(
      'usual_lead_gap_seconds',
      'Mean time between such leads in the four weeks before the newest, at least eight hours.',
      newestAt === undefined ? undefined : toSeconds(await usualGapMs(store, newestAt)),
    ),
  ]
}

async function usualGapMs(
  store: Pick<Store, 'countWanted'>,
  newestAt: number,
): Promise<number | undefined> {
  const span = { from: newestAt - usualSpanMs, before: newestAt }
  const leads = await store.countWanted(span, mostCounted)
  return leads < fewestUsual ? undefined : Math.max(shortestGapMs, usualSpanMs / leads)
}

async function readDeliveries({ store, channels, now }: FigureParts): Promise<Family[]> {
  const counts = new Map(channels.map((channel) => [channel, { waiting: 0, dead: 0 }]))
  for (const { channel, ...count } of await store.countDeliveries()) counts.set(channel, count)
  const open = [...counts]
  const ages = open.map(async ([channel, { waiting }]) => {
    const since = waiting === 0 ? undefined : await store.waitingSince(channel, now())
    return { labels: { channel }, value: since === undefined ? 0 : (now() - since) / 1000 }
  })
  return [
    {
      name: 'deliveries',
      type: 'gauge',
      help: 'Deliveries that wait, or were given up (dead).',
      samples: open.flatMap(([channel, { waiting, dead }]) => [
        { labels: { channel, state: 'waiting' }, value: waiting },
        { labels: { channel, state: 'dead' }, value: dead },
      ]),
    },
    {
      name: 'delivery_oldest_waiting_seconds',
      type: 'gauge',
      help: 'For how long the oldest delivery that is due has waited.',
      samples: await Promise.all(ages),
    },
  ]
}

async function readDisk({ readRoom }: FigureParts): Promise<Family[]> {
  const room = await readRoom?.()
  return [
    gauge('disk_free_bytes', 'Room on the disk with the database or the journal.', room?.freeBytes),
    gauge('disk_size_bytes', 'Size of that disk.', room?.sizeBytes),
    gauge('wal_bytes', "Size of SQLite's write-ahead log.", room?.logBytes),
  ]
}

/** 0 where there was none yet: too old by any rule. */
async function readBackups({ store, backupEveryMs }: FigureParts): Promise<Family[]> {
  if (backupEveryMs === undefined) return []
  const { made, drilledAt = 0 } = await readBackupState(store)
  return [
    gauge('backup_interval_seconds', 'How often a backup is due.', toSeconds(backupEveryMs)),
    gauge(
      'backup_last_success_timestamp_seconds',
      'When the last backup was made and checked.',
      toSeconds(made?.at ?? 0),
    ),
    gauge('backup_bytes', 'Size of the last backup.', made?.bytes),
    gauge(
      'restore_drill_last_success_timestamp_seconds',
      'When the newest backup was last restored and checked.',
      toSeconds(drilledAt),
    ),
  ]
}

function toSeconds(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : ms / 1000
}
