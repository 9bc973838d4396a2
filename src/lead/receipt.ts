/**
 * The receipt token: 128 bits that nobody can compute without the secret, the same for every repeat
 * of a lead, and nothing to store: a stolen copy of the database opens no receipt. The reference
 * stands before it, to find the lead by.
 */
import { hash, hkdfSync, timingSafeEqual } from 'node:crypto'

export type Receipts = {
  tokenOf(lead: Named): string
  /** The reference that a token names; `undefined`: not even the shape of a token. */
  referenceOf(token: string): string | undefined
  isTokenOf(token: string, lead: Named): boolean
}

type Named = { id: string; reference: string }

export function createReceipts(secret: Buffer): Receipts {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'receipt', 32)).toString('base64url')

  // A hash under a key needs no HMAC where the text has one length and the result is cut in half:
  // there is nothing to extend.
  const tokenOf = ({ id, reference }: Named) =>
    `${reference}.${hash('sha256', key + id, 'base64url').slice(0, 22)}`

  return {
    tokenOf,
    referenceOf: (token) => /^(C-[0-9A-Z]{5,8})\.[\w-]{22}$/.exec(token)?.[1],
    isTokenOf(token, lead) {
      const right = Buffer.from(tokenOf(lead))
      const given = Buffer.from(token)
      return given.length === right.length && timingSafeEqual(given, right)
    },
  }
}
