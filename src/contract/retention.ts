/** How long leads are kept that came to nothing. */
import type { State } from './states.ts'

/** What `RETENTION` has a number of days for, in its order. */
export const retained = {
  spam: ['spam'],
  held: ['held'],
  closed: ['lost', 'not_suitable', 'withdrawn'],
} as const satisfies Record<string, readonly State[]>

export type RetainedGroup = keyof typeof retained

/** Days in the state, until a lead is erased. */
export type Retention = Readonly<Record<RetainedGroup, number>>

/** What `RETENTION=on` stands for. */
export const defaultRetention: Retention = { spam: 30, held: 90, closed: 365 }
