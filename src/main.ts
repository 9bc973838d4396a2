/** Starts the app and the server on a store, and stops them in reverse order. */
import { setTimeout as sleep } from 'node:timers/promises'
import { createApp, refuse } from './app.ts'
import type { Settings } from './config.ts'
import { findSite } from './discovery/open-site.ts'
import { openNotifier } from './delivery/notifier.ts'
import { maxBodyBytes, maxHeaderBytes, readTimeoutMs, requestTimeoutMs } from './contract/limits.ts'
import { isPublic, readProxies } from './http/client-address.ts'
import type { Answer, Ask } from './http/message.ts'
import type { Router } from './http/router.ts'
import { openServer } from './http/server.ts'
import { errorFacts, reportOnceAMinute, type Log } from './log.ts'
import { requests } from './metrics/counted.ts'
import { fileOf } from './store/open.ts'
import { makeSecret } from './store/secret.ts'
import type { Store } from './store/store.ts'
import { keepTickShape } from './tuning.ts'
import { version } from './version.ts'

export type Service = { stop(): Promise<void> }

const stopDeadlineMs = 8_000
/** Requests that waited for the start come first: loading the rest takes longer than many answers. */
const restWaitsMs = 20
/** From midnight on. */
const nightEndsMinute = 5 * 60

export async function startService(settings: Settings, log: Log, store: Store): Promise<Service> {
  keepTickShape()
  const now = Date.now
  const { CONTENT_DIR: contentDir, CACHE_DIR: cacheDir = '', BASE_URL: baseUrl = '' } = settings
  const reportFailure = reportOnceAMinute(log.warn, now)
  const { business, warnings, openSite } = await findSite({
    contentDir,
    cacheDir,
    baseUrl,
    now: now(),
    reportFailure,
  })
  for (const words of warnings) log.warn('content.warning', { words })
  const secret = makeSecret(settings.DATA_DIR)
  const file = fileOf(settings)
  // Loaded when first needed, after the start.
  const readDisk = async () => (await import('./store/disk.ts')).readDisk(file)
  const readRoom = async () => (await import('./store/disk.ts')).readRoom(file)
  const common = { baseUrl, secret, store, readDisk, now }
  const delivery = await openNotifier({ ...common, settings, business, log })
  const { BACKUP_TO, BACKUP_EVERY: everyMs } = settings
  const app = createApp({
    ...common,
    backupEveryMs: BACKUP_TO === undefined ? undefined : everyMs,
    openSite,
    delivery,
    readRoom,
    metricsToken: settings.METRICS_TOKEN,
    reportFailure,
    rateLimit: settings.RATE_LIMIT,
    heldBytes: settings.HELD_BYTES_PER_ADDRESS,
  })
  const server = openServer({
    app: app.answer,
    refuse,
    answered: noteAnswer(log, app.nameOf),
    failed: (id, error) => log.error('request.failed', { id, ...errorFacts(error) }),
    headDiffers: () => log.warn('http.head-differs', { node: process.version }),
    proxies: readProxies(settings.TRUSTED_PROXIES),
    published: isPublic(baseUrl),
    untrustedProxy: () =>
      log.warn('http.untrusted-proxy', {
        note: 'Requests say for whom they are passed on, but come from an address that is not in TRUSTED_PROXIES: they count as from there. Run "lead-intake doctor".',
      }),
    maxBodyBytes,
    isFlood: app.isFlood,
    maxHeaderBytes,
    requestTimeoutMs,
    readTimeoutMs,
    maxConnectionsPerAddress: settings.MAX_CONNECTIONS_PER_ADDRESS,
    everyAnswer: baseUrl.startsWith('https:')
      ? ['Strict-Transport-Security', 'max-age=31536000']
      : [],
  })
  const { HOST: host, PORT, LISTEN_FD: fds } = settings
  const places = await server.listen(fds?.map((fd) => ({ fd })) ?? [{ host, port: PORT }])
  for (const { address, port } of places) {
    log.info('service.listening', { version, address, port })
  }
  log.flush()
  delivery.start(app.takeLead)
  await sleep(restWaitsMs)
  // A request for a page loads the site at once.
  prepareSite()
  const { watchDisk } = await import('./store/disk.ts')
  const disk = watchDisk(file, log.warn)
  const heart = await startHeart()
  const retaining = await startRetaining()
  const { forgetByClock } = await import('./store/before-restore.ts')
  const forgetting = forgetByClock({ settings, report: log.info, reportFailure, now })
  const { noteMissingByClock } = await import('./store/erased-file.ts')
  const noting = noteMissingByClock({ store, dataDir: settings.DATA_DIR, reportFailure })
  const backups = BACKUP_TO === undefined ? undefined : await startBackups()
  return {
    async stop() {
      log.info('service.stopping')
      heart?.stop()
      await server.stop(stopDeadlineMs)
      await delivery.stop()
      await retaining.stop()
      await backups?.stop()
      await forgetting.stop()
      await noting.stop()
      await disk.stop()
      await store.close()
      log.info('service.stopped')
      log.flush()
    },
  }

  async function startHeart() {
    const { HEARTBEAT_URL: url, ALLOW_PRIVATE_WEBHOOKS } = settings
    if (url === undefined) return undefined
    const { startHeartbeat } = await import('./delivery/heartbeat.ts')
    const { createProve } = await import('./store/prove.ts')
    const prove = createProve({ store, reportFailure, now })
    return startHeartbeat({
      url,
      allowPrivate: ALLOW_PRIVATE_WEBHOOKS === 'on',
      prove,
      reportFailure,
    })
  }

  async function startRetaining() {
    const { RETENTION: retention } = settings
    const { retainByClock } = await import('./lead/retain-by-clock.ts')
    const { localTime } = await import('./delivery/by-clock/hours.ts')
    const isNight = (at: number) => localTime(at, business.timeZone).minute < nightEndsMinute
    return retainByClock({ store, retention, isNight, report: log.info, reportFailure, now })
  }

  async function startBackups() {
    const { backupByClock } = await import('./backup/by-clock.ts')
    const { runBackupCommand } = await import('./backup/run-command.ts')
    const run = () => runBackupCommand('--by-clock')
    const drill = settings.BACKUP_KEY === undefined ? () => runBackupCommand('drill') : undefined
    return backupByClock({ store, everyMs, run, drill, log, now })
  }

  function prepareSite(): void {
    app.prepare().catch((error: unknown) => log.error('site.not-prepared', errorFacts(error)))
  }
}

/** The line of the log, and the metrics. Unknown paths are in neither: they may hold personal data. */
function noteAnswer(log: Log, nameOf: Router['nameOf']) {
  return (
    { id, method, path }: Pick<Ask, 'id' | 'method' | 'path'>,
    { status, logFacts }: Answer,
    startedAt: number,
    endedAt: number,
  ) => {
    const route = nameOf(path) ?? '(other)'
    requests.note(route, status, endedAt - startedAt)
    const us = Math.round((endedAt - startedAt) * 1000)
    log.info('request', { id, method, route, status, us, ...logFacts })
  }
}
