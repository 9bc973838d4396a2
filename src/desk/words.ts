/** Words that both the list and the page of a request say: of states, moves and members. */
import { capital } from '../words.ts'
import { isBack, lostReasons, shortWords, type State } from '../contract/states.ts'
import { type Member } from '../store/access/store.ts'

export function shortWord(state: State): string {
  return shortWords[state]
}

/** What the button says that moves a lead. "Contacted" is the state, "Spoke to them" what the owner did. */
export function moveLabel(from: State, to: State): string {
  if (from === 'held' && to === 'new') return 'Release'
  if (from === 'spam' && to === 'new') return 'Not spam'
  if (from === 'joined') return 'Take apart'
  if (from === 'new' && to === 'lost') return `Lost: ${lostReasons.no_answer}`
  const word = shortWord(to)
  if (isBack(from, to)) return `Back to ${word}`
  return to === 'contacted' ? 'Spoke to them' : capital(word)
}

/** Turns the `by` of an event, or the id of a member, into a name. */
export type NameOf = (by: string) => string

export function createNameOf(members: readonly Member[], self: Member): NameOf {
  return (by) => {
    if (by === self.id) return 'You'
    if (by === 'owner') return 'The owner, by command,'
    if (by === 'sender') return 'The customer'
    return members.find(({ id }) => id === by)?.name ?? 'A former member'
  }
}

export function takenWords(name: string): string {
  return name === 'You' ? 'yours' : `${name} looks after this`
}
