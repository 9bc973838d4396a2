/** Leads as the road hands them to the store, numbered. */
import type { NewLead } from '../../src/store/leads/rows.ts'

export const nowMs = Date.UTC(2026, 10, 15)

export function newLead(index: number, parts: Partial<NewLead> = {}): NewLead {
  const tail = String(index).padStart(12, '0')
  return {
    id: `01900000-0000-7000-8000-${tail}`,
    reference: referenceAt(index),
    receivedAt: nowMs + index,
    values: {
      name: `Person ${index}`,
      email: `p${index}@example.com`,
      phone: '',
      postcode: '',
      message: '',
    },
    unlisted: '',
    botcheck: '',
    door: 'json',
    agent: '',
    client: 'client',
    userAgent: '',
    judgement: { score: 0, reasons: [] },
    state: 'new',
    dedup: { by: 'content' },
    personKeys: [],
    deliverTo: [],
    ...parts,
  }
}

/** Of the lead with this number. */
export function referenceAt(index: number): string {
  return `C-00000-${Math.abs(index)
    .toString()
    .padStart(5, index < 0 ? 'Z' : '0')}`
}
