/** Who sent a lead: two leads are of one person if they share the email or the phone number. */
import { createHmac, hkdfSync } from 'node:crypto'
import { readPhones } from '../lead/phone.ts'
import type { Lead } from '../store/rows.ts'
import type { Store } from '../store/store.ts'
import { dueLeads, leadsPastMark } from './past-mark.ts'
import { filterInTurns } from './turns.ts'

/** The keys of a lead's person: keyed hashes, so that the database names nobody. At most two. */
export type PersonKeys = (lead: Pick<Lead, 'values'>) => string[]

const fewestDigits = 6

export function createPersonKeys(secret: Buffer): PersonKeys {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'person', 32))
  const sign = (kind: string, text: string) =>
    kind + createHmac('sha256', key).update(`${kind} ${text}`).digest('base64url').slice(0, 22)

  return ({ values: { email, phone } }) => {
    const number = readPhones(phone).find(({ digits }) => digits.length >= fewestDigits)?.digits
    return [
      ...(email === '' ? [] : [sign('e', email.toLowerCase())]),
      ...(number === undefined ? [] : [sign('p', number)]),
    ]
  }
}

/**
 * Anybody can write somebody else's number into the form. So what is given away or erased goes by the
 * email alone, unless the owner has looked.
 */
export function keysToTrust(keys: readonly string[], alsoPhone: boolean): readonly string[] {
  return alsoPhone ? keys : keys.filter((key) => key.startsWith('e'))
}

type Reading = Pick<Store, 'leadIdsOf' | 'findLeads' | 'unindexedLeads' | 'dueIds'>

/** Newest first. `before` is the last id of the page before. */
export async function leadsOfPerson(
  store: Reading,
  { keys, keysOf }: { keys: readonly string[]; keysOf: PersonKeys },
  page: { before?: string; limit: number },
): Promise<Lead[]> {
  const isMeant = (lead: Lead) => keysOf(lead).some((key) => keys.includes(key))
  const fresh = await leadsPastMark(store, page, isMeant)
  const late = await filterInTurns(await dueLeads(store), isMeant)
  const known = await Promise.all(keys.map((key) => store.leadIdsOf(key, page)))
  const unindexed = [...fresh.found, ...late].map(({ id }) => id).filter(isOnPage)
  const ids = [...new Set([...unindexed, ...known.flat()])]
  return store.findLeads(ids.toSorted().toReversed().slice(0, page.limit))

  function isOnPage(id: string): boolean {
    return page.before === undefined || id < page.before
  }
}
