/** Names for a lead: an id that sorts by time, a reference for the phone, a token for its receipt. */
import { createCipheriv, hkdfSync, randomBytes } from 'node:crypto'

export type Names = {
  /** UUID version 7 (RFC 9562, 5.7). Within a millisecond the 12 bits after the version count up. */
  id: string
  /** The short one is used unless it is taken already. */
  reference: { short: string; long: string }
  /**
   * The random part of the id, enciphered: 128 bits that nobody can compute without the secret, the
   * same for every repeat of a lead, and nothing to store. A stolen copy of the database opens no
   * receipt.
   */
  secretPart: string
}

export type NameLeads = {
  next(nowMs: number): Names
  secretPartOf(leadId: string): string
}

export function createNames(secret: Buffer): NameLeads {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'receipt', 32))
  // Each block by itself, so one cipher serves them all: there is no pattern in what is random.
  const cipher = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false)
  const supply = createSupply((blocks) => cipher.update(blocks))
  let lastMs = 0
  let count = 0
  let time = ''

  return {
    next(nowMs) {
      if (nowMs > lastMs) startOf(nowMs)
      // A full millisecond, or a clock set back: go on from where we were.
      else if (++count > 0xfff) startOf(lastMs + 1)
      const { tail, secretPart, letters } = supply()
      return {
        id: `${time}-${(0x7000 + count).toString(16)}-${tail.slice(0, 4)}-${tail.slice(4)}`,
        reference: { short: `C-${letters.slice(0, 5)}`, long: `C-${letters}` },
        secretPart,
      }
    },
    secretPartOf(leadId) {
      const block = Buffer.alloc(16)
      block.write(leadId.slice(-17).replace('-', ''), 'hex')
      return cipher.update(block).toString('hex')
    },
  }

  function startOf(ms: number): void {
    lastMs = ms
    count = 0
    const hex = ms.toString(16).padStart(12, '0')
    time = `${hex.slice(0, 8)}-${hex.slice(8)}`
  }
}

/** Without vowels, so that it spells nothing, and without signs that look alike. */
const alphabet = '23456789BCDFGHJKMNPQRSTVWXYZ'

const supplySize = 256

/** Random parts are made by the hundred: one call into crypto for each would cost more than the rest of a lead. */
function createSupply(encipher: (blocks: Buffer) => Buffer) {
  let tails = ''
  let secretParts = ''
  let letters = ''
  let next = supplySize

  return () => {
    if (next === supplySize) refill()
    const at = next
    next += 1
    return {
      tail: tails.slice(at * 32, at * 32 + 16),
      secretPart: secretParts.slice(at * 32, at * 32 + 32),
      letters: letters.slice(at * 8, at * 8 + 8),
    }
  }

  /** Blocks of sixteen: eight random bytes, the tail of an id with its variant's two bits, and eight zeros. */
  function refill(): void {
    const blocks = Buffer.alloc(supplySize * 16)
    const random = randomBytes(supplySize * 16)
    for (let at = 0; at < blocks.length; at += 16) {
      random.copy(blocks, at, at, at + 8)
      blocks[at] = (blocks[at]! & 0x3f) | 0x80
    }
    tails = blocks.toString('hex')
    secretParts = encipher(blocks).toString('hex')
    letters = Array.from(random.subarray(supplySize * 8), toLetter).join('')
    next = 0
  }
}

function toLetter(byte: number): string {
  return alphabet[byte % alphabet.length]!
}
