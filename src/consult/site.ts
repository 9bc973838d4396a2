/** The address of the site, and the timeout and retries for asking it. */
import { baseUrlVariable, patience } from '../contract/commands.ts'
import { usageFailure } from './arguments.ts'
import type { Call } from './arguments.ts'
import { environment, homeUrl } from './environment.ts'

export type Site = {
  /** Without a slash at its end. */
  baseUrl: string
  timeoutMs: number
  retries: number
}

/**
 * `ownOrigin`: of a receipt address given in full. `--base-url` wins over it, it over the environment,
 * and that over the site that the command came from.
 */
export function readSite({ texts }: Call, ownOrigin?: string): Site {
  return {
    baseUrl: readBaseUrl(texts['base-url'] ?? ownOrigin ?? environment.baseUrl ?? homeUrl),
    timeoutMs: readNumber('timeout', texts.timeout, patience.timeoutS, { most: 600 }) * 1_000,
    retries: readNumber('retries', texts.retries, patience.retries, { most: 20, whole: true }),
  }
}

function readBaseUrl(text: string | undefined): string {
  if (text === undefined) {
    throw usageFailure(
      `Which site? Add --base-url https://www.example.com, or set ${baseUrlVariable}.`,
    )
  }
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isPlain = url && /^https?:$/.test(url.protocol) && !url.search && !url.hash && !url.username
  if (!isPlain || url.pathname !== '/') {
    throw usageFailure(
      `The address of the site (--base-url or ${baseUrlVariable}) must be one such as https://www.example.com, without a path, a user or a query.`,
    )
  }
  return url.origin
}

function readNumber(
  name: string,
  text: string | undefined,
  fallback: number,
  { most, whole = false }: { most: number; whole?: boolean },
): number {
  if (text === undefined) return fallback
  const number = Number(text)
  const pattern = whole ? /^\d+$/ : /^(?=.*[1-9])\d*\.?\d+$/
  if (pattern.test(text) && number <= most) return number
  throw usageFailure(`--${name} must be a ${whole ? 'whole ' : ''}number, ${most} at most.`)
}
