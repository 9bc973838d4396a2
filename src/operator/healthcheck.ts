/** Asks the service that runs on this machine: whether it takes leads, and whether it is up to date. */
import { statSync } from 'node:fs'
import { get } from 'node:http'
import { version, type Settings } from '../config.ts'
import { readyPath, routes } from '../contract/routes.ts'
import { CommandFailed, type Shell } from './shell.ts'

/** `lead-intake healthcheck`: by node:http, which loads faster than fetch. */
export async function checkHealth(shell: Shell): Promise<void> {
  const { HOST, PORT } = shell.settings()
  const host = hostToAsk(HOST)
  const asked = { host, port: PORT, path: routes.lead.path, timeout: 4_000 }
  const status = await new Promise<number | undefined>((tell) => {
    const asking = get(asked, (answer) => {
      answer.resume()
      tell(answer.statusCode)
    })
    asking.on('timeout', () => asking.destroy()).on('error', () => tell(undefined))
  })
  if (status === 200) return
  const why = status === undefined ? 'does not answer' : `answers ${status}`
  throw new CommandFailed('unwell', `The service on ${host}:${PORT} ${why}.`)
}

/** A service reads `.env` once, at its start. `undefined`: it is up to date, or none could be asked. */
export async function findOlderService(
  { HOST, PORT }: Pick<Settings, 'HOST' | 'PORT'>,
  file = '.env',
): Promise<string | undefined> {
  const host = hostToAsk(HOST)
  const place = `${host.includes(':') ? `[${host}]` : host}:${PORT}`
  const asking = fetch(`http://${place}${readyPath}`, { signal: AbortSignal.timeout(2_000) })
  const running = await asking
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

/** The name under which a service that listens on HOST answers. */
function hostToAsk(host: string): string {
  return ['0.0.0.0', '::'].includes(host) ? 'localhost' : host
}
