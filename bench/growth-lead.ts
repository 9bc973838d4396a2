/** Leads as the store receives them, each one different. */
import type { NewLead } from '../src/store/rows.ts'
import { newLead as numberedLead } from '../test/support/new-lead.ts'

let made = 0

export function newLead(): NewLead {
  made += 1
  const receivedAt = Date.now()
  return numberedLead(made, {
    id: idOf(receivedAt, made),
    receivedAt,
    values: {
      name: `Robin Example ${made}`,
      email: `robin.${made}@example.com`,
      phone: '0491 570 006',
      postcode: '2480',
      message: 'A hardwood deck of about 4 by 6 metres, one step up from the lawn.',
    },
    client: 'q83vEjRWeJCrze8SNFZ4kA',
    userAgent: 'lead-intake-bench',
  })
}

/** Sorts by time, as real ids do. */
function idOf(ms: number, count: number): string {
  const time = ms.toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${count.toString(16).padStart(12, '0')}`
}
