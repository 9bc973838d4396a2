/** Starts the parts of the service in order, and stops them in reverse order. */
import { createApp } from './app.ts'
import { backupByClock } from './backup/by-clock.ts'
import { version, type Settings } from './config.ts'
import { howToType } from './words.ts'
import {
  clientLimits,
  maxBodyBytes,
  photoUpload,
  readTimeoutMs,
  requestTimeoutMs,
} from './contract/limits.ts'
import type { Business } from './contract/business.ts'
import { readPhones } from './contract/phone.ts'
import { startHeartbeat } from './delivery/heartbeat.ts'
import { Notifier } from './delivery/notifier.ts'
import { readSite } from './discovery/documents.ts'
import { errorAnswer } from './doors/outcomes.ts'
import { isPublic, Proxies } from './http/client-address.ts'
import type { Answer, Ask } from './http/message.ts'
import type { Router } from './http/router.ts'
import { HttpServer } from './http/server.ts'
import { findSharp, noSharp, PictureReader } from './lead/photos/reading.ts'
import type { PhotoPlace } from './lead/photos/taking.ts'
import { NightlyErasing } from './lead/retention.ts'
import { errorFacts, reportOnceAMinute, type Log, type ReportFailure } from './log.ts'
import { requests } from './metrics/metrics.ts'
import { readDisk, watchDisk } from './store/files.ts'
import { fileOf } from './store/open.ts'
import { createProve, type Store } from './store/store.ts'
import { makeSecret } from './store/secret.ts'
import { hourMs, localTime, minuteMs, repeatByClock, secondMs } from './time.ts'

export type Service = { stop(): Promise<void> }

const stopDeadlineMs = 8 * secondMs
/** A service that was just started has other things to do, but no lead that comes by MCP shall wait for a library. */
const loadLaterMs = 10 * secondMs

type StartOptions = {
  now?: () => number
  pushServices?: readonly string[]
  /** The business of business.yaml, if that has been read already. */
  business?: Business
}

/** Listens only after a test commit succeeded. `stop` also closes `store`. */
export async function startService(
  settings: Settings,
  log: Log,
  store: Store,
  options: StartOptions = {},
): Promise<Service> {
  const { BASE_URL: baseUrl, HOST: host, PORT: port, LISTEN_FD: fd } = settings
  const { now = Date.now } = options
  const reportFailure = reportOnceAMinute(log.warn, now)
  // Meanwhile the rest is prepared.
  const findingPhotos = placeOfPhotos(settings, log)
  await store.probe(now())

  const site = readSite(settings.CONTENT_DIR, baseUrl, options.business)
  for (const words of site.warnings) log.warn('content.warning', { words })
  const { business } = site
  const secret = makeSecret(settings.DATA_DIR)
  const disk = () => readDisk(fileOf(settings))
  const delivery = new Notifier({
    settings,
    business,
    baseUrl,
    secret,
    store,
    log,
    readDisk: disk,
    ...options,
    now,
  })

  const photoPlace = await findingPhotos
  const { router, loadLater } = createApp({
    store,
    photos: photoPlace && { ...photoPlace, readDisk: disk },
    site,
    secret,
    delivery,
    readDisk: disk,
    rateLimit: settings.RATE_LIMIT,
    metricsToken: settings.METRICS_TOKEN,
    backupEveryMs: settings.BACKUP_TO === undefined ? undefined : settings.BACKUP_EVERY,
    reportFailure,
    now,
  })
  // Loads the library of phone numbers: no lead waits for it, and without it there is no start.
  readPhones(business.contact.phone)
  const server = new HttpServer({
    app: (ask) => router.answer(ask),
    refuse: (code) => errorAnswer(code),
    answered: noteAnswer(log, router),
    failed: (id, error) => log.error('request.failed', { id, ...errorFacts(error) }),
    proxies: new Proxies(settings.TRUSTED_PROXIES),
    published: isPublic(baseUrl),
    untrustedProxy: () => log.warn('http.untrusted-proxy', { note: untrustedProxy }),
    maxBodyBytes,
    requestTimeoutMs,
    takesFile: (ask) => router.takesFile(ask),
    uploadLimits: photoUpload,
    readTimeoutMs,
    clientLimits,
    everyAnswer: baseUrl.startsWith('https:')
      ? { 'Strict-Transport-Security': 'max-age=31536000' }
      : {},
  })
  const place = await server.listen(fd === undefined ? { host, port } : { fd })
  log.info('service.listening', { version, address: place?.address, port: place?.port })
  log.flush()

  delivery.start()
  const loading = setTimeout(() => {
    loadLater().catch((error: unknown) => reportFailure('mcp.not-loaded', error))
  }, loadLaterMs)
  const jobs = startJobs(settings, { store, timeZone: business.timeZone, log, reportFailure, now })

  return {
    async stop() {
      log.info('service.stopping')
      clearTimeout(loading)
      for (const job of jobs.toReversed()) await job.stop()
      photoPlace?.reader.stop()
      await server.stop(stopDeadlineMs)
      await delivery.stop()
      await store.close()
      log.info('service.stopped')
      log.flush()
    },
  }
}

/** Where pictures cannot be read there are no photos, and everything else works. */
async function placeOfPhotos(
  { DATA_DIR: dataDir, PHOTO_SPACE: megabytes }: Settings,
  log: Log,
): Promise<(Omit<PhotoPlace, 'readDisk'> & { reader: PictureReader }) | undefined> {
  if (megabytes === 0) return undefined
  if ((await findSharp()) === undefined) {
    log.warn('photos.off', { note: noSharp })
    return undefined
  }
  return { reader: new PictureReader(), dataDir, mostBytes: megabytes * 1e6 }
}

const untrustedProxy = `A proxy passes on requests, but its address is not in TRUSTED_PROXIES, so all its clients share one rate limit. Run "${howToType('doctor')}".`

type JobParts = {
  store: Store
  timeZone: string
  log: Log
  reportFailure: ReportFailure
  now: () => number
}

function startJobs(settings: Settings, parts: JobParts): { stop(): void | Promise<void> }[] {
  const { BACKUP_TO, BACKUP_EVERY: everyMs, HEARTBEAT_URL: url, RETENTION: retention } = settings
  const { store, timeZone, log, reportFailure, now } = parts
  const erasedNotNoted = (error: unknown) => reportFailure('erased-file.failed', error)
  const notForgotten = (error: unknown) => reportFailure('clock.not-forgotten', error)
  const isNight = (at: number) => localTime(at, timeZone).minute < 5 * 60
  const jobs = [
    watchDisk(fileOf(settings), log.warn),
    repeatByClock(() => store.forgetFuture(now()).catch(notForgotten), hourMs),
    repeatByClock(() => store.leads.noteErased().catch(erasedNotNoted), hourMs, 3 * secondMs),
    new NightlyErasing({ store, retention, isNight, report: log.info, reportFailure, now }).start(),
  ]
  jobs.push(fillSearch(parts))
  if (BACKUP_TO !== undefined) {
    jobs.push(backupByClock({ store, place: settings, everyMs, log, now }))
  }
  if (url === undefined) return jobs
  const prove = createProve({ store, reportFailure, now })
  return [...jobs, startHeartbeat({ url, prove, reportFailure })]
}

/** The fill begins when no lead has come for so long. A search does not wait for that: it fills before it reads. */
const quietMs = secondMs / 4
/** Under steady load the fill begins after this time, so that a search has little to fill. */
const longestUnfilledMs = 5 * secondMs

/** Looks each minute for what a crash, a command or an older version left, or could not be filled before. */
function fillSearch({ store, reportFailure }: JobParts): { stop(): Promise<void> } {
  const stopped = new AbortController()
  let unfilledSince: number | undefined
  let filling = Promise.resolve()
  const fillAll = async () => {
    while (!stopped.signal.aborted && (await store.search.fillNext()) > 0);
  }
  const notFilled = (error: unknown) => reportFailure('search.not-filled', error)
  const fill = () => {
    unfilledSince = undefined
    return (filling = filling.then(fillAll).catch(notFilled))
  }
  const whenQuiet = setTimeout(() => void fill(), quietMs).unref()
  store.leads.onChange(() => {
    const now = performance.now()
    unfilledSince ??= now
    if (now - unfilledSince < longestUnfilledMs) whenQuiet.refresh()
    else void fill()
  })
  const turns = repeatByClock(fill, minuteMs)
  return {
    async stop() {
      stopped.abort()
      clearTimeout(whenQuiet)
      await turns.stop()
      await filling
    },
  }
}

/** An unknown path is logged as `(other)`, because it may hold personal data. */
function noteAnswer(log: Log, router: Router) {
  return (ask: Ask, { status, logFacts }: Answer, startedAt: number, endedAt: number) => {
    const { id, method } = ask
    const route = router.nameOf(ask.path) ?? '(other)'
    requests.add({ route, status })
    const us = Math.round((endedAt - startedAt) * 1000)
    // At the level `info`, successful GET requests would fill the log.
    const write = method === 'GET' && status < 400 ? log.debug : log.info
    write('request', { id, method, route, status, us, ...logFacts })
  }
}
