/** What makes two requests one lead, and for how long: a key, a nonce, or the same content. */
import { hash } from 'node:crypto'
import { fieldKeys, type FieldValues } from '../contract/fields.ts'
import { isUnguessable } from '../contract/idempotency-key.ts'
import { keyKeptMs, repeatWindowMs } from '../contract/limits.ts'
import type { Statement } from './engine/engine.ts'
import type { DedupKey, Lead, NewLead } from './rows.ts'

/**
 * The same content from another address is another lead. Otherwise a stranger who guesses the
 * content would get the sender's private receipt.
 */
export function contentFrom({ client }: Pick<NewLead, 'client'>, fingerprint: string): string {
  return `${fingerprint} ${client}`
}

/** Sending again after withdrawing makes a new lead. */
export function hasEnded({ state }: Pick<Lead, 'state'>): boolean {
  return state === 'withdrawn' || state === 'erased'
}

/** Under one id, is it this lead? Of an erased one nothing is left to compare. */
export function isSameLead(
  found: Pick<Lead, 'fingerprint' | 'state'>,
  lead: Pick<Lead, 'values' | 'unlisted'>,
): boolean {
  const { values, unlisted } = lead
  return found.state === 'erased' || found.fingerprint === fingerprintOf(values, unlisted)
}

export function hadEnded(lead: Lead, at: number): boolean {
  return hasEnded(lead) && lead.stateChangedAt <= at
}

const contentMark = 'content '

export function isByContent({ name }: DedupKey): boolean {
  return name.startsWith(contentMark)
}

export function toDedupKey(lead: NewLead, fingerprint: string): DedupKey {
  const { dedup, receivedAt } = lead
  if (dedup.by === 'stored') return dedup.key
  if (dedup.by === 'content') {
    return {
      name: contentMark + contentFrom(lead, fingerprint),
      until: receivedAt + repeatWindowMs,
    }
  }
  // A form that is sent again with other content is another lead, not a reused key.
  const scope = dedup.by === 'nonce' ? fingerprint : ''
  // A key that a stranger may guess is the client's own: it neither opens nor blocks another's.
  const owner = isUnguessable(dedup.value) ? '' : ` ${lead.client}`
  const name = digest(`${dedup.by} ${dedup.value} ${scope}${owner}`)
  return { name, until: receivedAt + keyKeptMs }
}

/** A key that no other lead can have. */
export function ownDedupKey(leadId: string): DedupKey {
  return { name: digest(`own ${leadId}`), until: 0 }
}

export function dropKeyOf({ id }: Lead): Statement {
  return ['update lead set dedup_key = null where id = $1', [id]]
}

export function dropExpiredKey({ name }: DedupKey, now: number): Statement {
  return [
    'update lead set dedup_key = null where dedup_key = $1 and dedup_until <= $2',
    [name, now],
  ]
}

/** A hash of all that was sent. It leaves empty fields out: a field that is added later changes no stored hash. */
export function fingerprintOf(values: FieldValues, unlisted: string): string {
  let text = unlisted
  for (const key of fieldKeys) {
    const value = values[key]
    // No value holds a NUL: the normalisation removes them.
    if (value !== '') text += `\0${key}\0${key === 'email' ? value.toLowerCase() : value}`
  }
  return digest(text)
}

function digest(text: string): string {
  return hash('sha256', text, 'base64url')
}
