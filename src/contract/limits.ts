/** How much is taken, and how long things hold. Published in the API description. */
export const maxBodyBytes = 64 * 1024

export const unlistedLimits = { fields: 40, bytes: 16 * 1024, depth: 16 } as const

export const idempotencyKeyLength = { min: 1, max: 255 } as const
export const keyKeptMs = 7 * 24 * 60 * 60 * 1000

/** Without a key, the same content within this time is the same lead. */
export const repeatWindowMs = 10 * 60 * 1000

/** More leads than this from one address are still taken, but held for the owner to look at. */
export const softLimit = { leads: 20, windowMs: 10 * 60 * 1000 } as const

/** More requests than this from one address are answered 429. */
export const hardLimit = { requests: 300, windowMs: 60 * 1000 } as const

/** When to try again where nothing could be kept. */
export const retryAfterS = 5
