/** The command `serve`: runs the service until a signal or a fault ends it. */
import { isatty } from 'node:tty'
import { removeLeft } from '../backup/file.ts'
import { backUpBeforeMigration } from '../backup/make.ts'
import { type Settings } from '../config.ts'
import type { Business } from '../contract/business.ts'
import { planRecipients } from '../delivery/channels.ts'
import { howToType } from '../words.ts'
import { errorFacts, openLog, type Log } from '../log.ts'
import { DatabaseReplaced } from '../store/engine/sqlite.ts'
import { startService, type Service } from '../main.ts'
import { NewerSchema } from '../store/engine/migrations.ts'
import { openToServe } from '../store/open.ts'
import type { Store } from '../store/store.ts'
import { howToUse, makeLink } from './inbox.ts'
import { findDoubts, readBusinessOf } from './open.ts'
import { CommandFailed, type Shell } from './shell.ts'

export async function serve(shell: Shell): Promise<void> {
  const settings = shell.settings()
  const log = openLog(settings.LOG_LEVEL)
  process.on('exit', log.flush)
  const starting = startAll(shell, settings, log)
  // Does not wait for the start, because a signal may come during it.
  endOnSignalOrFault(starting, log)
  await starting.catch(async (error: unknown) => {
    if (!(error instanceof NewerSchema)) throw notListening(error)
    const { explainWayBack } = await import('./backup.ts')
    throw await explainWayBack(error, settings)
  })
}

async function startAll(shell: Shell, settings: Settings, log: Log): Promise<Service> {
  // Read before the database is opened, so that a start without content leaves none behind.
  const business = readBusinessOf(settings)
  const recipients = planRecipients(settings, business)
  const store = await openToServe(settings, {
    log,
    recipients,
    beforeMigration: (schema) => backUpBeforeMigration(settings, schema, log.info),
  })
  const service = await startService(settings, log, store, { business })
  await settle(shell, settings, { store, log, business }).catch((error: unknown) => {
    log.warn('service.not-settled', errorFacts(error))
  })
  return service
}

/** Shows the sign-in link only at a terminal, because others may read the log. */
async function settle(
  shell: Shell,
  settings: Settings,
  { store: { access }, log, business }: { store: Store; log: Log; business: Business },
): Promise<void> {
  const { DATA_DIR, BASE_URL } = settings
  removeLeft(DATA_DIR)
  for (const words of findDoubts(settings, shell.environment, business))
    log.warn('settings.doubtful', { words })
  const isTerminal = isatty(1)
  if (isTerminal) {
    // The link is printed below the lines of the log.
    log.flush()
    await shell.print(`\nThe site is at ${BASE_URL}\n`)
  }
  if ((await access.listMembers()).length > 0) return
  if (!isTerminal) return log.info('inbox.no-member', { note: noMember })
  const url = await makeLink(access, BASE_URL, {})
  await shell.print(`\nYour inbox is ready. ${howToUse(url)}\n\n`)
}

const noMember = `Nobody can open the inbox yet. "${howToType('inbox link')}" prints a sign-in link.`

const faultDeadlineMs = 5_000

/** After an uncaught error the state is unknown, so the process exits with 1 and is started anew. */
function endOnSignalOrFault(starting: Promise<Service>, log: Log): void {
  let exitCode = 0
  let stopping: Promise<void> | undefined
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  // Unhandled rejections of promises arrive here too.
  process.on('uncaughtException', crash)

  function stop(): void {
    stopping ??= starting.then((service) => service.stop()).then(exit, stopFailed)
  }

  function crash(error: unknown, origin: string): void {
    if (exitCode !== 0) return
    exitCode = 1
    if (error instanceof DatabaseReplaced) log.error('database.replaced', { note: error.message })
    else log.error('service.crashed', { origin, ...errorFacts(error) })
    log.flush()
    setTimeout(exit, faultDeadlineMs)
    stop()
  }

  function stopFailed(error: unknown): void {
    exitCode = 1
    log.error('service.stop-failed', errorFacts(error))
    exit()
  }

  function exit(): void {
    void log.drain().then(() => process.exit(exitCode))
  }
}

function notListening(error: unknown): unknown {
  const { code = '', syscall = '', port } = error as NodeJS.ErrnoException & { port?: number }
  if (!['listen', 'bind', 'getaddrinfo'].includes(syscall) && code !== 'EINVAL') return error
  const why: Record<string, string> = {
    EADDRINUSE: `something else listens on PORT ${port} already; stop it, or choose another`,
    EACCES: `this user may not listen on PORT ${port}; choose one above 1023`,
  }
  const words = why[code] ?? `HOST, PORT or LISTEN_FD is wrong (${code})`
  return new CommandFailed('unwell', `Cannot listen: ${words}.`)
}
