/** A lead that was sent again thousands of times, as older versions noted it. */
import type { Engine } from '../../src/store/engine/engine.ts'
import type { Lead } from '../../src/store/leads/rows.ts'

/** Adds so many repeats to its history, one each millisecond. */
export async function addRepeats(engine: Engine, lead: Lead, times: number): Promise<void> {
  const rows: (string | number)[][] = []
  let { version } = lead
  for (; rows.length < times; version += 1) {
    rows.push([lead.id, version, lead.receivedAt + version, 'lead.repeated', '{}'])
  }
  await engine.run([
    [
      `insert into event (lead_id, number, at, kind, data)
       select value->>0, cast(value->>1 as bigint), cast(value->>2 as bigint), value->>3, value->>4 from ${engine.dialect === 'sqlite' ? 'json_each($1)' : 'jsonb_array_elements(cast($1 as jsonb))'}`,
      [JSON.stringify(rows)],
    ],
    ['update lead set version = $1 where id = $2', [version, lead.id]],
  ])
}
