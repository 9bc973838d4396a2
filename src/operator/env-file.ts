/** What in `.env` was probably meant otherwise. It is no reason not to start. */
import { settingNames, type Settings } from '../config.ts'
import { readEnvText } from '../environment.ts'
import { nearestName } from '../spelling.ts'
import { readBusinessOf } from './open.ts'

export function findDoubts(settings: Settings | undefined): string[] {
  const text = readEnvText()
  const doubts = doubtsIn(text, text === '' ? [] : secretsOf(settings))
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

const ourNames: readonly string[] = settingNames

/** Repeats names only: any other word may be part of a secret. */
export function doubtsIn(text: string, secrets: readonly string[] = []): string[] {
  const doubts: string[] = []
  for (const [index, line] of withoutLongValues(text).split('\n').entries()) {
    const place = `.env:${index + 1}:`
    const [, name, sign, value] = /^\s*(?:export\s+)?([\w.-]+)\s*(=?)(.*)/.exec(line) ?? []
    if (name === undefined) continue
    if (sign === '') {
      const after = ourNames.includes(name) ? ` after ${name}` : ''
      doubts.push(`${place} there is no =${after}; write NAME=VALUE`)
    } else if (!ourNames.includes(name) && !secrets.includes(name)) {
      const near = nearestName(name, ourNames)
      doubts.push(`${place} ${name} is no setting${near === undefined ? '' : `; ${near}?`}`)
    } else if (/\S#/.test(value!)) {
      doubts.push(`${place} ${name} ends at its #; write it as %23, or the value in quotes`)
    }
  }
  return doubts
}

/** A value in quotes may have several lines. */
function withoutLongValues(text: string): string {
  return text.replaceAll(
    /(=\s*)(["'`])([^"'`]*)\2/g,
    (_, before: string, _quote, value: string) =>
      before + value.replaceAll(/[^\n]/g, '').replaceAll('\n', '\n#'),
  )
}
