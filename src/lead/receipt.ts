/** The receipt token: the reference, to find the lead by, and the part that only its sender knows. */
import { timingSafeEqual } from 'node:crypto'
import type { NameLeads } from './ids.ts'

export function toReceiptToken(reference: string, secretPart: string): string {
  return `${reference}.${secretPart}`
}

/** The reference that a token names; `undefined`: not even the shape of a token. */
export function referenceOfToken(token: string): string | undefined {
  return /^(C-[0-9A-Z]{5,8})\.[0-9a-f]{32}$/.exec(token)?.[1]
}

export function isTokenOf(
  token: string,
  lead: { id: string; reference: string },
  names: Pick<NameLeads, 'secretPartOf'>,
): boolean {
  const right = Buffer.from(toReceiptToken(lead.reference, names.secretPartOf(lead.id)))
  const given = Buffer.from(token)
  return given.length === right.length && timingSafeEqual(given, right)
}
