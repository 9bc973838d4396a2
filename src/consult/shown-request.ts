/** A request as a person sees it before it is sent: every word of it, and where it would go. */
import { fields } from '../contract/fields.ts'
import { toPairs } from './output.ts'
import type { Request } from './request.ts'

export function showRequest(url: string, { body, key }: Request): string {
  const labels = new Map<string, string>(fields.map(({ name, label }) => [name, label]))
  const pairs = Object.entries(body).map(
    ([name, value]) =>
      [
        labels.get(name) ?? name,
        typeof value === 'string' ? value : JSON.stringify(value),
      ] as const,
  )
  const shown = toPairs([['To', url], ...pairs, ['Key', key]])
  return isReadableOnTheWay(url)
    ? `${shown}\nThis address is not encrypted: others on the way can read the request.\n`
    : shown
}

function isReadableOnTheWay(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  return protocol === 'http:' && !/^(?:localhost|127\..*|\[::1\])$/.test(hostname)
}
