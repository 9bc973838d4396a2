/** What a member has just done, as data: the bar says it, and offers to undo it. */
import { capital } from '../words.ts'
import { isState, type State } from '../contract/states.ts'
import { isVisitAhead, newsOf, seenVisit, type VisitEmail } from '../contract/visit.ts'
import { firstNameOf } from '../lead/contact-links.ts'
import { visitEmailWaitMs } from '../lead/hearing.ts'
import { undoableMove } from '../lead/life.ts'
import { dataOf, type LeadEvent } from '../store/leads/events.ts'
import type { Lead } from '../store/leads/rows.ts'
import { minuteMs } from '../time.ts'
import { visitActInShort } from './choices.ts'
import {
  joinWords,
  todoInWords,
  todoInShort,
  todoOf,
  type LocalNow,
  type ShortTodo,
} from './plan.ts'
import { shortWord } from './words.ts'

export type DoneWhat = State | 'planned' | 'corrected' | 'undone'

/** `visitEmails`: what the customer was told of visits. */
export type Changed = {
  lead: Lead
  events: readonly LeadEvent[]
  visitEmails: readonly VisitEmail[]
}

export type DoneReport = {
  /** "Booked", "Visit Thu 19 Nov, 3 pm". */
  what: string
  /** The name of the person; '' if there are several. */
  name: string
  /** How many more requests were changed with that of the person. */
  more: number
  /** What comes next: "Which day?", "Follow up Mon 30 Nov." */
  upNext: string
  undoable: readonly Lead[]
}

/** `mailsVisits`: whether customers get emails about visits. */
type ReportOptions = LocalNow & { mailsVisits: boolean }

/** Returns `undefined` if all leads of the act have changed since. */
export function reportOf(
  what: DoneWhat,
  changed: readonly Changed[],
  options: ReportOptions,
): DoneReport | undefined {
  const asDone = changed.filter(({ lead }) => !isState(what) || what === lead.state)
  const dated = asDone.find(({ lead }) => lead.date !== undefined)
  const main = (isAboutDate(what) ? dated : undefined) ?? asDone[0]
  if (main === undefined) return undefined
  const isOne = asDone.length === 1
  const saysDate = what === 'planned' || (what === 'consultation_booked' && dated !== undefined)
  return {
    what: saysDate ? dateDone(main, options) : moveWords(what, main, isOne, options),
    name: saysDate || isOne ? main.lead.values.name : '',
    more: asDone.length - 1,
    upNext: upNextOf(what, main, options),
    undoable: asDone.filter((each) => canUndo(what, each)).map(({ lead }) => lead),
  }
}

function upNextOf(what: DoneWhat, main: Changed, options: ReportOptions): string {
  if (what === 'corrected') return afterCorrection(main, options)
  return joinWords(' ', emailOfCallingOff(what, main, options), sayNext(what, main.lead, options))
}

/** A customer hears that the visit is off only if an email had told of it. */
function emailOfCallingOff(
  what: DoneWhat,
  { lead, visitEmails }: Changed,
  { now, mailsVisits }: ReportOptions,
): string {
  if (what !== 'contacted' || !mailsVisits) return ''
  if (newsOf(lead, visitEmails, { now })?.kind !== 'off') return ''
  return `${firstNameOf(lead.values.name) || 'The customer'} gets an email in ${waitMinutes} minutes.`
}

/** The new address gets the visit, unless the correction is undone soon. */
function afterCorrection({ lead, events }: Changed, { now, mailsVisits }: ReportOptions): string {
  const last = lastAct(events)
  const isOther = last !== undefined && dataOf(last).fields?.includes('email')
  const isSeen = isVisitAhead(lead, now) && seenVisit(lead) !== undefined
  const isMailed = isOther && isSeen && mailsVisits && lead.values.email !== ''
  return isMailed ? `The visit goes to the new email in ${waitMinutes} minutes.` : ''
}

const waitMinutes = visitEmailWaitMs / minuteMs

function isAboutDate(what: DoneWhat): boolean {
  return what === 'planned' || what === 'consultation_booked'
}

function canUndo(what: DoneWhat, { lead, events }: Changed): boolean {
  const last = undoableMove(events)
  if (what === 'undone' || last === undefined) return false
  // Undo must take back what the bar says, not a correction that somebody made since, nor the reverse.
  if ((what === 'corrected') !== (last.kind === 'lead.corrected')) return false
  // Undo must not take back a move that somebody made after the date was set.
  return what !== 'planned' || last.from === lead.state
}

/** A note that was typed with the act comes after it. */
function lastAct(events: readonly LeadEvent[]): LeadEvent | undefined {
  return events.findLast((event) => dataOf(event).from !== undefined)
}

function dateDone({ lead, events }: Changed, clock: LocalNow): string {
  const last = lastAct(events)
  const date = shownDate(lead, clock)
  if (last?.kind === 'lead.spoke') return 'Spoke again'
  if (last?.kind !== 'lead.tried') return date === undefined ? 'The date is removed' : capital(date)
  const { next: set, was } = dataOf(last)
  const isNew = set !== undefined && set.at !== was?.at
  return isNew && date !== undefined ? `No answer, ${date}` : 'No answer, noted'
}

function shownDate(lead: Lead, clock: LocalNow): string | undefined {
  const todo = todoIn(lead, clock)
  return todo && todoInWords(todo)
}

function todoIn(lead: Lead, { now, timeZone }: LocalNow): ShortTodo | undefined {
  return lead.date && todoInShort(todoOf(lead.date, lead), now, timeZone)
}

function moveWords(
  what: DoneWhat,
  { lead, events }: Changed,
  isOne: boolean,
  clock: LocalNow,
): string {
  if (what === 'erased') return 'Erased for good'
  if (what === 'corrected') return 'Details corrected'
  const last = lastAct(events)
  const kind = last?.kind
  if (what === 'undone' && kind === 'lead.corrected') return 'Details as before'
  if (what === 'undone') return isOne ? `Back to ${stateAndDate(lead, clock)}` : 'Undone'
  if (kind === 'lead.released') return 'Released'
  return what === 'spam' ? 'Marked as spam' : stateDone(lead, last)
}

function stateDone({ state }: Lead, last: LeadEvent | undefined): string {
  const ofVisit = last && visitActInShort(last)
  if (ofVisit !== undefined) return `Visit ${ofVisit}`
  return state === 'new' ? 'Back to new' : capital(shortWord(state))
}

/** "booked, Thu 19 Nov 10 am", "contacted, ring 4 pm". */
function stateAndDate(lead: Lead, clock: LocalNow): string {
  const state = shortWord(lead.state)
  const todo = todoIn(lead, clock)
  if (todo === undefined) return state
  const { what, day, hour } = todo
  return `${state}, ${joinWords(' ', what === 'visit' ? '' : what, day, hour)}`
}

function sayNext(what: DoneWhat, lead: Lead, clock: LocalNow): string {
  const date = shownDate(lead, clock)
  if (date !== undefined) return what === 'proposal_sent' ? `${capital(date)}.` : ''
  if (what === 'consultation_booked') return 'Which day?'
  const isAsked = what === 'contacted' || (what === 'planned' && lead.state === 'contacted')
  return isAsked ? 'When next?' : ''
}
