/** Asks the service that runs on this machine how it is, for `healthcheck`, `doctor` and `test-notification`. */
import { statSync } from 'node:fs'
import { version, type Settings } from '../config.ts'
import { readyPath, routes } from '../contract/routes.ts'
import { requestOnce } from '../delivery/request.ts'
import { operatorToken, readSecret } from '../store/secret.ts'
import { CommandFailed, type Shell } from './shell.ts'

export async function checkHealth(shell: Shell): Promise<void> {
  const url = `${addressOf(shell.settings())}${routes.lead.path}`
  // `fetch` takes longer to load than everything else of this command, which containers run every few seconds.
  const answer = await requestOnce({ url, method: 'GET' }, AbortSignal.timeout(4_000))
  if ('status' in answer && answer.status === 200) return
  const why = 'status' in answer ? `answers ${answer.status}` : 'does not answer'
  throw new CommandFailed('unwell', `The service at ${url} ${why}.`)
}

/** What the running service of this DATA_DIR says of itself. */
export type Running = {
  /** What is wrong; `undefined` if it has this version and the present `.env`. */
  doubt?: string | undefined
  /** Why its database cannot be written; `undefined` if it can, or if no service says so. */
  away?: string | undefined
}

export async function askRunning(settings: Settings): Promise<Running> {
  const url = addressOf(settings)
  const answer = await askService(url, settings.DATA_DIR).catch(() => undefined)
  if (answer === undefined) {
    return {
      doubt: `no service answers at ${url}; start it. Where systemd holds the socket, ListenStream in lead-intake.socket says where, not HOST and PORT`,
    }
  }
  const state = (await answer.json().catch(() => ({}))) as ReadyState
  // Only the service of this DATA_DIR accepts the token and answers with its version.
  if (state.version === undefined) {
    return { doubt: `another service answers at ${url}; choose another PORT` }
  }
  return { doubt: findOlder(state), away: state.database === 'ok' ? undefined : state.database }
}

type ReadyState = { started: string; version?: string; database: string }

function findOlder({ version: running, started }: ReadyState): string | undefined {
  if (running !== version) {
    return `the service that runs is version ${running}, but ${version} is installed; restart it`
  }
  const changedAt = statSync('.env', { throwIfNoEntry: false })?.mtimeMs ?? 0
  if (changedAt < Date.parse(started)) return undefined
  return 'the service was started before .env was changed; restart it'
}

/** Long, because the service tries a commit first, and its disk may be slow or full. */
const readyTimeoutMs = 15_000

async function askService(url: string, dataDir: string): Promise<Response> {
  const headers = { authorization: `Bearer ${operatorToken(readSecret(dataDir))}` }
  return fetch(url + readyPath, { headers, signal: AbortSignal.timeout(readyTimeoutMs) })
}

function addressOf({ HOST, PORT }: Settings): string {
  const host = ['0.0.0.0', '::'].includes(HOST) ? 'localhost' : HOST
  return `http://${host.includes(':') ? `[${host}]` : host}:${PORT}`
}
