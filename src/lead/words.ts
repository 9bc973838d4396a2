/** States and doors of a lead as the owner reads them. */
import type { Door } from '../contract/doors.ts'
import type { State } from '../contract/states.ts'

export const stateWords: Record<State, string> = {
  new: 'new',
  contacted: 'contacted',
  consultation_booked: 'Consultation booked',
  won: 'won',
  lost: 'lost',
  not_suitable: 'not suitable',
  held: 'held',
  spam: 'spam',
  withdrawn: 'withdrawn by the sender',
  erased: 'erased',
}

export const doorWords: Record<Door, string> = {
  form: 'the form',
  json: 'an agent or a program',
  mcp: 'an agent',
  cli: 'the command-line tool',
  webmcp: 'an agent in the browser',
}
