/** The limits that the service promises: sizes, times and counts. */
import { dayMs, minuteMs, secondMs } from '../time.ts'

export const maxBodyBytes = 64 * 1024
/** The default limit of node, which the server does not change. */
export const maxHeaderBytes = 16 * 1024
export const requestTimeoutMs = 10_000
/** A client that does not read the answer for this long loses the connection. */
export const readTimeoutMs = 15_000

export const unlistedLimits = { fields: 40, bytes: 16 * 1024, depth: 16 } as const

/** Characters of what the customer writes to ask for another time. */
export const longestAsking = 1_000
/** Pressing that button twice within this time is asking once. */
export const askAgainMs = 5 * secondMs
/** Characters of the street of a request, and of the place of a visit. */
export const longestPlace = 300
/** Characters of a member's note. */
export const longestNote = 4_000

export const idempotencyKeyLength = { min: 1, max: 255 } as const
export const keyKeptMs = 7 * dayMs

/** Without a key, the same content from the same address within this time is the same lead. */
export const repeatWindowMs = 10 * minuteMs

/** Further leads from one address are held for the owner to review. */
export const softLimit = { leads: 20, windowMs: 10 * minuteMs } as const

/** Further POSTs from one address get a 429. */
export const hardLimit = { requests: 300, windowMs: minuteMs } as const

/** All networks of an IPv6 /48 together have so many times the limits of one /64. */
export const siteFactor = 10

/** Further held leads from one address get a 429. */
export const heldLimit = { bytes: 5_000_000, windowMs: dayMs } as const

export const defaultRateLimit = { soft: softLimit.leads, hard: hardLimit.requests } as const

/** See docs/decisions/0013-connections.md. An IPv6 address counts as its /64. */
export const clientLimits = { perAddress: 64, reads: 1_000 } as const

export const retryAfterS = 5

/** How long ways into the inbox work: a code by email, a link that the operator prints, a passkey's challenge. */
export const codeMs = 10 * minuteMs
export const codeTries = 5
export const linkMs = 30 * minuteMs
export const challengeMs = 5 * minuteMs

/** How long a browser keeps what was typed into a form that failed, and the reference of what it sent. */
export const formCookieMs = 10 * minuteMs

/** A session ends after so long without a visit, and at the latest after so long. */
export const sessionMs = { idle: 30 * dayMs, longest: 90 * dayMs } as const
/** Acts such as erasing and exporting need a sign-in no older than this. */
export const freshMs = 10 * minuteMs

/** Characters of the name of a member, a passkey or a device. */
export const longestName = 80

/** Photos of a request: of its sender, and again of the members. */
export const mostPhotos = 6
export const maxPhotoBytes = 12_000_000
/** How a photo may come: over a slow line, but not for ever. */
export const photoUpload = {
  maxBytes: maxPhotoBytes,
  leastBytesPerS: 20_000,
  graceMs: 15 * secondMs,
  longestMs: 300 * secondMs,
} as const
/** Uploads at a time: of one address, and of all. */
export const uploadsAtOnce = { perAddress: 2, all: 20 } as const
/** Further photos from one address get a 429. */
export const photoLimit = { photos: 60, windowMs: dayMs } as const
/** The width times the height of a photo as it is sent. */
export const mostPixels = 30_000_000
/** The longer side of what is kept of a photo, in pixels, and of the small one in lists. */
export const largeSide = 1_600
export const smallSide = 400
