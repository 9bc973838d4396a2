/** GET /metrics for Prometheus. Strangers get 404. */
import { personal, answerOf } from '../http/answers.ts'
import type { App } from '../http/message.ts'
import { writeMetrics, type Figure } from '../metrics/metrics.ts'
import { readBackupState } from '../store/backup-state.ts'
import type { Prove } from '../store/store.ts'
import { version } from '../config.ts'
import type { OperatorParts } from './health.ts'

type MetricsParts = OperatorParts & {
  prove: Prove
  channels: readonly string[]
  notFound: App
}

export function createMetricsDoor(parts: MetricsParts): App {
  const { isOperator, notFound, reportFailure } = parts
  return async (ask) => {
    if (!isOperator(ask)) return notFound(ask)
    const readings = readers.map((read) =>
      read(parts).catch((error: unknown): Figure[] => {
        reportFailure('metrics.not-read', error)
        return []
      }),
    )
    const figures = (await Promise.all(readings)).flat()
    return answerOf({ type, body: writeMetrics([...processFigures(), ...figures]) }, personal)
  }
}

const type = 'text/plain; version=0.0.4; charset=utf-8'

function processFigures(): Figure[] {
  const { user, system } = process.cpuUsage()
  return [
    ['build_info', 'The program that runs.', [[{ version }, 1]]],
    ['process_cpu_seconds_total', 'Time on the processor.', (user + system) / 1e6],
    ['process_resident_memory_bytes', 'Memory in use.', process.memoryUsage.rss()],
    ['process_start_time_seconds', 'When it started.', performance.timeOrigin / 1000],
  ]
}

const readers = [databaseFigures, leadFigures, deliveryFigures, roomFigures, backupFigures]

async function databaseFigures({ store, prove, now }: MetricsParts): Promise<Figure[]> {
  const proven = Number(await prove())
  const { journal } = await store.state(now())
  const refused = journal && Number(journal.refused !== undefined)
  return [
    ['probe_success', '1 if a test commit went through, so that a lead would.', proven],
    ['journal_leads', 'Leads on this node that wait for PostgreSQL.', journal?.leads],
    ['journal_refused', '1 while a file holds leads that PostgreSQL refused.', refused],
  ]
}

async function leadFigures({ store }: MetricsParts): Promise<Figure[]> {
  const [newest] = await store.views.list({ limit: 1 })
  const at = newest && newest.receivedAt / 1000
  return [['last_lead_timestamp_seconds', 'When the newest lead came in.', at]]
}

async function deliveryFigures({ store, channels, now }: MetricsParts): Promise<Figure[]> {
  const [all, due] = [await store.deliveries.count(), await store.deliveries.count(now())]
  const names = [...new Set([...channels, ...all.map(({ channel }) => channel)])]
  const counts = names.flatMap((channel) => {
    const { waiting = 0, dead = 0 } = all.find((each) => each.channel === channel) ?? {}
    return [
      [{ channel, state: 'waiting' }, waiting],
      [{ channel, state: 'dead' }, dead],
    ] as const
  })
  const ages = names.map((channel) => {
    const { oldestAt = now() } = due.find((each) => each.channel === channel) ?? {}
    return [{ channel }, (now() - oldestAt) / 1000] as const
  })
  return [
    ['deliveries', 'Deliveries that wait, or were given up (dead).', counts],
    ['delivery_oldest_waiting_seconds', 'How long the oldest that is due has waited.', ages],
  ]
}

async function roomFigures({ readDisk }: MetricsParts): Promise<Figure[]> {
  const free = (await readDisk?.())?.freeBytes
  return [['disk_free_bytes', 'Space left on the disk of the database or the journal.', free]]
}

/** Before the first backup its time is 0, so that an alert for old backups reports a missing one, too. */
async function backupFigures({ store, backupEveryMs, now }: MetricsParts): Promise<Figure[]> {
  if (backupEveryMs === undefined) return []
  const { made, drilledAt } = await readBackupState(store, now())
  const madeAt = (made?.at ?? 0) / 1000
  const drilled = 'restore_drill_last_success_timestamp_seconds'
  return [
    ['backup_interval_seconds', 'How often a backup is due.', backupEveryMs / 1000],
    ['backup_last_success_timestamp_seconds', 'When the last one was made and checked.', madeAt],
    [
      drilled,
      'When the newest backup was last restored and checked.',
      drilledAt && drilledAt / 1000,
    ],
  ]
}
