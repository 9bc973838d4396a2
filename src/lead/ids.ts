/** NewIds for a lead: an id that sorts by time, the reference that follows from it, a token for its receipt. */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { referenceOf, toIdStart, toReference } from '../contract/reference.ts'

export type NewIds = {
  /** UUID version 7 (RFC 9562, 5.7). Within a millisecond the 12 bits after the version count up. */
  id: string
  reference: string
  /**
   * The time of the id, and its random part enciphered: 128 bits that nobody can compute without the
   * secret, the same for every repeat of a lead, and nothing to store. A stolen copy of the database
   * opens no receipt, unless the secret is in it (PostgreSQL).
   */
  token: string
}

export type LeadIds = {
  next(nowMs: number): NewIds
  tokenOf(leadId: string): string
  /** `undefined`: nobody was ever given this token. */
  readToken(token: string): ReadToken | undefined
}

/** How the id of the lead begins and ends; what counts up within a millisecond is not in a token. */
export type ReadToken = { start: string; tail: string; reference: string }

export function createLeadIds(secret: Buffer): LeadIds {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'receipt', 32))
  // Each block by itself, so one cipher serves them all: there is no pattern in what is random.
  const cipher = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false)
  const supply = createSupply((blocks) => cipher.update(blocks))
  let lastMs = 0
  let count = 0
  let start = ''

  return {
    next(nowMs) {
      if (nowMs > lastMs) startFrom(nowMs)
      // A full millisecond, or a clock set back: go on from where we were.
      else if (++count > 0xfff) startFrom(lastMs + 1)
      const { tail, tailBits, enciphered } = supply()
      return {
        id: `${start}${countText(count)}${tail.slice(0, 4)}-${tail.slice(4)}`,
        reference: toReference(lastMs, tailBits),
        token: start + enciphered,
      }
    },
    tokenOf(leadId) {
      const block = Buffer.alloc(16)
      block.write(leadId.slice(19).replace('-', ''), 'hex')
      return leadId.slice(0, 13) + cipher.update(block).toString('hex')
    },
    readToken(token) {
      if (!/^[0-9a-f]{8}-[0-9a-f]{36}$/.test(token)) return undefined
      const decipher = createDecipheriv('aes-256-ecb', key, null).setAutoPadding(false)
      const block = decipher.update(token.slice(13), 'hex', 'hex')
      // The second half was zeros; after a guess it would be anything.
      if (!block.endsWith('0'.repeat(16))) return undefined
      const ends = {
        start: token.slice(0, 13),
        tail: `${block.slice(0, 4)}-${block.slice(4, 16)}`,
      }
      return { ...ends, reference: referenceOf(ends.start + ends.tail) }
    },
  }

  function startFrom(ms: number): void {
    lastMs = ms
    count = 0
    start = toIdStart(ms)
  }
}

const countTexts: string[] = []

/** The group of the version and the count, remembered: mostly it is the first few. */
function countText(count: number): string {
  return (countTexts[count] ??= `-${(0x7000 + count).toString(16)}-`)
}

const supplySize = 256

/** Random parts are made by the hundred: one call into crypto for each would cost more than the rest of a lead. */
function createSupply(encipher: (blocks: Buffer) => Buffer) {
  // Blocks of sixteen bytes: eight random ones, which become the tail of an id, and eight zeros.
  const blocks = Buffer.alloc(supplySize * 16)
  let tails = ''
  let enciphered = ''
  let next = supplySize

  return () => {
    if (next === supplySize) refill()
    const at = next
    next += 1
    return {
      tail: tails.slice(at * 32, at * 32 + 16),
      tailBits: blocks[at * 16 + 6]! * 256 + blocks[at * 16 + 7]!,
      enciphered: enciphered.slice(at * 32, at * 32 + 32),
    }
  }

  function refill(): void {
    const random = randomBytes(supplySize * 8)
    for (let at = 0; at < supplySize; at += 1) {
      random.copy(blocks, at * 16, at * 8, at * 8 + 8)
      // The two bits of the variant.
      blocks[at * 16] = (blocks[at * 16]! & 0x3f) | 0x80
    }
    tails = blocks.toString('hex')
    enciphered = encipher(blocks).toString('hex')
    next = 0
  }
}
