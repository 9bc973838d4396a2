import { statSync } from 'node:fs'
import { version, type Settings } from '../config.ts'
import { readyPath, routes } from '../contract/routes.ts'
import { operatorToken } from '../doors/health.ts'
import { readSecret } from '../store/secret.ts'
import { CommandFailed, type Shell } from './shell.ts'

export async function checkHealth(shell: Shell): Promise<void> {
  const url = `${addressOf(shell.settings())}${routes.lead.path}`
  const asking = fetch(url, { signal: AbortSignal.timeout(4_000) })
  const status = await asking.then((answer) => answer.status).catch(() => undefined)
  if (status === 200) return
  const why = status === undefined ? 'does not answer' : `answers ${status}`
  throw new CommandFailed('unwell', `The service at ${url} ${why}.`)
}

/** Returns what is wrong; `undefined` if the running service has this version and the present `.env`. */
export async function findOlderService(settings: Settings): Promise<string | undefined> {
  const url = addressOf(settings)
  const answer = await askService(url, settings.DATA_DIR).catch(() => undefined)
  if (answer === undefined) {
    return `no service answers at ${url}; start it. Where systemd holds the socket, ListenStream in lead-intake.socket says where, not HOST and PORT`
  }
  const running = (await answer.json().catch(() => ({}))) as { started?: string; version?: string }
  // Only the service of this DATA_DIR accepts the token and tells its version.
  if (running.version === undefined) return `another service answers at ${url}; choose another PORT`
  if (running.version !== version) {
    return `the service that runs is version ${running.version}, but ${version} is installed; restart it`
  }
  const changedAt = statSync('.env', { throwIfNoEntry: false })?.mtimeMs ?? 0
  if (changedAt < Date.parse(running.started!)) return undefined
  return 'the service was started before .env was changed; restart it'
}

async function askService(url: string, dataDir: string): Promise<Response> {
  const headers = { authorization: `Bearer ${operatorToken(readSecret(dataDir))}` }
  return fetch(url + readyPath, { headers, signal: AbortSignal.timeout(2_000) })
}

function addressOf({ HOST, PORT }: Settings): string {
  const host = ['0.0.0.0', '::'].includes(HOST) ? 'localhost' : HOST
  return `http://${host.includes(':') ? `[${host}]` : host}:${PORT}`
}
