/** The command `doctor`: checks an installation, and says what to do about each problem. */
import { accessSync, constants, existsSync, readdirSync, statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { isLost, isMoved, lostWords } from '../backup/folder.ts'
import { folderOfBackups } from '../backup/names.ts'
import { keptPrefix } from '../backup/restore.ts'
import { type Settings } from '../config.ts'
import { howToType, plural, sizeInWords } from '../words.ts'
import { routes } from '../contract/routes.ts'
import { onlyPhones, planTested } from '../delivery/channels.ts'
import { mailFailureWords, tryMailServer } from '../delivery/mail/smtp.ts'
import { readSite } from '../discovery/documents.ts'
import { isPublic } from '../http/client-address.ts'
import { findSharp, noSharp } from '../lead/photos/reading.ts'
import { isPostgres } from '../setting-values.ts'
import { findForgotten } from '../site/forgotten.ts'
import { readContent } from '../site/site.ts'
import { ContentFault } from '../site/yaml.ts'
import { isDrilled, isBackupOverdue, readBackupState } from '../store/backup-state.ts'
import { lowDiskMib, isThere } from '../store/files.ts'
import { StorageUnavailable } from '../store/engine/engine.ts'
import { explainReason, whyAway } from '../store/postgres/faults.ts'
import { findDamage, withLogs } from '../store/engine/sqlite-file.ts'
import { Journal, journalPath } from '../store/postgres/journal.ts'
import { askServer, databaseOf, fileOf, findLoss, openLeadsToRead } from '../store/open.ts'
import { readSecret, secretPath } from '../store/secret.ts'
import type { Store } from '../store/store.ts'
import { askRunning } from './healthcheck.ts'
import { findDoubts, readBusinessOf, refuseMissingContent } from './open.ts'
import { allowFolder, toCommandFailed } from './failures.ts'
import { CommandFailed, type Shell } from './shell.ts'

/** `words` say what was found and, if there is a problem, what to do. */
type Finding = { check: string; result: 'ok' | 'warning' | 'failed'; words: string }

const ok = (check: string, words: string): Finding => ({ check, result: 'ok', words })
const warning = (check: string, words: string): Finding => ({ check, result: 'warning', words })
const failed = (check: string, words: string): Finding => ({ check, result: 'failed', words })

type DoctorOptions = { thorough?: true; json?: true }

export async function doctor(shell: Shell, { thorough, json }: DoctorOptions): Promise<void> {
  const read = shell.readSettings()
  const settings = 'settings' in read ? read.settings : undefined
  const problems = 'problems' in read ? read.problems : []
  const doubts = findDoubts(settings, shell.environment)
  const findings = [
    ...problems.map((problem) => failed('settings', problem)),
    ...doubts.map((words) => warning('settings', words)),
    ...(problems.length + doubts.length === 0 ? [ok('settings', 'all valid')] : []),
    ...(settings === undefined ? [] : await examine(settings, thorough)),
  ]
  await shell.printRows(findings, { columns: ['result', 'check', 'words'], json })
  const bad = findings.filter(({ result }) => result === 'failed').length
  if (bad > 0) throw new CommandFailed('unwell', `${bad} of ${findings.length} checks failed.`)
}

async function examine(settings: Settings, thorough = false): Promise<Finding[]> {
  const { doubt, away } = await askRunning(settings)
  return [
    ...(doubt === undefined ? [] : [warning('service', doubt)]),
    checkFiles(settings),
    ...(await orFailed('secret', async () => checkSecret(settings))),
    ...(await orFailed('database', () => checkDatabase(settings, { away, thorough }))),
    ...(await orFailed('journal', async () => checkJournal(settings))),
    checkDisk(settings),
    await checkPhotos(settings),
    ...(await checkAddress(settings)),
    ...(await orFailed('content', async () => examineContent(settings))),
    ...(await orFailed('notifications', () => checkNotifications(settings))),
  ]
}

/** A check that throws fails, and the other checks still run. */
async function orFailed(check: string, run: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await run()
  } catch (error) {
    return [failed(check, (toCommandFailed(error) as Error).message)]
  }
}

/** The modes of the files are not checked, because each start makes the files private. */
function checkFiles(settings: Settings): Finding {
  const { DATA_DIR } = settings
  const own = [DATA_DIR, ...withLogs(fileOf(settings)), secretPath(DATA_DIR)]
  for (const path of [...own, folderOfBackups(settings)]) {
    try {
      accessSync(nearest(path), constants.R_OK | constants.W_OK)
    } catch (error) {
      return failed('files', whyNoAccess(path, (error as NodeJS.ErrnoException).code!))
    }
  }
  return ok('files', `${DATA_DIR} can be read and written`)
}

function whyNoAccess(path: string, code: string): string {
  const there = nearest(path)
  if (code === 'EROFS') return `${path} cannot be written (${code}). ${allowFolder}`
  if (there !== path) {
    return `there is no ${path}, and this user may not make it in ${there} (${code}); make it, and run chown on it`
  }
  const why = `this user may not read and write ${path} (${code})`
  return `${why}; run chown on it, or run doctor as the user of the service`
}

/** A lost secret is a finding of the database. */
function checkSecret({ DATA_DIR }: Settings): Finding[] {
  if (isThere(secretPath(DATA_DIR))) readSecret(DATA_DIR)
  return []
}

/** The path itself, or the nearest folder above it that exists. */
function nearest(path: string): string {
  return existsSync(path) ? path : nearest(dirname(path))
}

function checkDisk(settings: Settings): Finding {
  const { bavail, bsize } = statfsSync(nearest(dirname(fileOf(settings))))
  const free = Math.floor((bavail * bsize) / 1024 / 1024)
  if (free < 50)
    return failed('disk', `${free} MiB free; free some space now: without it leads are refused`)
  if (free < lowDiskMib) return warning('disk', `${free} MiB free; free some space soon`)
  return ok('disk', `${free} MiB free`)
}

async function checkPhotos({ PHOTO_SPACE: megabytes }: Settings): Promise<Finding> {
  if (megabytes === 0) return ok('photos', 'PHOTO_SPACE is 0, so none can be added')
  const version = await findSharp()
  return version === undefined ? warning('photos', noSharp) : ok('photos', `read by ${version}`)
}

type DatabaseCheck = {
  /** Why the running service cannot write the database; `undefined` if it can. */
  away: string | undefined
  /** Also compares indexes with their tables, which takes minutes where there are a million leads. */
  thorough: boolean
}

async function checkDatabase(
  settings: Settings,
  { away, thorough }: DatabaseCheck,
): Promise<Finding[]> {
  const loss = await findLoss(settings)
  if (loss !== undefined) return [failed('database', loss.message)]
  const database = databaseOf(settings)
  if (isPostgres(database)) {
    return [
      ...(await checkStore(settings, serverFinding(database, away))),
      ...(await checkSyncing(database)),
    ]
  }
  if (!isThere(database)) return [ok('database', 'will be made at the first start')]
  const damage = findDamage(database, thorough ? 'integrity_check' : 'quick_check')
  if (damage !== undefined) {
    return [failed('database', `${database} is damaged (${damage}); restore a backup in its place`)]
  }
  return checkStore(settings, fileFinding(database, away))
}

function fileFinding(path: string, away: string | undefined): Finding {
  if (away === undefined) return ok('database', 'no damage found')
  const why = `the running service cannot write ${path} (${away})`
  return failed('database', `no damage found, but ${why}; docs/operating.md says what to do`)
}

/** A full disk may have room for the test commit of doctor, but not for the leads of the service. */
function serverFinding(url: string, away: string | undefined): Finding {
  if (away === undefined) return ok('database', 'the server answers')
  const unknown = `the server answers, but the service cannot write it (${away}); the log says why (database.away)`
  return failed('database', explainReason(away, url) ?? unknown)
}

/** Only warns, because `fsync` is a setting of the server that the service cannot change. */
async function checkSyncing(url: string): Promise<Finding[]> {
  const sql = `select current_setting('fsync') as fsync`
  const [row] = await askServer(url, (server) => server.read(sql))
  if (row!['fsync'] === 'on') return []
  const words = 'the server has fsync = off: a power cut may damage the database and lose leads'
  return [warning('database', `${words}; set it to on in its postgresql.conf`)]
}

function checkJournal(settings: Settings): Finding[] {
  if (!isPostgres(databaseOf(settings))) return []
  const { DATA_DIR } = settings
  const { leads, oldestAt, refused } = new Journal(DATA_DIR).state()
  const since = new Date(oldestAt ?? 0).toISOString()
  const words = `${plural(leads, 'lead')} on this node may still wait for PostgreSQL, the oldest since ${since}`
  const waiting = leads === 0 ? ok('journal', 'empty') : warning('journal', words)
  if (refused === undefined) return [waiting]
  const cure = `Fix the cause, stop the service, append the lines of that file to ${journalPath(DATA_DIR)}, delete the file, and start the service`
  const why = `PostgreSQL refused the leads in ${refused}; each line ends with the reason. ${cure}`
  return [waiting, failed('journal', why)]
}

async function checkStore(settings: Settings, database: Finding): Promise<Finding[]> {
  const store = await openLeadsToRead(settings)
  try {
    return [
      // A database file is opened only to read, so it gets no test commit.
      isPostgres(databaseOf(settings)) ? await probeServer(store, settings, database) : database,
      await checkClients(store),
      ...(await checkDeliveries(store)),
      await checkInbox(store),
      await checkBackups(store, settings),
      ...checkReplaced(settings),
    ]
  } finally {
    await store.close()
  }
}

async function probeServer(store: Store, settings: Settings, well: Finding): Promise<Finding> {
  try {
    await store.probe(Date.now())
    return well
  } catch (error) {
    if (!(error instanceof StorageUnavailable)) throw error
    return failed('database', whyAway(error, databaseOf(settings)))
  }
}

const enoughPeople = 20

/** Warns if the leads of many people came from one address, which may be that of a proxy. */
async function checkClients(store: Store): Promise<Finding> {
  const leads = await store.views.list({ limit: 200 })
  const people = new Set(leads.map(({ values }) => values.email)).size
  const clients = new Set(leads.map(({ client }) => client)).size
  if (people < enoughPeople || clients > 1) {
    return ok('clients', `latest leads: ${leads.length}, from addresses: ${clients}`)
  }
  return warning(
    'clients',
    `the last ${leads.length} leads, of ${people} people, all came from one address, so they share one rate limit; if there is a proxy in front of the service, let the proxy name the client (nginx: proxy_set_header X-Forwarded-For $remote_addr; proxy_set_header Host $host;) and add its address to TRUSTED_PROXIES if it is on another machine`,
  )
}

async function checkDeliveries(store: Store): Promise<Finding[]> {
  const counts = await store.deliveries.count()
  if (counts.length === 0) return [ok('deliveries', 'none yet')]
  return Promise.all(
    counts.map(async ({ channel, waiting, dead }) => {
      const check = `deliveries, ${channel}`
      if (dead > 0) {
        const cure = `see "${howToType('deliveries list --dead')}", then "${howToType('deliveries retry')}"`
        return failed(check, `${dead} could not be delivered; ${cure}`)
      }
      const list = await store.deliveries.list({ outcome: 'waiting', channel, limit: 100 })
      const failing = list.find(({ problem }) => problem !== '')
      if (failing === undefined) return ok(check, `waiting: ${waiting}`)
      const cure = `"${howToType('test-notification')}" says more`
      return warning(check, `waiting: ${waiting}; last problem: ${failing.problem}; ${cure}`)
    }),
  )
}

async function checkInbox({ access }: Store): Promise<Finding> {
  const members = (await access.listMembers()).length
  if (members > 0) return ok('inbox', `members: ${members}`)
  const link = `"${howToType('inbox link')}" prints a sign-in link`
  return warning('inbox', `nobody can sign in yet; ${link}`)
}

async function checkBackups(store: Store, settings: Settings): Promise<Finding> {
  const { BACKUP_TO, BACKUP_EVERY } = settings
  if (BACKUP_TO !== undefined && isMoved(settings)) {
    const cure = 'the service makes one within a minute of its start'
    return warning('backup', `none was made in ${BACKUP_TO} yet; ${cure}`)
  }
  if (BACKUP_TO !== undefined && (await isLost(settings))) {
    return failed('backup', lostWords(BACKUP_TO))
  }
  const state = await readBackupState(store, Date.now())
  // The service may not have seen yet that a backup is back in its folder.
  const made = state.made ?? state.lost
  const cure = BACKUP_TO === undefined ? 'set BACKUP_TO' : 'the log says why (backup.failed)'
  if (made === undefined) return warning('backup', `none was made yet; ${cure}`)
  const checked = isDrilled(state, Date.now()) ? ', restored and checked' : ''
  const newest = `the newest is of ${new Date(made.at).toISOString()}, ${sizeInWords(made.bytes)}${checked}`
  if (BACKUP_TO === undefined) return ok('backup', `${newest}; made by command only`)
  const isLate = isBackupOverdue({ made }, BACKUP_EVERY, Date.now())
  return isLate ? warning('backup', `${newest}; ${cure}`) : ok('backup', newest)
}

function checkReplaced(settings: Settings): Finding[] {
  const folders = new Set([settings.DATA_DIR, dirname(fileOf(settings))])
  const names = [...folders].flatMap((folder) => readdirSync(folder))
  const why = 'was replaced by a restore, and what is erased later stays in it'
  return names
    .filter((name) => name.startsWith(keptPrefix))
    .map((name) => warning('restored', `${name} ${why}; delete it when nothing in it is needed`))
}

/** Asks the site at its public address, as a caller would. */
async function checkAddress({ BASE_URL }: Settings): Promise<Finding[]> {
  if (!isPublic(BASE_URL)) return []
  const noTls =
    'BASE_URL has no https: form data is sent unencrypted, and passkeys do not work; docs/install.md has the way to TLS'
  const tls = BASE_URL.startsWith('https:') ? [] : [warning('address', noTls)]
  const url = BASE_URL + routes.lead.path
  try {
    const { status } = await fetch(url, { signal: AbortSignal.timeout(5_000) })
    const words = `${url} answers ${status}`
    return [...tls, status === 200 ? ok('address', words) : failed('address', words)]
  } catch (error) {
    const { code = 'no answer' } = ((error as Error).cause ?? {}) as NodeJS.ErrnoException
    const isRefused = /CERT|TLS|SSL|SIGNATURE/.test(code)
    const cure = code === 'CERT_HAS_EXPIRED' ? 'renew it' : 'get another one'
    const words = `its certificate is not accepted (${code}): browsers refuse it; ${cure} in the proxy`
    const unknown = `not checked: ${url} cannot be reached from here (${code})`
    return [...tls, isRefused ? failed('address', words) : warning('address', unknown)]
  }
}

async function checkNotifications(settings: Settings): Promise<Finding[]> {
  const { SMTP_URL: url } = settings
  if (url === undefined) {
    const channels = planTested(settings, readBusinessOf(settings)).map(({ name }) => name)
    if (channels.length > 0) return [ok('notifications', `leads go to: ${channels.join(', ')}`)]
    return [warning('notifications', onlyPhones)]
  }
  const problem = await tryMailServer(url)
  if (problem !== undefined) return [failed('mail', mailFailureWords(problem, url))]
  const how = new URL(url).username === '' ? 'answers' : 'lets the user of SMTP_URL in'
  return [
    ok('mail', `the mail server ${how}; "${howToType('test-notification')}" sends a test email`),
  ]
}

export async function checkContent(shell: Shell): Promise<void> {
  const found = examineContent(shell.settings())
  await shell.printRows(found, { columns: ['result', 'words'] })
  if (found.some(({ result }) => result === 'failed')) {
    throw new CommandFailed('unwell', 'The service does not start with this content.')
  }
}

/** The service starts in spite of warnings, but not with a failed finding. */
export function examineContent(settings: Pick<Settings, 'CONTENT_DIR' | 'BASE_URL'>): Finding[] {
  refuseMissingContent(settings)
  const { CONTENT_DIR: contentDir, BASE_URL: baseUrl } = settings
  try {
    const site = readSite(contentDir, baseUrl)
    return [
      ok('content', `the service starts with ${contentDir}`),
      ...[...site.warnings, ...findForgotten(site, contentDir)].map((words) =>
        warning('content', words),
      ),
    ]
  } catch (error) {
    if (!(error instanceof ContentFault)) throw error
    const forgotten = findForgotten(readContent(contentDir, baseUrl), contentDir)
    return [
      ...error.sentences.map((words) => failed('content', words)),
      ...forgotten.map((words) => warning('content', words)),
    ]
  }
}
