/** The one road in, behind every door: check the lead, judge it, keep it, and only then say yes. */
import type { Problem } from '../contract/check-fields.ts'
import type { Telling } from '../contract/notices.ts'
import { newReference } from '../store/reference.ts'
import type { Door } from '../contract/doors.ts'
import { leads } from '../metrics/metrics.ts'
import type { ClientAddress } from '../http/client-address.ts'
import { StorageUnavailable } from '../store/engine/engine.ts'
import type { Dedup, NewLead } from '../store/rows.ts'
import type { Store } from '../store/store.ts'
import { checkLead } from './check.ts'
import type { LeadIds } from './ids.ts'
import { createJudge } from './judge.ts'
import type { Limits } from './limits.ts'
import type { PersonKeys } from './person-keys.ts'

export type Sending = {
  body: Readonly<Record<string, unknown>>
  door: Door
  dedup: Dedup
  address: ClientAddress
  userAgent: string
  /** Name and version of the agent, if it sent them. */
  agent: string
}

export type Outcome =
  | {
      kind: 'accepted' | 'repeated'
      id: string
      reference: string
      token: string
      /** Names of fields that are kept, but that we do not know. */
      unlisted: readonly string[]
    }
  | { kind: 'invalid'; problems: Problem[] }
  | { kind: 'key-reused' }
  /** The same lead was kept before, and withdrawn. */
  | { kind: 'withdrawn'; id: string }
  /** Too much of what this client sent today is held already. */
  | { kind: 'limited'; waitS: number }
  | { kind: 'unavailable'; reason: string }

export type TakeLead = (sending: Sending) => Promise<Outcome>

export type TakeParts = {
  store: Pick<Store, 'keepLead'>
  limits: Pick<Limits, 'countLead' | 'countHeld' | 'uncountLead'>
  leadIds: LeadIds
  /** The database holds no address, but its keyed hash. */
  hashAddress: (network: string) => string
  keysOf: PersonKeys
  /** The channels that are told of a lead. */
  tell: Telling
  now: () => number
}

export function createTakeLead(parts: TakeParts): TakeLead {
  const { store, limits, leadIds, hashAddress, keysOf, tell, now } = parts
  const { judge, forget } = createJudge()

  return takeLead

  async function takeLead(sending: Sending): Promise<Outcome> {
    const { door } = sending
    const receivedAt = now()
    const check = checkLead(sending.body)
    if ('problems' in check) return told(door, { kind: 'invalid', problems: check.problems })
    const { lead } = check
    const { unlistedNames: unlisted } = lead
    const client = hashAddress(sending.address.network)
    const sender = numberOf(client)
    const overSoftLimit = limits.countLead(sending.address, receivedAt)
    const judgement = judge(lead, { client: sender, overSoftLimit, nowMs: receivedAt })
    const id = leadIds.next(receivedAt)
    const newLead: NewLead = {
      id,
      reference: newReference(receivedAt),
      receivedAt,
      values: lead.values,
      unlisted: lead.unlisted,
      botcheck: lead.trap,
      door,
      agent: sending.agent,
      client,
      userAgent: sending.userAgent,
      judgement,
      state: judgement.state,
      dedup: sending.dedup,
      personKeys: keysOf(lead.values),
      deliverTo: judgement.state === 'new' ? tell['lead.received'] : [],
    }
    // Counted before the commit, so that many at once are not more than allowed.
    const heldBytes = judgement.state === 'held' ? bytesOf(newLead) : 0
    const uncount = () => limits.uncountLead(sending.address, heldBytes, receivedAt)
    if (heldBytes > 0) {
      const waitS = limits.countHeld(sending.address, heldBytes, receivedAt)
      if (waitS !== undefined) {
        uncount()
        return told(door, { kind: 'limited', waitS })
      }
    }
    try {
      const kept = await store.keepLead(newLead)
      if (kept.kind !== 'kept') uncount()
      switch (kept.kind) {
        case 'kept':
          return told(door, acknowledged('accepted', id, kept.reference))
        case 'repeated':
          return told(door, acknowledged('repeated', kept.id, kept.reference))
        case 'key-reused':
        case 'withdrawn':
          return told(door, kept)
      }
    } catch (error) {
      uncount()
      forget(lead, sender)
      if (!(error instanceof StorageUnavailable)) throw error
      return told(door, { kind: 'unavailable', reason: error.reason })
    }

    function acknowledged(
      kind: 'accepted' | 'repeated',
      leadId: string,
      reference: string,
    ): Outcome {
      return { kind, id: leadId, reference, token: leadIds.tokenOf(leadId), unlisted }
    }
  }
}

/** Here rather than around the whole: another promise would cost each lead more than the count. */
function told(door: Door, outcome: Outcome): Outcome {
  leads.add({ door, outcome: outcome.kind })
  return outcome
}

/** About what ids, hashes and indexes take. */
const rowBytes = 400

/** About what a lead takes on disk. */
function bytesOf({ values, unlisted, botcheck, agent, userAgent }: NewLead): number {
  const texts = [...Object.values(values), unlisted, botcheck, agent, userAgent]
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), rowBytes)
}

/** The hash of a client as a number for the judge, which knows 0 as nobody. */
function numberOf(client: string): number {
  return Buffer.from(client, 'base64url').readInt32LE() || 1
}
