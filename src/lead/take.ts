/** Every door takes leads through `takeLead`, which answers `accepted` only after the lead is kept. */
import { placesNear, type Near } from '../contract/business.ts'
import type { Problem } from '../contract/check-fields.ts'
import { newReference } from '../store/leads/reference.ts'
import type { FieldValues } from '../contract/fields.ts'
import type { Door } from '../contract/states.ts'
import { leads } from '../metrics/metrics.ts'
import type { ClientAddress } from '../http/client-address.ts'
import { StorageUnavailable } from '../store/engine/engine.ts'
import type { Dedup, NewLead } from '../store/leads/rows.ts'
import type { Store } from '../store/store.ts'
import { checkLead, type CheckedLead } from './check.ts'
import type { LeadIds } from './ids.ts'
import { Judge, judgementOf, type Judgement } from './judge.ts'
import { begin } from './hearing.ts'
import type { Limits } from './limits.ts'
import { createPersonKeys, type PersonKeys } from './person-keys.ts'
import { keyedHash } from '../store/secret.ts'

export type Sending = {
  body: Readonly<Record<string, unknown>>
  door: Door
  dedup: Dedup
  address: ClientAddress
  userAgent: string
  /** The agent's name and version; '' if it did not give them. */
  agent: string
}

export type Outcome =
  | {
      kind: 'accepted' | 'repeated'
      id: string
      reference: string
      token: string
      unlisted: readonly string[]
    }
  | { kind: 'invalid'; problems: Problem[] }
  | { kind: 'key-reused' }
  /** The same lead was kept before and then withdrawn or erased. */
  | { kind: 'withdrawn'; id: string }
  /** The held leads of this client have more bytes than `heldLimit` allows. */
  | { kind: 'limited'; waitS: number }
  | { kind: 'unavailable'; reason: string }

type TakeParts = {
  store: Store
  limits: Limits
  leadIds: LeadIds
  secret: Buffer
  business: Near
  now: () => number
}

export class LeadTaker {
  readonly #parts: TakeParts
  readonly #judge: Judge
  /** The database stores this keyed hash in place of the client's address. */
  readonly #hashAddress: (network: string) => string
  readonly keysOf: PersonKeys

  constructor(parts: TakeParts) {
    this.#parts = parts
    this.#judge = new Judge(placesNear(parts.business))
    this.#hashAddress = keyedHash(parts.secret, 'client')
    this.keysOf = createPersonKeys(parts.secret)
  }

  async takeLead(sending: Sending): Promise<Outcome> {
    const check = checkLead(sending.body)
    const outcome: Outcome =
      'problems' in check
        ? { kind: 'invalid', problems: check.problems }
        : await this.#takeChecked(check.lead, sending)
    leads.add({ door: sending.door, outcome: outcome.kind })
    return outcome
  }

  async #takeChecked(lead: CheckedLead, sending: Sending): Promise<Outcome> {
    const { store, limits } = this.#parts
    const newLead = await this.#holdIfBlocked(this.#countAndJudge(lead, sending))
    const { client, receivedAt } = newLead
    const heldBytes = newLead.state === 'held' ? bytesOf(newLead) : 0
    const uncount = () => limits.uncountLead(sending.address, heldBytes, receivedAt)
    if (heldBytes > 0) {
      // Counted before the commit, so that many leads at once cannot exceed the limit.
      const waitS = limits.countHeld(sending.address, heldBytes, receivedAt)
      if (waitS !== undefined) {
        uncount()
        return { kind: 'limited', waitS }
      }
    }
    try {
      const kept = await store.leads.keep(newLead)
      if (kept.kind !== 'kept') uncount()
      if (kept.kind === 'key-reused' || kept.kind === 'withdrawn') return kept
      const id = kept.kind === 'kept' ? newLead.id : kept.id
      return {
        kind: kept.kind === 'kept' ? 'accepted' : 'repeated',
        id,
        reference: kept.reference,
        token: this.#parts.leadIds.tokenOf(id),
        unlisted: lead.unlistedNames,
      }
    } catch (error) {
      uncount()
      this.#judge.forget(lead, client)
      if (!(error instanceof StorageUnavailable)) throw error
      return { kind: 'unavailable', reason: error.reason }
    }
  }

  /** Holds a lead of a sender whom the owner marked as spam. */
  async #holdIfBlocked(lead: NewLead): Promise<NewLead> {
    if (lead.state === 'held' || !(await this.#parts.store.blocked.has(lead.personKeys)))
      return lead
    return { ...lead, ...this.#begin(judgementOf(['blocked'])) }
  }

  /** Adds a request without judging it. The members know of it, so no notice goes to them. */
  async addLead({ values, by, nonce, emailsCustomer }: Addition): Promise<string> {
    const { store, leadIds, now } = this.#parts
    const receivedAt = now()
    const mayEmail = emailsCustomer && values.email !== ''
    const lead: NewLead = {
      id: leadIds.next(receivedAt),
      reference: newReference(receivedAt),
      receivedAt,
      values,
      unlisted: '',
      botcheck: '',
      door: 'phone',
      agent: '',
      client: '',
      userAgent: '',
      addedBy: by,
      dedup: { by: 'nonce', value: nonce },
      personKeys: this.keysOf(values),
      ...this.#begin(judgementOf([]), { emailsCustomer: mayEmail }),
    }
    const kept = await store.leads.keep(lead)
    leads.add({ door: 'phone', outcome: kept.kind === 'kept' ? 'accepted' : 'repeated' })
    return kept.kind === 'repeated' || kept.kind === 'withdrawn' ? kept.id : lead.id
  }

  /**
   * Counts the lead towards the soft limit, and the judge remembers its text. `#takeChecked` takes
   * both back if the lead is not kept.
   */
  #countAndJudge(lead: CheckedLead, sending: Sending): NewLead {
    const { limits, leadIds, now } = this.#parts
    const { address, door, dedup, agent, userAgent } = sending
    const receivedAt = now()
    const client = this.#hashAddress(address.network)
    const overSoftLimit = limits.countLead(address, receivedAt)
    const judgement = this.#judge.judge(lead, { client, overSoftLimit, nowMs: receivedAt })
    return {
      id: leadIds.next(receivedAt),
      reference: newReference(receivedAt),
      receivedAt,
      values: lead.values,
      unlisted: lead.unlisted,
      botcheck: lead.trap,
      door,
      agent,
      client,
      userAgent,
      dedup,
      personKeys: this.keysOf(lead.values),
      ...this.#begin(judgement),
    }
  }

  #begin(judgement: Judgement, added?: { emailsCustomer: boolean }) {
    return begin(judgement, this.#parts.store.recipients['lead.received'], added)
  }
}

/** A request that a member adds after a call. */
export type Addition = {
  values: FieldValues
  by: string
  /** The same form, sent twice, adds one lead. */
  nonce: string
  emailsCustomer: boolean
}

/** Approximate size of a lead's ids, hashes and index entries. */
const rowBytes = 400

function bytesOf({ values, unlisted, botcheck, agent, userAgent }: NewLead): number {
  const texts = [...Object.values(values), unlisted, botcheck, agent, userAgent]
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), rowBytes)
}
