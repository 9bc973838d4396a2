/** security.txt (RFC 9116). */
import { documents } from '../contract/documents.ts'
import type { Facts } from './facts.ts'

export function writeSecurity({ baseUrl, business, now }: Facts): string {
  return [
    `Contact: mailto:${business.security.email}`,
    `Expires: ${expiry(now)}`,
    'Preferred-Languages: en',
    `Canonical: ${baseUrl}${documents.security.path}`,
    '',
  ].join('\n')
}

/** Within a year (RFC 9116, 2.5.5), and the same on all nodes started in the same month. */
function expiry(now: number): string {
  const today = new Date(now)
  return new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + 11)).toISOString()
}
