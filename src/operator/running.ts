/** Whether the service that runs is this version, and has read `.env` as it is now: it does so once, at its start. */
import { statSync } from 'node:fs'
import type { Settings } from '../config.ts'
import { readyPath } from '../contract/routes.ts'
import { version } from '../version.ts'
import { hostToAsk } from './healthcheck.ts'

const timeoutMs = 2_000

/** `undefined`: it is and has, or nothing that runs could be asked. */
export async function findOlderService(
  { HOST, PORT }: Pick<Settings, 'HOST' | 'PORT'>,
  file = '.env',
): Promise<string | undefined> {
  const host = hostToAsk(HOST)
  const place = `${host.includes(':') ? `[${host}]` : host}:${PORT}`
  const running = await ask(`http://${place}${readyPath}`)
  if (running?.version !== undefined && running.version !== version) {
    return `the service that runs is version ${running.version}, but ${version} is installed; restart it`
  }
  const changedAt = statSync(file, { throwIfNoEntry: false })?.mtimeMs
  const startedAt = Date.parse(running?.started ?? '') || undefined
  if (changedAt === undefined || startedAt === undefined || startedAt > changedAt) return undefined
  return 'the service was started before .env was changed; restart it'
}

async function ask(url: string): Promise<{ started?: string; version?: string } | undefined> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) })
    return (await answer.json()) as { started?: string; version?: string }
  } catch {
    return undefined
  }
}
