/** Whether the service that runs has read `.env` as it is now. It reads it once, at its start. */
import { statSync } from 'node:fs'
import type { Settings } from '../config.ts'
import { readyPath } from '../contract/routes.ts'
import { hostToAsk } from './healthcheck.ts'

const timeoutMs = 2_000

/** `undefined`: it has, or there is no such file, or nothing that runs could be asked. */
export async function findOlderService(
  { HOST, PORT }: Pick<Settings, 'HOST' | 'PORT'>,
  file = '.env',
): Promise<string | undefined> {
  const changedAt = statSync(file, { throwIfNoEntry: false })?.mtimeMs
  if (changedAt === undefined) return undefined
  const host = hostToAsk(HOST)
  const place = `${host.includes(':') ? `[${host}]` : host}:${PORT}`
  const startedAt = await askForStart(`http://${place}${readyPath}`)
  if (startedAt === undefined || startedAt > changedAt) return undefined
  return 'the service was started before .env was changed; restart it'
}

async function askForStart(url: string): Promise<number | undefined> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) })
    const { started = '' } = (await answer.json()) as { started?: string }
    return Date.parse(started) || undefined
  } catch {
    return undefined
  }
}
