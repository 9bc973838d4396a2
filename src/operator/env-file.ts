/** Finds what in `.env` was probably meant otherwise. It is no reason not to start. */
import { parseEnv } from 'node:util'
import { readEnvText, howToType, settingNames, type Settings } from '../config.ts'
import { readBusinessOf } from './open.ts'

export function findDoubts(settings: Settings | undefined): string[] {
  const text = readEnvText()
  const doubts = text === '' ? [] : doubtsIn(text, secretsOf(settings))
  if (settings?.OWNER_EMAIL !== undefined && settings.SMTP_URL === undefined) {
    doubts.push('OWNER_EMAIL is set, but SMTP_URL is not: no mail is sent')
  }
  return doubts
}

/** The names that webhooks have for their secrets. */
function secretsOf(settings: Settings | undefined): string[] {
  try {
    const { webhooks = [] } = settings === undefined ? {} : readBusinessOf(settings)
    return webhooks.map(({ secret }) => secret)
  } catch {
    return []
  }
}

/** Repeats names only: a value may be a secret. */
export function doubtsIn(text: string, secrets: readonly string[] = []): string[] {
  const known: readonly string[] = [...settingNames, ...secrets]
  return Object.keys(parseEnv(text))
    .filter((name) => !known.includes(name))
    .map((name) => `${name} in .env is no setting; "${howToType('config')}" lists them`)
}
