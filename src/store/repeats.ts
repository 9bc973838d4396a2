/**
 * Leads of the last minutes that came with a key, by their content. Their dedup key is the caller's,
 * so the database cannot tell that the same content without a key is the same lead.
 */
import { repeatWindowMs } from '../contract/limits.ts'
import { createRecent } from '../recent.ts'

/** `content`: what was sent and from where, as `contentFrom` writes it. */
export type Repeats = {
  /** The id of the lead. */
  find(content: string, at: number): string | undefined
  remember(content: string, lead: { id: string; receivedAt: number }): void
}

/** With more keyed leads than this in ten minutes, a duplicate may slip through. */
const maxRemembered = 1_000

export function createRepeats(): Repeats {
  const recent = createRecent<string, { id: string; receivedAt: number }>(maxRemembered)
  return {
    find(content, at) {
      const lead = recent.get(content)
      return lead !== undefined && at < lead.receivedAt + repeatWindowMs ? lead.id : undefined
    },
    remember: (content, { id, receivedAt }) => recent.set(content, { id, receivedAt }),
  }
}
