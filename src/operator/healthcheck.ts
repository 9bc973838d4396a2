/** Asks the service that runs on this machine: whether it takes leads, and whether it is up to date. */
import { statSync } from 'node:fs'
import { version, type Settings } from '../config.ts'
import { readyPath, routes } from '../contract/routes.ts'
import { CommandFailed, type Shell } from './shell.ts'

/** `lead-intake healthcheck`: fails unless a lead could be kept now. */
export async function checkHealth(shell: Shell): Promise<void> {
  const url = `${addressOf(shell.settings())}${routes.lead.path}`
  const asking = fetch(url, { signal: AbortSignal.timeout(4_000) })
  const status = await asking.then((answer) => answer.status).catch(() => undefined)
  if (status === 200) return
  const why = status === undefined ? 'does not answer' : `answers ${status}`
  throw new CommandFailed('unwell', `The service at ${url} ${why}.`)
}

/** Says why the running service must be restarted. `undefined`: it is up to date, or no service answers. */
export async function findOlderService(
  settings: Place,
  file = '.env',
): Promise<string | undefined> {
  const url = `${addressOf(settings)}${readyPath}`
  const running = await fetch(url, { signal: AbortSignal.timeout(2_000) })
    .then((answer) => answer.json() as Promise<{ started?: string; version?: string }>)
    .catch(() => undefined)
  if (running?.version !== undefined && running.version !== version) {
    return `the service that runs is version ${running.version}, but ${version} is installed; restart it`
  }
  const changedAt = statSync(file, { throwIfNoEntry: false })?.mtimeMs
  const startedAt = Date.parse(running?.started ?? '') || undefined
  if (changedAt === undefined || startedAt === undefined || startedAt > changedAt) return undefined
  return 'the service was started before .env was changed; restart it'
}

type Place = Pick<Settings, 'HOST' | 'PORT'>

/** The address at which this machine can reach a service that listens on HOST. */
function addressOf({ HOST, PORT }: Place): string {
  const host = ['0.0.0.0', '::'].includes(HOST) ? 'localhost' : HOST
  return `http://${host.includes(':') ? `[${host}]` : host}:${PORT}`
}
