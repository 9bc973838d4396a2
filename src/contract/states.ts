/** The states of a lead, and the moves between them. */
export const states = [
  'new',
  'contacted',
  'consultation_booked',
  'won',
  'lost',
  'not_suitable',
  'held',
  'spam',
  'withdrawn',
  'erased',
] as const

export type State = (typeof states)[number]

/** A sender may only withdraw. */
export type Mover = 'owner' | 'sender'

const ownersMoves: Record<State, readonly State[]> = {
  new: ['contacted', 'not_suitable', 'spam'],
  contacted: ['consultation_booked', 'lost', 'not_suitable', 'spam', 'new'],
  consultation_booked: ['won', 'lost', 'not_suitable', 'contacted'],
  won: ['consultation_booked'],
  lost: ['consultation_booked', 'contacted'],
  not_suitable: ['consultation_booked', 'contacted', 'new'],
  held: ['new', 'spam'],
  spam: ['new'],
  withdrawn: [],
  erased: [],
}

const withdrawable: readonly State[] = ['new', 'held', 'spam', 'contacted', 'consultation_booked']

export function movesFrom(state: State, mover: Mover): readonly State[] {
  if (mover === 'owner') return ownersMoves[state]
  return withdrawable.includes(state) ? ['withdrawn'] : []
}

export function isState(text: string): text is State {
  return (states as readonly string[]).includes(text)
}

export type MoveEvent = 'lead.released' | 'lead.state_changed' | 'lead.withdrawn'
export type EventKind =
  | MoveEvent
  | 'lead.received'
  | 'lead.held'
  | 'lead.repeated'
  | 'lead.noted'
  | 'lead.erased'

export function eventOfMove(from: State, to: State): MoveEvent {
  if (to === 'withdrawn') return 'lead.withdrawn'
  if (from === 'held' && to === 'new') return 'lead.released'
  return 'lead.state_changed'
}
