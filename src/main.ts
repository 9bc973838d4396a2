/** The service: its parts are made in order here, and stopped in reverse. */
import { createApp, refuse, type WholeApp } from './app.ts'
import { backupByClock } from './backup/by-clock.ts'
import { repeatByClock, type ByClock } from './by-clock.ts'
import type { Settings } from './config.ts'
import {
  maxBodyBytes,
  maxConnectionsPerAddress,
  maxHeaderBytes,
  readTimeoutMs,
  requestTimeoutMs,
} from './contract/limits.ts'
import { hourMs, secondMs } from './durations.ts'
import { localTime } from './time.ts'
import { startHeartbeat } from './delivery/heartbeat.ts'
import { Notifier } from './delivery/notifier.ts'
import { readSite } from './discovery/published-site.ts'
import { isPublic, Proxies } from './http/client-address.ts'
import type { Answer, Ask } from './http/message.ts'
import { HttpServer } from './http/server.ts'
import { NightlyErasing } from './lead/retention.ts'
import { errorFacts, reportOnceAMinute, type Log, type ReportFailure } from './log.ts'
import { requestSeconds, requests } from './metrics/metrics.ts'
import { readDisk, watchDisk } from './store/files.ts'
import { StorageUnavailable } from './store/engine/engine.ts'
import { fileOf } from './store/open.ts'
import { createProve, type Store } from './store/store.ts'
import { makeSecret } from './store/secret.ts'
import { version } from './version.ts'

export type Service = { stop(): Promise<void> }

const stopDeadlineMs = 8_000

/** Listens once a test commit has succeeded. Stopping closes the store, too. */
export async function startService(settings: Settings, log: Log, store: Store): Promise<Service> {
  const now = Date.now
  const { BASE_URL: baseUrl = '', BACKUP_TO, BACKUP_EVERY } = settings
  const file = fileOf(settings)
  const reportFailure = reportOnceAMinute(log.warn, now)
  await store.probe(now())
  const site = readSite({ contentDir: settings.CONTENT_DIR, baseUrl, now: now() })
  for (const words of site.warnings) log.warn('content.warning', { words })
  const { business } = site
  const secret = makeSecret(settings.DATA_DIR)
  const delivery = await Notifier.open({
    settings,
    business,
    baseUrl,
    secret,
    store,
    log,
    readDisk: () => readDisk(file),
    now,
  })
  const app = createApp({
    store,
    site,
    secret,
    delivery,
    readDisk: () => readDisk(file),
    rateLimit: settings.RATE_LIMIT,
    metricsToken: settings.METRICS_TOKEN,
    backupEveryMs: BACKUP_TO === undefined ? undefined : BACKUP_EVERY,
    reportFailure,
    now,
  })
  const server = new HttpServer({
    app: app.answer,
    refuse,
    answered: noteAnswer(log, app.nameOf),
    failed: (id, error) => log.error('request.failed', { id, ...errorFacts(error) }),
    proxies: new Proxies(settings.TRUSTED_PROXIES),
    published: isPublic(baseUrl),
    untrustedProxy: () =>
      log.warn('http.untrusted-proxy', {
        note: 'Requests say for whom they are passed on, but come from an address that is not in TRUSTED_PROXIES: they count as from there. Run "lead-intake doctor".',
      }),
    maxBodyBytes,
    maxHeaderBytes,
    requestTimeoutMs,
    readTimeoutMs,
    maxConnectionsPerAddress,
    everyAnswer: baseUrl.startsWith('https:')
      ? ['Strict-Transport-Security', 'max-age=31536000']
      : [],
  })
  const { HOST: host, PORT: port, LISTEN_FD: fd } = settings
  const place = await server.listen(fd === undefined ? { host, port } : { fd })
  log.info('service.listening', { version, address: place.address, port: place.port })
  log.flush()
  delivery.start()
  app.prepare().catch((error: unknown) => log.error('site.not-prepared', errorFacts(error)))
  const { timeZone } = business
  const jobs = jobsOf({ settings, store, timeZone, log, reportFailure, now })
  const running = jobs.map(({ start }) => start())
  log.debug('jobs.started', { names: jobs.map(({ name }) => name).join(', ') })

  return {
    async stop() {
      log.info('service.stopping')
      for (const job of running.toReversed()) await job.stop()
      await server.stop(stopDeadlineMs)
      await delivery.stop()
      await store.close()
      log.info('service.stopped')
      log.flush()
    },
  }
}

type JobParts = {
  settings: Settings
  store: Store
  /** IANA name. */
  timeZone: string
  log: Log
  reportFailure: ReportFailure
  now: () => number
}

type Job = { name: string; start: () => { stop(): void | Promise<void> } }

/** Everything that runs by the clock, besides the notifications. */
function jobsOf(parts: JobParts): Job[] {
  const { settings, store, timeZone, log, reportFailure, now } = parts
  const { HEARTBEAT_URL, RETENTION, BACKUP_TO } = settings
  const isNight = (at: number) => localTime(at, timeZone).minute < nightEndsMinute
  const nightly = { store, retention: RETENTION, isNight, report: log.info, reportFailure, now }
  const jobs: Job[] = [
    { name: 'disk', start: () => watchDisk(fileOf(settings), log.warn) },
    { name: 'erased-file', start: () => noteErasedByClock(store, reportFailure) },
    { name: 'night', start: () => new NightlyErasing(nightly).start() },
  ]
  if (BACKUP_TO !== undefined) {
    const backups = { store, everyMs: settings.BACKUP_EVERY, log, now }
    jobs.push({ name: 'backup', start: () => backupByClock(backups) })
  }
  if (HEARTBEAT_URL !== undefined) {
    const heart = {
      url: HEARTBEAT_URL,
      prove: createProve({ store, reportFailure, now }),
      reportFailure,
    }
    jobs.push({ name: 'heartbeat', start: () => startHeartbeat(heart) })
  }
  return jobs
}

/** From midnight on. */
const nightEndsMinute = 5 * 60

/** After a start, the first leads come first. A database that is away is reported elsewhere. */
function noteErasedByClock(store: Store, reportFailure: ReportFailure): ByClock {
  const work = () =>
    store.noteErased().then(
      () => 12 * hourMs,
      (error: unknown) => {
        if (!(error instanceof StorageUnavailable)) reportFailure('erased-file.failed', error)
        return hourMs
      },
    )
  return repeatByClock(work, 3 * secondMs)
}

/** The line of the log, and the metrics. Unknown paths are in neither: they may hold personal data. */
function noteAnswer(log: Log, nameOf: WholeApp['nameOf']) {
  return (
    { id, method, path }: Pick<Ask, 'id' | 'method' | 'path'>,
    { status, logFacts }: Answer,
    startedAt: number,
    endedAt: number,
  ) => {
    const route = nameOf(path) ?? '(other)'
    requests.add({ route, status })
    requestSeconds.note((endedAt - startedAt) / 1000, { route })
    const us = Math.round((endedAt - startedAt) * 1000)
    log.info('request', { id, method, route, status, us, ...logFacts })
  }
}
