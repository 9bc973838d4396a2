/** A lead that was sent again thousands of times, as older versions noted it. */
import { nextEvent } from '../../src/store/chain.ts'
import type { Engine } from '../../src/store/engine/engine.ts'
import { jsonRows } from '../../src/store/engine/json-rows.ts'
import type { Lead } from '../../src/store/rows.ts'

/** Adds so many repeats to its history, one each millisecond. */
export async function addRepeats(engine: Engine, lead: Lead, times: number): Promise<void> {
  const rows: (string | number)[][] = []
  let { eventHead, eventCount } = lead
  for (; rows.length < times; eventCount += 1) {
    const what = { at: lead.receivedAt + eventCount, kind: 'lead.repeated', data: '{}' } as const
    const { number, at, kind, data, hash } = nextEvent({ id: lead.id, eventHead, eventCount }, what)
    rows.push([lead.id, number, at, kind, data, hash])
    eventHead = hash
  }
  await engine.run([
    [
      `insert into event (lead_id, number, at, kind, data, hash)
       select value->>0, cast(value->>1 as bigint), cast(value->>2 as bigint), value->>3, value->>4,
       value->>5 from ${jsonRows(engine.dialect, '$1')}`,
      [JSON.stringify(rows)],
    ],
    [
      'update lead set event_head = $1, event_count = $2 where id = $3',
      [eventHead, eventCount, lead.id],
    ],
  ])
}
