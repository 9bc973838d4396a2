/** Leads of the last minutes by their content: what was sent, and from where. */
import { repeatWindowMs } from '../contract/limits.ts'
import { createRecent } from '../recent.ts'

export type EarlierLead = {
  id: string
  receivedAt: number
  /** Settles with its commit, or when waiting for that was given up. */
  committed: Promise<unknown>
}

/** `content` is written by `contentFrom`. */
export type Repeats = {
  find(content: string, at: number): EarlierLead | undefined
  remember(content: string, lead: EarlierLead): void
}

/**
 * With more leads than this in ten minutes, a duplicate may slip through. A larger map slows down
 * every lead: the garbage collector copies it.
 */
export const maxRemembered = 1_000

export function createRepeats(): Repeats {
  const recent = createRecent<string, EarlierLead>(maxRemembered)
  return {
    find(content, at) {
      const lead = recent.get(content)
      return lead !== undefined && at < lead.receivedAt + repeatWindowMs ? lead : undefined
    },
    remember: (content, lead) => recent.set(content, lead),
  }
}
