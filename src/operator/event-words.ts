/** An event of a lead for people: without hashes, and with the names of members. `--json` has all of it. */
import { readEventData } from '../desk/shown-lead.ts'
import type { Member } from '../store/access/members.ts'

type Told = Partial<Record<'from' | 'to' | 'by' | 'door' | 'undoes', unknown>> & {
  reasons?: unknown
}

export function eventWords(text: string, members: readonly Pick<Member, 'id' | 'name'>[]): string {
  const data = readEventData(text)
  // Changed by hand, as `events verify` reports.
  if (typeof data !== 'object' || data === null) return text
  const { from, to, by, door, reasons, undoes } = data as Told
  return [
    from === undefined ? '' : `${String(from)} -> ${String(to)}`,
    undoes === undefined ? '' : 'undone',
    by === undefined ? '' : `by ${nameOf(String(by), members)}`,
    door === undefined ? '' : `by ${String(door)}`,
    Array.isArray(reasons) ? reasons.join(' ') : '',
  ]
    .filter((part) => part !== '')
    .join(', ')
}

/** Others than members have a word: owner, sender, retention. */
function nameOf(by: string, members: readonly Pick<Member, 'id' | 'name'>[]): string {
  const isId = by.includes('-')
  return members.find(({ id }) => id === by)?.name ?? (isId ? 'a former member' : by)
}
