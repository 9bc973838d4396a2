/** The ids of a lead: an id that sorts by time, the reference derived from it, and a receipt token. */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { receiptTokenPattern } from '../contract/receipt.ts'
import { toIdStart } from '../store/id-time.ts'
import { referenceOf, tailValues, toReference } from '../store/reference.ts'

export type NewIds = {
  /** UUID version 7 (RFC 9562, 5.7). Within a millisecond the 12 bits after the version count up. */
  id: string
  reference: string
  /**
   * The time of the id and its encrypted random part: 128 bits that need the secret to compute, the
   * same for every repeat of a lead, and not stored. A stolen copy of the database opens no receipt,
   * unless it holds the secret (PostgreSQL).
   */
  token: string
}

export type LeadIds = {
  next(nowMs: number): NewIds
  tokenOf(leadId: string): string
  /** `undefined`: not a token of this installation. */
  readToken(token: string): ReadToken | undefined
}

/** The two parts of the id that are in a token; the counter between them is not. */
export type ReadToken = { start: string; tail: string; reference: string }

const isToken = new RegExp(receiptTokenPattern)

export function createLeadIds(secret: Buffer): LeadIds {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'receipt', 32))
  // ECB is safe here: every block is random, so equal blocks do not occur. One cipher serves all.
  const cipher = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false)
  const supply = createSupply((blocks) => cipher.update(blocks))
  let lastMs = 0
  let count = 0
  let start = ''

  return {
    next(nowMs) {
      if (nowMs > lastMs) startFrom(nowMs)
      // The counter is full, or the clock was set back: continue from the last time.
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
      if (!isToken.test(token)) return undefined
      const decipher = createDecipheriv('aes-256-ecb', key, null).setAutoPadding(false)
      const block = decipher.update(token.slice(13), 'hex', 'hex')
      // The second half of the block is zero in every real token.
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

/** The group with the version and the counter, cached: mostly the first few are used. */
function countText(count: number): string {
  return (countTexts[count] ??= `-${(0x7000 + count).toString(16)}-`)
}

/**
 * The ends of ids, by which references of the same millisecond differ: drawn at random from a bag that
 * holds each value once. So leads of one process do not share a reference, and nobody can count them.
 */
function createTailBag(): (random: number) => number {
  const bag = Uint16Array.from({ length: tailValues }, (_, value) => value)
  let left = tailValues

  return (random) => {
    if (left === 0) left = tailValues
    const at = random % left
    left -= 1
    const drawn = bag[at]!
    bag[at] = bag[left]!
    bag[left] = drawn
    return drawn
  }
}

const supplySize = 256

/** Makes random parts 256 at a time: a call into crypto for each costs more than the rest of a lead. */
function createSupply(encipher: (blocks: Buffer) => Buffer) {
  // Blocks of 16 bytes: 8 random ones, the tail of an id, and 8 zeros.
  const blocks = Buffer.alloc(supplySize * 16)
  const drawTail = createTailBag()
  let tails = ''
  let enciphered = ''
  let next = supplySize

  return () => {
    if (next === supplySize) refill()
    const at = next
    next += 1
    return {
      tail: tails.slice(at * 32, at * 32 + 16),
      tailBits: blocks.readUInt16BE(at * 16 + 6),
      enciphered: enciphered.slice(at * 32, at * 32 + 32),
    }
  }

  function refill(): void {
    const random = randomBytes(supplySize * 8)
    for (let at = 0; at < supplySize; at += 1) {
      random.copy(blocks, at * 16, at * 8, at * 8 + 8)
      // The two bits of the variant.
      blocks[at * 16] = (blocks[at * 16]! & 0x3f) | 0x80
      const end = random.readUInt16BE(at * 8 + 6)
      blocks.writeUInt16BE((end & ~(tailValues - 1)) | drawTail(end), at * 16 + 6)
    }
    tails = blocks.toString('hex')
    enciphered = encipher(blocks).toString('hex')
    next = 0
  }
}
