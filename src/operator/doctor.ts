/** `lead-intake doctor`: checks everything the service needs, and says how to fix a problem. */
import { constants, existsSync, statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { readEnvironment, readSettings } from '../config.ts'
import type { Settings } from '../config.ts'
import { mailFailureWords, tryMailServer } from '../delivery/mail/smtp.ts'
import { readSite } from '../discovery/published-site.ts'
import { howToType } from '../how-to-type.ts'
import { plural } from '../plural.ts'
import { isPostgres } from '../setting-values.ts'
import { exampleWarnings } from '../site/warnings.ts'
import { ContentFault } from '../site/yaml.ts'
import { askServer, databaseOf, fileOf, findLoss, openLeadsToRead } from '../store/open.ts'
import type { Loss } from '../store/open.ts'
import { lowDiskMib } from '../store/disk.ts'
import { findDamage, withLogs } from '../store/engine/sqlite-file.ts'
import { journalPath, readJournal } from '../store/journal.ts'
import { isThere } from '../store/ownership.ts'
import type { Store } from '../store/store.ts'
import { checkBackups, checkReplaced } from './backup-doctor.ts'
import { channelsOf, checkChannels, checkDeliveries } from './deliveries-doctor.ts'
import { checkFiles, findBlock } from './doctor-files.ts'
import { findDoubts } from './env-file.ts'
import { failed, ok, warning, type Finding } from './finding.ts'
import { checkInbox } from './inbox-doctor.ts'
import { toCommandFailed } from './explain-failure.ts'
import { refuseMissingContent } from './open.ts'
import { CommandFailed, print, toJson } from './output.ts'
import { checkProxy, proxyAdvice } from './proxy-doctor.ts'
import { findOlderService } from './running.ts'
import { toTable } from './table.ts'

export async function doctor({ json }: { json?: true }): Promise<void> {
  const read = readSettings(readEnvironment())
  const settings = 'settings' in read ? read.settings : undefined
  const problems = 'problems' in read ? read.problems : []
  const older = settings && (await findOlderService(settings))
  const doubts = findDoubts(settings)
  const findings: Finding[] = [
    ...problems.map((problem) => failed('settings', problem)),
    ...doubts.map((words) => warning('settings', words)),
    ...(problems.length + doubts.length === 0 ? [ok('settings', 'all valid')] : []),
    ...(older === undefined ? [] : [warning('service', older)]),
    ...(settings === undefined ? [] : await examine(settings)),
  ]
  if (json) await print(toJson(findings))
  else {
    const rows = findings.map(({ check, result, words }) => [result, check, words])
    await print(toTable(['', 'check', 'finding'], rows))
  }
  const bad = findings.filter(({ result }) => result === 'failed').length
  if (bad > 0) throw new CommandFailed('unwell', `${bad} of ${findings.length} checks failed.`)
}

async function examine(settings: Settings): Promise<Finding[]> {
  const channels = channelsOf(settings)
  // A database that cannot be looked at is named by its own check.
  const loss = await findLoss(settings).catch(() => undefined)
  return [
    ...checkFiles(settings, loss),
    ...(await orFailed('database', () => checkDatabase(settings, channels, loss))),
    checkDisk(settings),
    ...(await checkProxy(settings)),
    ...checkContent(settings),
    ...(channels === undefined ? [] : [checkChannels(channels)]),
    ...(await checkMail(settings, channels)),
  ]
}

/** Something that cannot be looked at is a finding too, and no reason to keep the others back. */
async function orFailed(
  check: string,
  look: () => Finding[] | Promise<Finding[]>,
): Promise<Finding[]> {
  try {
    return await look()
  } catch (error) {
    return [failed(check, (toCommandFailed(error) as Error).message)]
  }
}

type Channels = readonly string[] | undefined

async function checkDatabase(
  settings: Settings,
  channels: Channels,
  loss: Loss | undefined,
): Promise<Finding[]> {
  const check = (healthy: string) => checkStore(settings, healthy, channels)
  const database = databaseOf(settings)
  if (isPostgres(database)) {
    return [
      ...(await orFailed('database', () => check('the server answers'))),
      ...(await checkSyncing(database).catch(() => [])),
      ...(await orFailed('journal', () => checkJournal(settings))),
    ]
  }
  if (loss?.of === 'database') return [failed('database', loss.why.message)]
  if (!isThere(database)) return [ok('database', 'will be made at the first start')]
  const damage = findDamage(database)
  if (damage !== undefined) {
    return [failed('database', `${database} is damaged (${damage}); restore a backup in its place`)]
  }
  return check('no damage found')
}

/** The one setting of the server that no transaction can override. */
async function checkSyncing(url: string): Promise<Finding[]> {
  const [row] = await askServer(url, (server) =>
    server.read(`select current_setting('fsync') as fsync`),
  )
  if (row!['fsync'] === 'on') return []
  const words = 'the server has fsync = off: a power cut may damage the database and lose leads'
  return [warning('database', `${words}; set it to on in its postgresql.conf`)]
}

async function checkStore(
  settings: Settings,
  healthy: string,
  channels: Channels,
): Promise<Finding[]> {
  const store = await openLeadsToRead(settings)
  try {
    return [
      ok('database', healthy),
      ...(await orFailed('writing', () => checkWriting(store, databaseOf(settings)))),
      await checkClients(store),
      ...(await orFailed('deliveries', () => checkDeliveries(store, channels))),
      ...(await checkInbox(store, settings)),
      await checkBackups(store, settings),
      ...checkReplaced(settings),
    ]
  } finally {
    await store.close()
  }
}

/** Leads on this node that are not in PostgreSQL yet. */
function checkJournal({ DATA_DIR }: Settings): Finding[] {
  const { leads, oldestAt, refused } = readJournal(DATA_DIR)
  const waiting =
    leads === 0
      ? ok('journal', 'empty')
      : warning(
          'journal',
          `${plural(leads, 'lead')} on this node may still wait for PostgreSQL, the oldest since ${new Date(oldestAt!).toISOString()}`,
        )
  if (refused === undefined) return [waiting]
  const words = `PostgreSQL refused the leads in ${refused}; each line ends with the reason. Mend it, stop the service, add the lines to ${journalPath(DATA_DIR)}, delete that file, and start the service`
  return [waiting, failed('journal', words)]
}

/** A database file is not written to: /readyz of the running service makes a test commit. */
async function checkWriting(store: Store, database: string): Promise<Finding[]> {
  if (isPostgres(database)) await store.probe(Date.now())
  const files = isPostgres(database) ? [] : [...withLogs(database), dirname(database)]
  for (const path of files) {
    const block = findBlock(path, constants.W_OK)
    if (block === undefined || block === 'ENOENT') continue
    return [failed('writing', `this user may not write ${path} (${block})`)]
  }
  return [ok('writing', 'a lead can be committed')]
}

const enoughPeople = 20

/** One client address for many people means a proxy that is missing from TRUSTED_PROXIES. */
async function checkClients(store: Store): Promise<Finding> {
  const leads = await store.listLeads({ limit: 200 })
  const people = new Set(leads.map(({ values }) => values.email)).size
  const clients = new Set(leads.map(({ client }) => client)).size
  if (people < enoughPeople || clients > 1) {
    return ok('clients', `latest leads: ${leads.length}, from addresses: ${clients}`)
  }
  return warning(
    'clients',
    `the last ${leads.length} leads, of ${people} people, all came from one address, so they share one rate limit; if there is a proxy in front of the service, ${proxyAdvice}`,
  )
}

/** A fault stops the next start; a warning does not. */
function checkContent(settings: Settings): Finding[] {
  const { CONTENT_DIR: contentDir, BASE_URL: baseUrl = '' } = settings
  try {
    refuseMissingContent(settings)
    const { business, warnings: found } = readSite({ contentDir, baseUrl, now: Date.now() })
    const warnings = [...found, ...exampleWarnings(business)]
    if (warnings.length === 0)
      return [ok('content', 'complete, with no heavy or untitled pictures')]
    return warnings.map((words) => warning('content', words))
  } catch (error) {
    const said = error instanceof ContentFault ? error.sentences : [(error as Error).message]
    return said.map((words) => failed('content', words))
  }
}

const mebibyte = 1024 * 1024

function checkDisk(settings: Settings): Finding {
  let folder = dirname(fileOf(settings))
  while (!existsSync(folder)) folder = dirname(folder)
  const { bavail, bsize } = statfsSync(folder)
  const free = Math.floor((bavail * bsize) / mebibyte)
  if (free < 50) return failed('disk', `${free} MiB free; free some space before leads are refused`)
  if (free < lowDiskMib) return warning('disk', `${free} MiB free; free some space soon`)
  return ok('disk', `${free} MiB free`)
}

async function checkMail(settings: Settings, channels: Channels): Promise<Finding[]> {
  const { SMTP_URL: url, SMTP_TLS: tls } = settings
  if (url === undefined) {
    // Where there is no channel at all, the check of the notifications says so.
    if (channels?.length === 0) return []
    return [warning('mail', 'SMTP_URL is not set; leads are stored, but no mail is sent')]
  }
  const problem = await tryMailServer({ url, tls })
  if (problem !== undefined) return [failed('mail', mailFailureWords(problem, url))]
  const how = new URL(url).username === '' ? 'answers' : 'lets the user of SMTP_URL in'
  return [ok('mail', `the mail server ${how}; "${howToType('test-notification')}" sends a letter`)]
}
