/**
 * The receipt token: the lead's id, enciphered as one AES block. 128 bits that nobody can guess or
 * compute without the secret, the same for every repeat of a lead, and nothing to store: a stolen
 * copy of the database opens no receipt.
 */
import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto'

export type Receipts = {
  tokenOf(leadId: string): string
  /** `undefined`: not even the shape of a token. Whether there is such a lead is another question. */
  leadIdOf(token: string): string | undefined
}

export function createReceipts(secret: Buffer): Receipts {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'receipt', 32))
  // A single block is never chained, so one cipher serves all of them.
  const cipher = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false)
  return {
    tokenOf: (leadId) => cipher.update(leadId.replaceAll('-', ''), 'hex').toString('base64url'),
    leadIdOf(token) {
      if (!/^[A-Za-z0-9_-]{22}$/.test(token)) return undefined
      const decipher = createDecipheriv('aes-256-ecb', key, null).setAutoPadding(false)
      const hex = decipher.update(token, 'base64url', 'hex') + decipher.final('hex')
      return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
    },
  }
}
