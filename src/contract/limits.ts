/** Sizes, rates and times that clients depend on and the API description publishes. Also puts numbers into words. */
import { dayMs, minuteMs } from '../time.ts'

export const maxBodyBytes = 64 * 1024
/** The same as node's default. */
export const maxHeaderBytes = 16 * 1024
/** How long a whole request may take to arrive. */
export const requestTimeoutMs = 10_000
/** A connection is closed if the client does not read the answer for this long. */
export const readTimeoutMs = 15_000

export const unlistedLimits = { fields: 40, bytes: 16 * 1024, depth: 16 } as const

export const idempotencyKeyLength = { min: 1, max: 255 } as const
export const keyKeptMs = 7 * dayMs

/** Without a key, the same content from the same address within this time is the same lead. */
export const repeatWindowMs = 10 * minuteMs

/** If more leads than this come from one address, the further ones are held for the owner to review. */
export const softLimit = { leads: 20, windowMs: 10 * minuteMs } as const

/** If more POSTs than this come from one address, the further ones get a 429. */
export const hardLimit = { requests: 300, windowMs: minuteMs } as const

/** If the held leads of one address have more bytes than this, further held leads get a 429. */
export const heldLimit = { bytes: 5_000_000, windowMs: dayMs } as const

/** The limits that `RATE_LIMIT=on` sets. */
export const defaultRateLimit = { soft: softLimit.leads, hard: hardLimit.requests } as const

/** Most open connections from one address (IPv6: one /64). Connections of a trusted proxy are not counted. */
export const maxConnectionsPerAddress = 64

/** In seconds. Sent as Retry-After with a 503. */
export const retryAfterS = 5

export function inKibibytes(bytes: number): string {
  return `${bytes / 1024} KiB`
}

/** Writes 10000 as 10,000. `toLocaleString` would load ICU, which would make every start 30 ms slower. */
export function inThousands(number: number): string {
  return String(number).replaceAll(/\B(?=(\d{3})+$)/g, ',')
}

/** Returns `1 lead` or `2 leads`. */
export function plural(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? '' : 's'}`
}
