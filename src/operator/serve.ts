/** `lead-intake serve`: runs the service until it is told to stop. */
import { flushCompileCache } from 'node:module'
import type { Settings } from '../config.ts'
import { errorFacts, openLog } from '../log.ts'
import type { Log } from '../log.ts'
import type { Service } from '../main.ts'
import { openToServe } from '../store/open.ts'
import { CommandFailed } from './output.ts'
import { toCommandFailed, settingsOrFail } from './open.ts'

export async function serve(): Promise<void> {
  const settings = settingsOrFail()
  const log = openLog(settings.LOG_LEVEL)
  surviveFaults(log)
  const starting = start(settings, log)
  // From the first moment on: whoever sees it listen may tell it to stop.
  stopOnSignal(starting, log)
  await starting.catch((error: unknown) => {
    log.flush()
    throw toCommandFailed(notListening(error))
  })
  // The next start finds this program compiled. Otherwise that is written only at a clean exit.
  setTimeout(flushCompileCache, 1_000).unref()
}

async function start(settings: Settings, log: Log): Promise<Service> {
  const store = await openToServe(settings, log.warn)
  // Everything else is loaded while the writer thread starts.
  const { startService } = await import('../main.ts')
  return startService(settings, log, store)
}

function stopOnSignal(starting: Promise<Service>, log: Log): void {
  let stopping = false
  const stop = () => {
    if (stopping) return
    stopping = true
    starting
      .then((service) => service.stop())
      .then(
        () => process.exit(0),
        (error: unknown) => {
          log.error('service.stop-failed', errorFacts(error))
          process.exit(1)
        },
      )
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
}

/** The last resort: what nobody caught is logged, and the service goes on. */
function surviveFaults(log: Log): void {
  process.on('uncaughtException', (error) => log.error('fault.uncaught', errorFacts(error)))
  process.on('unhandledRejection', (error) => log.error('fault.unhandled', errorFacts(error)))
}

function notListening(error: unknown): unknown {
  const { code = '', syscall = '' } = error as NodeJS.ErrnoException
  if (!['listen', 'bind', 'getaddrinfo'].includes(syscall) && code !== 'EINVAL') return error
  const why: Record<string, string> = {
    EADDRINUSE: 'something else listens on this PORT already; stop it, or choose another PORT',
    EACCES: 'this user may not listen on this PORT; choose one above 1023',
    EADDRNOTAVAIL: 'HOST is not an address of this machine',
    ENOTFOUND: 'HOST is not a known name or address',
    EAI_AGAIN: 'HOST is not a known name or address',
    EINVAL: 'LISTEN_FD is not a listening socket',
    EBADF: 'LISTEN_FD is not an open socket',
  }
  return new CommandFailed('unwell', `Cannot listen: ${why[code] ?? code}.`)
}
