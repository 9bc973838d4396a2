/** Links in the owner's mail that move one lead to one state: signed, and valid for some time. */
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import { tapPath } from '../contract/routes.ts'
import type { State } from '../contract/states.ts'
import { dayMs, hourMs } from '../durations.ts'

/** The moves that a mail offers. A link holds the index: add at the end. */
export const tapMoves = ['contacted', 'consultation_booked', 'not_suitable', 'spam', 'new'] as const

export type TapMove = (typeof tapMoves)[number] & State

export const tapLabels: Record<TapMove, string> = {
  contacted: 'Contacted',
  consultation_booked: 'Consultation booked',
  not_suitable: 'Not suitable',
  spam: 'Spam',
  new: 'Release it',
}

export type Tap = { leadId: string; move: TapMove }

export type TapLinks = {
  pathFor(tap: Tap, nowMs: number): string
  /** `undefined`: not signed by us. */
  read(token: string, nowMs: number): (Tap & { expired: boolean }) | undefined
}

/** How long a link works. */
export const tapLinkDays = 30
const validMs = tapLinkDays * dayMs
const macBytes = 16
/** Sixteen bytes of the id, four of the hour it expires, one of the move. */
const saidBytes = 21

export function createTapLinks(secret: Buffer): TapLinks {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'one-tap', 32))
  const sign = (said: Buffer) =>
    createHmac('sha256', key).update(said).digest().subarray(0, macBytes)

  return {
    pathFor({ leadId, move }, nowMs) {
      const said = Buffer.alloc(saidBytes)
      said.write(leadId.replaceAll('-', ''), 'hex')
      said.writeUInt32BE(Math.ceil((nowMs + validMs) / hourMs), 16)
      said.writeUInt8(tapMoves.indexOf(move), 20)
      return tapPath + Buffer.concat([said, sign(said)]).toString('base64url')
    },
    read(token, nowMs) {
      const bytes = Buffer.from(token, 'base64url')
      if (bytes.length !== saidBytes + macBytes || bytes.toString('base64url') !== token) return
      const said = bytes.subarray(0, saidBytes)
      if (!timingSafeEqual(sign(said), bytes.subarray(saidBytes))) return undefined
      const move = tapMoves[said.readUInt8(20)]
      if (move === undefined) return undefined
      const expired = said.readUInt32BE(16) * hourMs < nowMs
      return { leadId: toUuid(said.toString('hex', 0, 16)), move, expired }
    },
  }
}

function toUuid(hex: string): string {
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
