/**
 * The states of a lead in one table: what the owner and the sender may do from each, what the receipt
 * says, and where the inbox shows it. `src/lead/life.ts` decides by it what becomes of a lead.
 */
type StateFacts<To = string> = {
  words: string
  /** The word on a chip or a button, if `words` is too long for it. */
  short?: string
  /** The tab that lists it. The tab of all has every state that has a tab, and what is erased. */
  tab: 'today' | 'contacted' | 'booked' | 'proposals' | 'held' | 'spam' | 'done' | undefined
  /**
   * What the page of a request asks about. While a visit lies ahead it asks about nothing; if there was
   * none, `visited` is `talking`.
   */
  stage: 'judging' | 'talking' | 'visited' | 'proposed' | 'closed'
  /** Where the owner can move it: onwards, or one step back after a mistake. */
  moves: readonly To[]
  /** Whether the owner can join it with another request that is open. */
  canJoin: boolean
  /** What the sender can do on the receipt. */
  senderMay: readonly ('withdraw' | 'erase')[]
  /** Held leads and spam look new, so that a spammer cannot learn which leads get through. */
  receipt: string
  /** What the receipt says instead, once a visit has taken place and no other lies ahead. */
  receiptOnceMet?: 'met'
  /** True while the owner has work with it: it can have a date, and he is notified if the sender erases it. */
  isOpen: boolean
  /** Whether the customer gets emails about visits, also that one is off. */
  isMailed: boolean
  /** Whether the figures count it as a request. */
  isCounted: boolean
  /** The group by which retention erases it. */
  retainedAs?: 'spam' | 'held' | 'closed'
}

const table = {
  new: {
    words: 'new',
    tab: 'today',
    stage: 'talking',
    moves: ['contacted', 'consultation_booked', 'lost', 'not_suitable', 'spam'],
    canJoin: true,
    senderMay: ['withdraw', 'erase'],
    receipt: 'received',
    isOpen: true,
    isMailed: true,
    isCounted: true,
  },
  contacted: {
    words: 'contacted',
    tab: 'contacted',
    stage: 'talking',
    moves: ['consultation_booked', 'proposal_sent', 'lost', 'not_suitable', 'spam', 'new'],
    canJoin: true,
    senderMay: ['withdraw', 'erase'],
    receipt: 'contacted',
    receiptOnceMet: 'met',
    isOpen: true,
    isMailed: true,
    isCounted: true,
  },
  consultation_booked: {
    words: 'visit booked',
    short: 'booked',
    tab: 'booked',
    stage: 'visited',
    moves: ['proposal_sent', 'won', 'lost', 'not_suitable', 'contacted'],
    canJoin: false,
    senderMay: ['withdraw', 'erase'],
    receipt: 'consultation_booked',
    receiptOnceMet: 'met',
    isOpen: true,
    isMailed: true,
    isCounted: true,
  },
  proposal_sent: {
    words: 'proposal sent',
    tab: 'proposals',
    stage: 'proposed',
    moves: ['won', 'lost', 'not_suitable', 'consultation_booked', 'contacted'],
    canJoin: false,
    senderMay: ['withdraw', 'erase'],
    receipt: 'working_on_it',
    isOpen: true,
    isMailed: true,
    isCounted: true,
  },
  won: {
    words: 'won',
    tab: 'done',
    stage: 'closed',
    moves: ['proposal_sent', 'consultation_booked'],
    canJoin: false,
    // The owner may need the details of a won lead, and the law may ask for them.
    senderMay: [],
    receipt: 'going_ahead',
    isOpen: false,
    isMailed: true,
    isCounted: true,
  },
  lost: {
    words: 'lost',
    tab: 'done',
    stage: 'closed',
    moves: ['proposal_sent', 'consultation_booked', 'contacted', 'new'],
    canJoin: false,
    senderMay: ['erase'],
    receipt: 'closed',
    isOpen: false,
    isMailed: true,
    isCounted: true,
    retainedAs: 'closed',
  },
  not_suitable: {
    words: 'not suitable',
    tab: 'done',
    stage: 'closed',
    moves: ['consultation_booked', 'contacted', 'new'],
    canJoin: false,
    senderMay: ['erase'],
    receipt: 'closed',
    isOpen: false,
    isMailed: true,
    isCounted: true,
    retainedAs: 'closed',
  },
  joined: {
    words: 'joined with another request',
    short: 'joined',
    // The page of the request that it is joined with shows it.
    tab: undefined,
    stage: 'closed',
    moves: ['new'],
    canJoin: false,
    senderMay: ['withdraw', 'erase'],
    receipt: 'joined',
    isOpen: false,
    isMailed: true,
    isCounted: false,
  },
  held: {
    words: 'held',
    tab: 'held',
    stage: 'judging',
    moves: ['new', 'spam'],
    canJoin: false,
    senderMay: ['withdraw', 'erase'],
    receipt: 'received',
    isOpen: false,
    isMailed: false,
    isCounted: false,
    retainedAs: 'held',
  },
  spam: {
    words: 'spam',
    tab: 'spam',
    stage: 'judging',
    moves: ['new'],
    canJoin: false,
    senderMay: ['withdraw', 'erase'],
    receipt: 'received',
    isOpen: false,
    isMailed: false,
    isCounted: false,
    retainedAs: 'spam',
  },
  withdrawn: {
    words: 'withdrawn by the customer',
    short: 'withdrawn',
    tab: 'done',
    stage: 'closed',
    moves: [],
    canJoin: false,
    senderMay: ['erase'],
    receipt: 'withdrawn',
    isOpen: false,
    isMailed: false,
    isCounted: true,
    retainedAs: 'closed',
  },
  erased: {
    words: 'erased',
    tab: undefined,
    stage: 'closed',
    moves: [],
    canJoin: false,
    senderMay: ['erase'],
    receipt: 'erased',
    isOpen: false,
    isMailed: false,
    isCounted: false,
  },
} as const satisfies Record<string, StateFacts>

export type State = keyof typeof table
export type ReceiptStatus = (typeof table)[State]['receipt'] | 'met'

/** A move to a state that the table does not have does not compile here. */
const rows: Readonly<Record<State, StateFacts<State>>> = table

export const states = Object.keys(table) as State[]

/** In these states the owner can give a lead a date. */
export const openStates = statesThat(({ isOpen }) => isOpen)

export const joinableStates = statesThat(({ canJoin }) => canJoin)

/** A joined request is shown as the one that it is joined with. */
export const unjoinedStates: readonly State[] = states.filter((state) => state !== 'joined')

export const countedStates = statesThat(({ isCounted }) => isCounted)

export type Tab = NonNullable<StateFacts['tab']>

export function statesIn(tab: Tab): readonly State[] {
  return statesThat((facts) => facts.tab === tab)
}

function statesThat(is: (facts: StateFacts) => boolean): readonly State[] {
  return states.filter((state) => is(rows[state]))
}

/** Whether the move takes the lead back on its road, which is the open states in their order. */
export function isBack(from: State, to: State): boolean {
  if (!openStates.includes(to)) return false
  return !openStates.includes(from) || openStates.indexOf(from) > openStates.indexOf(to)
}

/** The owner has begun with these, so they need a date, or else come back after `untouchedDays`. */
export const begunStates: readonly State[] = openStates.filter((state) => state !== 'new')

/** After so many days without a touch, an open lead without a date comes back. */
export const untouchedDays = 7

export const mailedStates = statesThat(({ isMailed }) => isMailed)

export const stateWords = eachState(({ words }) => words)
export const shortWords = eachState(({ words, short = words }) => short)
export const stageIn = eachState(({ stage }) => stage)
export const movesFrom = eachState(({ moves }) => moves)
const receiptStatuses = eachState(({ receipt }) => receipt as ReceiptStatus)
/** The statuses of a request that goes on, in their order. */
export const receiptRoad: readonly ReceiptStatus[] = [
  ...new Set(openStates.map((state) => receiptStatuses[state])),
]
const receiptStatusesOnceMet = eachState(({ receiptOnceMet }) => receiptOnceMet)

function eachState<T>(pick: (facts: StateFacts<State>) => T): Record<State, T> {
  const picked = states.map((state) => [state, pick(rows[state])])
  return Object.fromEntries(picked) as Record<State, T>
}

export function receiptStatusOf(state: State, hasMet: boolean): ReceiptStatus {
  return (hasMet && receiptStatusesOnceMet[state]) || receiptStatuses[state]
}

export function maySenderWithdraw(state: State): boolean {
  return senderMay(state, 'withdraw')
}

export function maySenderErase(state: State): boolean {
  return senderMay(state, 'erase')
}

function senderMay(state: State, act: 'withdraw' | 'erase'): boolean {
  const { senderMay: acts } = rows[state]
  return acts.includes(act)
}

export function isState(text: string): text is State {
  return Object.hasOwn(table, text)
}

export const doorWords = {
  form: 'the form',
  json: 'an agent or a program',
  mcp: 'an agent',
  cli: 'the command-line tool',
  webmcp: 'an agent in the browser',
  phone: 'the phone',
}

export type Door = keyof typeof doorWords

export type MoveEvent = 'lead.released' | 'lead.state_changed' | 'lead.withdrawn'
export type EventKind =
  | MoveEvent
  | 'lead.received'
  | 'lead.held'
  | 'lead.repeated'
  | 'lead.noted'
  | 'lead.planned'
  | 'lead.tried'
  | 'lead.spoke'
  | 'lead.taken'
  | 'lead.corrected'
  | 'lead.note_changed'
  | 'lead.explained'
  | 'lead.summed'
  | 'lead.asked'
  | 'lead.joined'
  | 'lead.erased'

export function eventOfMove(from: State, to: State): MoveEvent {
  if (to === 'withdrawn') return 'lead.withdrawn'
  if (from === 'held' && to === 'new') return 'lead.released'
  return 'lead.state_changed'
}

/** The first event of a lead. */
export function eventOfBirth(state: 'new' | 'held'): EventKind {
  return state === 'held' ? 'lead.held' : 'lead.received'
}

/** Why a lead was lost. The owner may say so; the figures count it. */
export const lostReasons = {
  someone_else: 'went with someone else',
  budget: 'more than they had in mind',
  timing: 'not the right time',
  no_answer: 'never answered',
}

export type LostReason = keyof typeof lostReasons

export function isLostReason(text: string): text is LostReason {
  return Object.hasOwn(lostReasons, text)
}

/** The one date of a lead: to ring the sender again, or to visit. */
export type Next = { at: number; what: 'ring' | 'visit' }

export type RetainedGroup = NonNullable<StateFacts['retainedAs']>

/** The setting `RETENTION` lists the days until leads are erased, for these groups in this order. */
export const retainedGroups = ['spam', 'held', 'closed'] as const satisfies RetainedGroup[]

export function retainedIn(group: RetainedGroup): readonly State[] {
  return statesThat(({ retainedAs }) => retainedAs === group)
}

export type RetainedCounts = Record<RetainedGroup, number>

/** In days since the lead came into its state. */
export type Retention = Readonly<Record<RetainedGroup, number>>

export const defaultRetention: Retention = { spam: 30, held: 90, closed: 365 }
