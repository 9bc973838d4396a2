/** An event of a lead for people, with the names of members. `--json` has all of it. */
import type { Member } from '../store/access/store.ts'

type Names = readonly Pick<Member, 'id' | 'name'>[]

export function eventWords(text: string, members: Names): string {
  const told = new Map(Object.entries(JSON.parse(text) as Record<string, unknown>))
  const wordOf = (name: string) => {
    const value = told.get(name)
    return typeof value === 'string' ? value : ''
  }
  const [from, to, by, door] = ['from', 'to', 'by', 'door'].map(wordOf)
  const reasons = told.get('reasons')
  return [
    from && `${from} -> ${to}`,
    told.has('undoes') && 'undone',
    by && `by ${nameOf(by, members)}`,
    door && `by ${door}`,
    Array.isArray(reasons) && reasons.join(' '),
  ]
    .filter(Boolean)
    .join(', ')
}

/** Others than members have a word: owner, sender, retention. */
function nameOf(by: string, members: Names): string {
  const isId = by.includes('-')
  return members.find(({ id }) => id === by)?.name ?? (isId ? 'a former member' : by)
}
