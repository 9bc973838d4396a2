/** `lead-intake doctor`: checks everything the service needs, and says how to fix a problem. */
import { howToType, readSettings, type Settings } from '../config.ts'
import { readyPath } from '../contract/routes.ts'
import { planChannels } from '../delivery/channels.ts'
import { mailFailureWords, tryMailServer } from '../delivery/mail/smtp.ts'
import { isPublic } from '../http/client-address.ts'
import { plural } from '../contract/limits.ts'
import { isPostgres } from '../setting-values.ts'
import { findDamage } from '../store/engine/sqlite-file.ts'
import { journalPath, readJournal } from '../store/journal.ts'
import { isThere } from '../store/files.ts'
import { askServer, databaseOf, findLoss, openLeadsToRead, type Loss } from '../store/open.ts'
import { type Store } from '../store/store.ts'
import { examineContent } from './content.ts'
import { checkBackups, checkDisk, checkFiles } from './doctor-files.ts'
import { findDoubts } from './env-file.ts'
import { toCommandFailed } from './explain-failure.ts'
import { findOlderService } from './healthcheck.ts'
import { readBusinessOf, refuseMissingContent } from './open.ts'
import { CommandFailed, failed, ok, warning, type Finding } from './output.ts'
import { type Shell } from './shell.ts'

export async function doctor(shell: Shell, { json }: { json?: true }): Promise<void> {
  const read = readSettings(shell.environment)
  const settings = 'settings' in read ? read.settings : undefined
  const findings = [
    ...checkSettings('problems' in read ? read.problems : [], settings),
    ...(settings === undefined ? [] : await examine(settings)),
  ]
  await shell.printRows(findings, { columns: ['result', 'check', 'words'], json })
  const bad = findings.filter(({ result }) => result === 'failed').length
  if (bad > 0) throw new CommandFailed('unwell', `${bad} of ${findings.length} checks failed.`)
}

function checkSettings(problems: readonly string[], settings: Settings | undefined): Finding[] {
  const findings = [
    ...problems.map((problem) => failed('settings', problem)),
    ...findDoubts(settings).map((words) => warning('settings', words)),
  ]
  return findings.length > 0 ? findings : [ok('settings', 'all valid')]
}

async function examine(settings: Settings): Promise<Finding[]> {
  // A database that cannot be looked at is named by its own check.
  const loss = await findLoss(settings).catch(() => undefined)
  const older = await findOlderService(settings)
  return [
    ...(older === undefined ? [] : [warning('service', older)]),
    ...checkFiles(settings, loss),
    ...(await orFailed('database', () => checkDatabase(settings, loss))),
    checkDisk(settings),
    ...(await checkAddress(settings)),
    ...(await orFailed('content', () => {
      refuseMissingContent(settings)
      return examineContent(settings)
    })),
    await checkNotifications(settings),
  ]
}

/** A check that cannot be made is a finding, too, and no reason to keep the others back. */
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

async function checkDatabase(settings: Settings, loss: Loss | undefined): Promise<Finding[]> {
  const database = databaseOf(settings)
  if (isPostgres(database)) {
    return [
      ...(await orFailed('database', () => checkStore(settings, 'the server answers'))),
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
  return checkStore(settings, 'no damage found')
}

/** No transaction can override this setting of the server. */
async function checkSyncing(url: string): Promise<Finding[]> {
  const [row] = await askServer(url, (server) =>
    server.read(`select current_setting('fsync') as fsync`),
  )
  if (row!['fsync'] === 'on') return []
  const words = 'the server has fsync = off: a power cut may damage the database and lose leads'
  return [warning('database', `${words}; set it to on in its postgresql.conf`)]
}

/** Leads on this node that are not in PostgreSQL yet. */
function checkJournal({ DATA_DIR }: Settings): Finding[] {
  const { leads, oldestAt, refused } = readJournal(DATA_DIR)
  const since = new Date(oldestAt ?? 0).toISOString()
  const words = `${plural(leads, 'lead')} on this node may still wait for PostgreSQL, the oldest since ${since}`
  const waiting = leads === 0 ? ok('journal', 'empty') : warning('journal', words)
  if (refused === undefined) return [waiting]
  const cure = `Mend it, stop the service, add the lines to ${journalPath(DATA_DIR)}, delete that file, and start the service`
  return [
    waiting,
    failed(
      'journal',
      `PostgreSQL refused the leads in ${refused}; each line ends with the reason. ${cure}`,
    ),
  ]
}

async function checkStore(settings: Settings, healthy: string): Promise<Finding[]> {
  const store = await openLeadsToRead(settings)
  try {
    // A database file is not written to: /readyz of the running service makes a test commit.
    if (isPostgres(databaseOf(settings))) await store.probe(Date.now())
    return [
      ok('database', healthy),
      await checkClients(store),
      ...(await orFailed('deliveries', () => checkDeliveries(store, channelsOf(settings)))),
      await checkInbox(store, settings),
      ...(await checkBackups(store, settings)),
    ]
  } finally {
    await store.close()
  }
}

const proxyAdvice =
  'let the proxy name the client (nginx: proxy_set_header X-Forwarded-For $remote_addr; proxy_set_header Host $host;) and add its address to TRUSTED_PROXIES if it is on another machine'

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

/** Names of the channels that leads go to. `undefined`: the content cannot be read, as its check tells. */
function channelsOf(settings: Settings): string[] | undefined {
  try {
    return planChannels(settings, readBusinessOf(settings)).map(({ name }) => name)
  } catch {
    return undefined
  }
}

/** `planned`: names of the channels; `undefined` if they are not known. */
export async function checkDeliveries(
  store: Store,
  planned: readonly string[] | undefined,
): Promise<Finding[]> {
  const due = new Map((await store.countDeliveries(Date.now())).map((row) => [row.channel, row]))
  const all = await store.countDeliveries()
  if (all.length === 0) return [ok('deliveries', 'none yet')]
  return Promise.all(
    all.map(async ({ channel, waiting, dead }) => {
      const check = `deliveries, ${channel}`
      const late = due.get(channel)?.waiting ?? 0
      if (dead > 0) {
        const cure = `see "${howToType('deliveries list --dead')}", then "${howToType(`deliveries retry --channel ${channel}`)}"`
        return failed(check, `${dead} could not be delivered; ${cure}`)
      }
      if (waiting > 0 && planned?.includes(channel) === false) {
        const words = `${waiting} waiting for a channel that is no longer set up; set it up again`
        return warning(check, words)
      }
      const list =
        late === 0 ? [] : await store.listDeliveries({ outcome: 'waiting', channel, limit: 100 })
      const problem = list.find((delivery) => delivery.problem !== '')?.problem
      const words = `waiting: ${waiting}, due now: ${late}`
      if (problem === undefined) return ok(check, words)
      const cure = `"${howToType('test-notification')}" tells more`
      return warning(check, `${words}; last problem: ${problem}; ${cure}`)
    }),
  )
}

/** Whether somebody can sign in. A passkey is bound to the host it was made for. */
async function checkInbox({ access }: Store, { BASE_URL, SMTP_URL }: Settings): Promise<Finding> {
  const link = `"${howToType('inbox link')}" prints an address to come in by`
  const members = (await access.listMembers()).length
  if (members === 0) return warning('inbox', `nobody can sign in yet; ${link}`)
  const { hostname } = new URL(BASE_URL)
  const hosts = await access.passkeyHosts()
  if (SMTP_URL !== undefined || hosts.includes(hostname)) return ok('inbox', `members: ${members}`)
  const words = `there is neither a passkey for ${hostname} nor mail for codes, so nobody can sign in by himself; ${link}`
  return warning('inbox', words)
}

const publicTimeoutMs = 5_000

/** Asks the public address the way people do: only tools on this machine may get an answer from /readyz. */
async function checkAddress({ BASE_URL }: Settings): Promise<Finding[]> {
  if (!isPublic(BASE_URL)) return []
  const noTls =
    'BASE_URL has no https: what people write travels readable, and passkeys do not work; docs/install.md has the way to TLS'
  return [
    ...(BASE_URL.startsWith('https:') ? [] : [warning('address', noTls)]),
    await checkProxy(BASE_URL + readyPath),
  ]
}

async function checkProxy(url: string): Promise<Finding> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(publicTimeoutMs) })
    const isShown = (await answer.text()).includes('"ready":')
    if (!isShown) return ok('proxy', `${url} is closed to the public (${answer.status})`)
    return failed('proxy', `${url} is open: people pass for tools on this machine; ${proxyAdvice}`)
  } catch {
    return warning('proxy', `not checked: ${url} cannot be reached from here`)
  }
}

async function checkNotifications(settings: Settings): Promise<Finding> {
  const { SMTP_URL: url } = settings
  if (url === undefined) {
    const channels = channelsOf(settings) ?? []
    if (channels.length > 0) return ok('notifications', `leads go to: ${channels.join(', ')}`)
    return warning(
      'notifications',
      'neither SMTP_URL nor a webhook is set; leads are stored, but no notification is sent',
    )
  }
  const problem = await tryMailServer(url)
  if (problem !== undefined) return failed('mail', mailFailureWords(problem, url))
  const how = new URL(url).username === '' ? 'answers' : 'lets the user of SMTP_URL in'
  return ok('mail', `the mail server ${how}; "${howToType('test-notification')}" sends a letter`)
}
