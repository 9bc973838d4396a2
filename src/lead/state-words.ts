/** The states of a lead as the owner reads them. */
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
