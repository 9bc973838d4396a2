/** What a sender learns about their own lead: no personal details, and nothing of the spam check. */
import { movesFrom } from './states.js'
/** The answer at every door, once a lead is committed and synced; never before. */
export const receivedMessage =
  'Your Consultation request was received. I will be in touch to arrange a time.'
/** Crockford's base 32: no I, L, O or U. */
export const referencePattern = '^C-[0-9A-HJKMNP-TV-Z]{6}$'
export const receiptTokenPattern = '^[0-9a-f]{8}-[0-9a-f]{36}$'
export const receiptMessages = {
  received: 'I have your request. I will be in touch to arrange a time.',
  contacted: 'I have been in touch about your request.',
  consultation_booked: 'Your Consultation is booked.',
  closed: 'Your request is closed. If that surprises you, please contact me.',
  withdrawn: 'You withdrew this request. I will not contact you about it.',
}
const statusOf = {
  new: 'received',
  held: 'received',
  spam: 'received',
  contacted: 'contacted',
  consultation_booked: 'consultation_booked',
  won: 'closed',
  lost: 'closed',
  not_suitable: 'closed',
  withdrawn: 'withdrawn',
  erased: 'closed',
}
export function toReceipt(lead) {
  const status = statusOf[lead.state]
  // The time of a move between new, held and spam would show that the lead was held.
  const changedAt = status === 'received' ? lead.receivedAt : lead.stateChangedAt
  return {
    reference: lead.reference,
    status,
    message: receiptMessages[status],
    received_at: new Date(lead.receivedAt).toISOString(),
    changed_at: new Date(changedAt).toISOString(),
    can_withdraw: movesFrom(lead.state, 'sender').includes('withdrawn'),
  }
}
