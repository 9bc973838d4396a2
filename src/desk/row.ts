/** What a row of a list shows, as data. The pages of the inbox draw it. */
import { type Lead } from '../store/leads/rows.ts'

/** Whether the customer has withdrawn, and the owner has not seen yet that the visit is called off. */
export function isCalledOff({ state, nextAt }: Lead): boolean {
  return state === 'withdrawn' && nextAt !== undefined
}

export function canReach({ state }: Lead): boolean {
  return state !== 'withdrawn' && state !== 'erased'
}
