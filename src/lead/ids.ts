/** Makes the ids of leads and the tokens of their receipts. */
import { randomUUID, timingSafeEqual } from 'node:crypto'
import { isOfFuture } from '../store/clock.ts'
import { receiptTokenPattern } from '../contract/receipt.ts'
import { toIdStart } from '../store/leads/rows.ts'
import { keyedHash } from '../store/secret.ts'

export class LeadIds {
  readonly #sign: (id: string) => string
  #lastMs = 0
  #count = 0

  constructor(secret: Buffer) {
    this.#sign = keyedHash(secret, 'receipt')
  }

  /** Makes a UUID of version 7 (RFC 9562, 5.7); ids of the same millisecond count up. */
  next(nowMs: number): string {
    this.#count += 1
    // If the clock was set back a little, ids continue from the latest time that was used.
    if (nowMs > this.#lastMs || isOfFuture(this.#lastMs, nowMs)) {
      this.#lastMs = nowMs
      this.#count = 0
    } else if (this.#count > 0xfff) {
      this.#lastMs += 1
      this.#count = 0
    }
    const middle = (0x7000 + this.#count).toString(16)
    return `${toIdStart(this.#lastMs)}-${middle}-${randomUUID().slice(19)}`
  }

  /** Tokens are not stored, so the rows of leads alone open no receipt. */
  tokenOf(leadId: string): string {
    const id = leadId.replaceAll('-', '')
    return id + this.#sign(id)
  }

  /** Returns `undefined` if this installation did not make the token. */
  readToken(token: string): string | undefined {
    if (!isToken.test(token)) return undefined
    const leadId = token.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5')
    const isOurs = timingSafeEqual(Buffer.from(token), Buffer.from(this.tokenOf(leadId)))
    return isOurs ? leadId : undefined
  }
}

const isToken = new RegExp(receiptTokenPattern)
