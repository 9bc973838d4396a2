/** Reads answers of the site: the expected JSON, or the failure to report. */
import type { Problem } from '../contract/check-fields.ts'
import type { Exit } from '../contract/commands.ts'
import { isTemporary } from './ask.ts'
import type { Reply } from './ask.ts'
import { Failed } from './failed.ts'
import type { ClientError } from './failed.ts'
import type { Site } from './site.ts'

export type JsonObject = { readonly [name: string]: unknown }

/** Throws the failure if the answer is anything else. */
export function expectJson<T extends JsonObject>(
  site: Site,
  answer: Reply,
  isWanted: (found: JsonObject) => found is T,
): T {
  const found = readObject(answer.text)
  if (answer.status === 200 && found !== undefined && isWanted(found)) return found
  throw toFailure(site, answer)
}

export function toFailure(site: Site, answer: Reply): Failed {
  const error = readError(answer)
  if (error !== undefined) return new Failed(exitOf(answer.status), error)
  if (isTemporary(answer.status)) {
    return new Failed('network', {
      message: `${site.baseUrl} answers ${answer.status}.`,
      resolution: 'Try again later.',
    })
  }
  return new Failed('unexpected', {
    message: `${site.baseUrl} does not answer as this service does (status ${answer.status}).`,
    resolution: 'Check the address of the site.',
  })
}

export function readObject(text: string): JsonObject | undefined {
  try {
    const value = JSON.parse(text) as unknown
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as JsonObject) : undefined
  } catch {
    return undefined
  }
}

function exitOf(status: number): Exit {
  if (isTemporary(status)) return 'network'
  return status === 400 || status === 413 ? 'invalid' : 'refused'
}

function readError({ status, text }: Reply): ClientError | undefined {
  const error = readObject(text)?.['error'] as Partial<ClientError> | undefined
  const { code, message, resolution, details } = error ?? {}
  if (status < 400 || !isText(code) || !isText(message) || !isText(resolution)) return undefined
  const problems = details?.fields
  if (!Array.isArray(problems)) return { code, message, resolution }
  return { code, message, resolution, details: { fields: problems.filter(isProblem) } }
}

function isProblem(found: unknown): found is Problem {
  const { field, problem, example } = (found ?? {}) as Partial<Problem>
  return isText(field) && isText(problem) && isText(example)
}

export function isText(value: unknown): value is string {
  return typeof value === 'string'
}
