/** Who holds a claim on being the one lead of its key, its nonce or its words, and for how long. */
import { keyKeptMs, repeatWindowMs } from '../contract/limits.ts'
import { digest } from './chain.ts'
import type { Statement } from './engine.ts'
import type { DedupKey, Lead, NewLead } from './rows.ts'

/**
 * The same words from somewhere else are a lead of their own: otherwise whoever guesses them would be
 * handed the sender's private receipt.
 */
export function sameSender({ client }: Pick<NewLead, 'client'>, fingerprint: string): string {
  return `${fingerprint} ${client}`
}

/** Whoever withdrew a request and sends it again has thought better of it: that is a new one. */
export function isOver({ state }: Pick<Lead, 'state'>): boolean {
  return state === 'withdrawn' || state === 'erased'
}

export function wasOver(lead: Lead, at: number): boolean {
  return isOver(lead) && lead.stateChangedAt <= at
}

const contentMark = 'content '

/** A key is a promise for as long as it is kept; words are only as good as the lead they came with. */
export function isByContent({ name }: DedupKey): boolean {
  return name.startsWith(contentMark)
}

export function toDedupKey(lead: NewLead, fingerprint: string): DedupKey {
  const { dedup: claim, receivedAt: now } = lead
  if (claim.by === 'earlier') return claim.held
  if (claim.by === 'content') {
    return { name: contentMark + sameSender(lead, fingerprint), until: now + repeatWindowMs }
  }
  // A nonce is no promise of the person: going back and typing something else is another lead.
  const scope = claim.by === 'nonce' ? fingerprint : ''
  return { name: digest(`${claim.by} ${claim.value} ${scope}`), until: now + keyKeptMs }
}

export function dropDedupKey({ id }: Lead): Statement {
  return ['update lead set dedup_key = null where id = $1', [id]]
}

export function releaseExpiredKey(claim: DedupKey, lead: NewLead): Statement {
  return [
    'update lead set dedup_key = null where dedup_key = $1 and dedup_until <= $2',
    [claim.name, lead.receivedAt],
  ]
}
