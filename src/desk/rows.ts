/** A lead as a row of a list. */
import { areaOf, type Area } from '../contract/business.ts'
import { whyHeld } from '../lead/judge.ts'
import type { Lead } from '../store/rows.ts'
import type { Store } from '../store/store.ts'
import type { ToldState } from '../store/deliveries.ts'

export type LeadRow = Pick<
  Lead,
  'id' | 'reference' | 'state' | 'receivedAt' | 'stateChangedAt' | 'door' | 'agent'
> & {
  name: string
  phone: string
  email: string
  /** The name of the area, or the postcode where that is in none. */
  place: string
  /** Of the message. */
  firstLine: string
  /** In words. Empty: it was never held. */
  whyHeld: string[]
  told: ToldState
  /** For an act from the list. */
  version: number
}

export async function toRows(
  store: Pick<Store, 'toldOf'>,
  leads: readonly Lead[],
  areas: readonly Area[],
): Promise<LeadRow[]> {
  const told = await store.toldOf(leads.map(({ id }) => id))
  return leads.map(({ id, values, version, ...lead }) => ({
    id,
    reference: lead.reference,
    state: lead.state,
    receivedAt: lead.receivedAt,
    stateChangedAt: lead.stateChangedAt,
    door: lead.door,
    agent: lead.agent,
    name: values.name,
    phone: values.phone,
    email: values.email,
    place: areaOf(values.postcode, areas) ?? values.postcode,
    firstLine: toFirstLine(values.message),
    whyHeld: whyHeld(lead.judgement),
    told: told.get(id) ?? 'untold',
    version,
  }))
}

const longestLine = 140

function toFirstLine(message: string): string {
  const line = message.slice(0, 2 * longestLine).split('\n')[0]!
  const characters = [...line]
  return characters.length <= longestLine
    ? line
    : `${characters.slice(0, longestLine - 1).join('')}…`
}
