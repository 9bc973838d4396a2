import { nobody } from '../../src/contract/notices.ts'
import { readDetails, type TypedDetails } from '../../src/desk/details.ts'
import { createPersonKeys } from '../../src/lead/person-keys.ts'
import { toIdStart, type NewLead } from '../../src/store/leads/rows.ts'
import type { Engine } from '../../src/store/engine/engine.ts'
import { Store } from '../../src/store/store.ts'
import type { Cleaner } from './service.ts'
import { newDatabase, type TestDatabase } from './engines.ts'
import { newLead, nowMs } from './leads.ts'

export const keysOf = createPersonKeys(Buffer.alloc(32, 7))
/** What a member typed; '' in all other fields. */
export function typedOf(given: Partial<TypedDetails>): TypedDetails {
  return readDetails((key) => given[key as keyof TypedDetails] ?? '')
}

export const areas = [{ name: 'Lismore', postcodes: ['2480'] }]

export type TestDesk = { store: Store; engine: Engine; database: TestDatabase }

export function openDesk(t: Cleaner, database = newDatabase(t)): TestDesk {
  const engine = database.open()
  const store = new Store(engine, nobody)
  t.after(() => store.close())
  return { store, engine, database }
}

/** The lead of a minute: each has an id that sorts by its time, as real ids do. */
export function leadAt(
  minute: number,
  values: Partial<NewLead['values']> = {},
  parts: Partial<NewLead> = {},
): NewLead {
  const receivedAt = nowMs + minute * 60_000
  const all = { ...newLead(minute).values, ...values }
  return newLead(minute, {
    id: `${toIdStart(receivedAt)}-7000-8000-${String(minute).padStart(12, '0')}`,
    receivedAt,
    values: all,
    personKeys: keysOf(all),
    ...parts,
  })
}
