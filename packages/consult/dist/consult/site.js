/** The address of the site, and the timeout and retries for asking it. */
import { baseUrlVariable, patience } from '../contract/commands.js'
import { usageFailure } from './arguments.js'
import { environment } from './environment.js'
/** `ownOrigin`: of a receipt address given in full. `--base-url` wins over it, and it over the environment. */
export function readSite({ texts }, ownOrigin) {
  return {
    baseUrl: readBaseUrl(texts['base-url'] ?? ownOrigin ?? environment.baseUrl),
    timeoutMs: readNumber('timeout', texts.timeout, patience.timeoutS, { most: 600 }) * 1_000,
    retries: readNumber('retries', texts.retries, patience.retries, { most: 20, whole: true }),
  }
}
function readBaseUrl(text) {
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
function readNumber(name, text, fallback, { most, whole = false }) {
  if (text === undefined) return fallback
  const number = Number(text)
  const pattern = whole ? /^\d+$/ : /^(?=.*[1-9])\d*\.?\d+$/
  if (pattern.test(text) && number <= most) return number
  throw usageFailure(`--${name} must be a ${whole ? 'whole ' : ''}number, ${most} at most.`)
}
