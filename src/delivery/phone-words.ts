/** What a phone shows of a notice. The words name no person, because others may see the screen. */
import { areaOf, type Business } from '../contract/business.ts'
import { inboxLeadPath, inboxPath } from '../contract/routes.ts'
import type { Lead } from '../store/leads/rows.ts'
import { dateInShort } from '../time.ts'
import { plural } from '../words.ts'

/** `tag`: at most 32 characters, because it is also the topic (RFC 8030, 5.4). */
export type PhoneWords = { title: string; body?: string; tag: string; path: string }

type AboutLead = { lead: Lead }

export function moreRequests({ total }: { total: number }): PhoneWords {
  return { title: plural(total, 'more request'), tag: 'more', path: inboxPath }
}

export function newRequest(
  { lead: { id, reference, values } }: AboutLead,
  { areas }: Business,
): PhoneWords {
  const area = areaOf(values.postcode, areas)
  const title = area === undefined ? 'New request' : `New request, ${area}`
  return { title, tag: reference, path: inboxLeadPath + id }
}

export function anotherTime({ lead }: AboutLead, { areas, timeZone }: Business): PhoneWords {
  const area = areaOf(lead.values.postcode, areas)
  const title = area === undefined ? 'Another time, please' : `Another time, please: ${area}`
  const body = `For the visit on ${dateInShort(lead.date!.at, timeZone)}`
  return { title, body, tag: lead.reference, path: inboxLeadPath + lead.id }
}

export function alarm(body: string): PhoneWords {
  return { title: 'The inbox needs you', body, tag: 'alarm', path: inboxPath }
}
