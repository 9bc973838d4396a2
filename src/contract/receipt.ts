/** What a sender is told of their own lead: no personal details, and nothing of how it was judged. */
import { movesFrom } from './states.ts'
import type { State } from './states.ts'

/** As a sender sees it. Held and spam look like any other lead, so that nobody learns how to pass. */
export type ReceiptStatus =
  | 'received'
  | 'contacted'
  | 'consultation_booked'
  | 'closed'
  | 'withdrawn'

export type Receipt = {
  reference: string
  status: ReceiptStatus
  /** What the status means, in a sentence. */
  message: string
  /** RFC 3339, UTC. */
  received_at: string
  changed_at: string
  can_withdraw: boolean
}

export const receiptMessages: Record<ReceiptStatus, string> = {
  received: 'I have your request. I will be in touch to arrange a time.',
  contacted: 'I have been in touch about your request.',
  consultation_booked: 'Your Consultation is booked.',
  closed: 'Your request is closed. If that surprises you, please contact me.',
  withdrawn: 'You withdrew this request. I will not contact you about it.',
}

const statusOf: Record<State, ReceiptStatus> = {
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

export function toReceipt(lead: {
  reference: string
  state: State
  receivedAt: number
  stateChangedAt: number
}): Receipt {
  const status = statusOf[lead.state]
  // Of a held lead the sender may not learn when it was judged.
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
