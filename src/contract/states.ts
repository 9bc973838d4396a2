export const stateWords = {
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

export type State = keyof typeof stateWords

export const states = Object.keys(stateWords) as State[]

export function isState(text: string): text is State {
  return Object.hasOwn(stateWords, text)
}

export const doorWords = {
  form: 'the form',
  json: 'an agent or a program',
  mcp: 'an agent',
  cli: 'the command-line tool',
  webmcp: 'an agent in the browser',
}

export type Door = keyof typeof doorWords

/** The moves that the owner can make. */
export const movesFrom: Record<State, readonly State[]> = {
  new: ['contacted', 'consultation_booked', 'not_suitable', 'spam'],
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

export function maySenderWithdraw(state: State): boolean {
  return ['new', 'held', 'spam', 'contacted', 'consultation_booked'].includes(state)
}

/** The owner may need the details of a won lead, and the law may ask for them. */
export function maySenderErase(state: State): boolean {
  return state !== 'won'
}

export type MoveEvent = 'lead.released' | 'lead.state_changed' | 'lead.withdrawn'
export type EventKind =
  | MoveEvent
  | 'lead.received'
  | 'lead.held'
  | 'lead.repeated'
  | 'lead.noted'
  | 'lead.planned'
  | 'lead.tried'
  | 'lead.taken'
  | 'lead.erased'

export function eventOfMove(from: State, to: State): MoveEvent {
  if (to === 'withdrawn') return 'lead.withdrawn'
  if (from === 'held' && to === 'new') return 'lead.released'
  return 'lead.state_changed'
}

/** The one date of a lead: to ring the sender again, or to visit. */
export type Next = { at: number; what: 'ring' | 'visit' }

/** In these states the owner can give a lead a date. */
export const openStates: readonly State[] = ['new', 'contacted', 'consultation_booked']

/** The setting `RETENTION` lists the days until leads are erased, for these groups in this order. */
export const retained = {
  spam: ['spam'],
  held: ['held'],
  closed: ['lost', 'not_suitable', 'withdrawn'],
} as const satisfies Record<string, readonly State[]>

export type RetainedGroup = keyof typeof retained
export type RetainedCounts = Record<RetainedGroup, number>

/** In days since the lead came into its state. */
export type Retention = Readonly<Record<RetainedGroup, number>>

export const defaultRetention: Retention = { spam: 30, held: 90, closed: 365 }
