/**
 * Two requests of one person in memory, random commands for them, and what holds at every step: for
 * the tests of a lead's life.
 */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import {
  eventOfMove,
  maySenderErase,
  maySenderWithdraw,
  movesFrom,
  openStates,
  receiptStatusOf,
  retained,
  states,
  type State,
} from '../../src/contract/states.ts'
import * as life from '../../src/lead/life.ts'
import type { LeadChange } from '../../src/store/leads/changes.ts'
import { dataOf, type LeadEvent } from '../../src/store/leads/events.ts'
import { nextOf, type Lead } from '../../src/store/leads/rows.ts'
import { dayMs, hourMs, minuteMs } from '../../src/time.ts'

const whatIsAsked = fc.oneof(
  { weight: 7, arbitrary: fc.constantFrom('move', 'move', 'plan', 'undo', 'undo') },
  { weight: 8, arbitrary: fc.constantFrom('book', 'book', 'show') },
  { weight: 2, arbitrary: fc.constantFrom('note', 'take') },
  { weight: 2, arbitrary: fc.constantFrom('withdraw', 'withdraw', 'withdraw', 'erase') },
)
const member = fc.constantFrom('ann', 'ben')

/** Dates are noons and midnights, counted from the last one, so that both members often choose the same. */
const halfDayMs = dayMs / 2
const halfDays = fc.constantFrom(0, 1, 1, 1, 2, 3, 20)
const visit = fc.record({
  halfDays,
  place: fc.constantFrom(undefined, '', '1 Quux Lane', '2 Quux Lane'),
  shown: fc.constantFrom(true, true, true, false),
})

/** Each command uses only some of these. */
const parts = {
  what: whatIsAsked,
  which: fc.constantFrom(0, 0, 1),
  by: member,
  to: fc.constantFrom(...states, 'contacted', 'consultation_booked'),
  visit,
  date: fc.constantFrom('visit', 'ring', 'none'),
  tried: fc.boolean(),
  takenBy: fc.option(member, { nil: undefined }),
  eraser: fc.constantFrom('owner', 'sender', 'retention'),
  /** A person who has a visit gets a second one. */
  keepsBoth: fc.constantFrom(false, false, false, true),
  /** So many versions ago the member opened the page. After a restore, the page may be ahead. */
  behind: fc.constantFrom(0, 0, 0, 0, 0, 0, 1, 2, 3, -1),
  /** A colleague writes a note between reading the lead and changing it. */
  isNotedMeanwhile: fc.constantFrom(false, false, false, true),
}

/** `passes`: how long before the command; `beyond`: until the date of the request is over. `mail`: what the mail worker does then. */
const soon = fc.record({
  ...parts,
  passes: fc.constantFrom(0, 3 * minuteMs, 3 * minuteMs, 3 * minuteMs, hourMs, 'beyond'),
  mail: fc.constantFrom('waits', 'fails', 'leaves', 'leaves', 'leaves'),
})

/** Mail waits long, for example while its server is down. */
const later = fc.record({
  ...parts,
  passes: fc.constantFrom(0, 3 * minuteMs, hourMs, hourMs, 'beyond', 8 * dayMs),
  mail: fc.constantFrom('waits', 'waits', 'waits', 'waits', 'fails', 'leaves'),
})

export type Command = typeof soon | typeof later extends fc.Arbitrary<infer T> ? T : never

/** On average 20: longer lives end as erased leads, with which nothing can be done. */
const length = { maxLength: 40, size: 'max' } as const
export const commands = fc.oneof(
  fc.array(later, length),
  // Half of the lives begin with a visit that the sender is told of.
  fc.tuple(soon, fc.array(soon, length)).map(([first, rest]) => [booked(first), ...rest]),
)

function booked<T extends (typeof soon extends fc.Arbitrary<infer U> ? U : never)>(first: T): T {
  return { ...first, what: 'book', which: 0, visit: { ...first.visit, halfDays: 2, shown: true } }
}

/** `before`: what people saw before each event, by its number. */
export type ModelLead = life.History & { lead: Lead; before: readonly Shown[] }

/** What a page, a receipt, the feed or an email shows. */
type Shown = ReturnType<typeof shownOf>

function shownOf(lead: Lead) {
  const { state, visitPlace: place, visitShown: shown, takenBy } = lead
  return { state, next: nextOf(lead), place, shown, takenBy }
}

/** A lead that has just come in. */
export function toModel(lead: Lead, events: readonly LeadEvent[]): ModelLead {
  return { lead, events, visitBefore: undefined, detailsBefore: [], before: [shownOf(lead)] }
}

/** Two requests of one person. */
export type Person = [ModelLead, ModelLead]

/** When the command comes. */
export function timeOf(person: Person, { which, passes }: Command, at: number): number {
  if (passes !== 'beyond') return at + Number(passes)
  const { nextAt = 0 } = person[which].lead
  return Math.max(at, nextAt + hourMs)
}

/** `give`: the other request gives its visit to this one. */
type What = Command['what'] | 'give'

/** What becomes of one of the requests. */
export type Step = {
  which: number
  what: What
  asked: Command
  version: number
  decide: life.Decide
  /** The person gets an email about the visit of the other request, so none about this one. */
  isNamedByOther?: boolean
}

/** A command is one step, or two if a visit moves from one request to the other, or back. */
export function stepsOf(person: Person, asked: Command, at: number): [Step, Step?] {
  const { which, what } = asked
  const [one, two] = person
  const [{ lead, events }, other] = which === 0 ? [one, two] : [two, one]
  const asking = { by: asked.by, at, version: Math.max(1, lead.version - asked.behind) }
  const otherAsking = { ...asking, version: other.lead.version }
  const step = { which, what, asked, version: asking.version }
  const otherStep = { ...step, which: 1 - which, version: otherAsking.version }
  const isAsked = life.isVisitAhead(other.lead, at) && !life.isVisitAhead(lead, at)
  if (what === 'book' && isAsked && !asked.keepsBoth) {
    const date = { ...visitOf(asked, at), otherId: other.lead.id }
    const isNamedByOther = lead.values.email === other.lead.values.email
    const giving = { what: 'give', decide: life.giveVisit(lead, otherAsking) } as const
    return [
      { ...step, decide: life.move('consultation_booked', date, asking) },
      { ...otherStep, ...giving, isNamedByOther },
    ]
  }
  const only = { ...step, decide: toDecide(asked, asking, lead) }
  const isUndoneToo =
    life.undoableMove(events)?.otherId === other.lead.id &&
    life.undoableMove(other.events)?.otherId === lead.id
  if (what !== 'undo' || !isUndoneToo) return [only]
  return [only, { ...otherStep, decide: life.undo(otherAsking) }]
}

function visitOf({ visit: { halfDays: ahead, place, shown } }: Command, at: number) {
  return { next: { at: dateOf(ahead, at), what: 'visit' as const }, place, shown }
}

function dateOf(ahead: number, at: number): number {
  return (Math.floor(at / halfDayMs) + ahead) * halfDayMs
}

function toDecide(asked: Command, asking: life.Asking, lead: Lead): life.Decide {
  const { at } = asking
  const dates = {
    visit: visitOf(asked, at),
    ring: { next: { at: dateOf(asked.visit.halfDays, at), what: 'ring' as const } },
    none: {},
  }
  const shownOrHidden = { next: nextOf(lead), shown: lead.visitShown !== 1 }
  const decides: Record<Command['what'], life.Decide> = {
    move: life.move(asked.to, {}, asking),
    book: life.move('consultation_booked', dates.visit, asking),
    plan: life.plan({ ...dates[asked.date], tried: asked.tried }, asking),
    show: lead.nextFor === 'visit' ? life.plan(shownOrHidden, asking) : () => illegal,
    undo: life.undo(asking),
    note: life.note('A quux', asking),
    take: life.take(asked.takenBy, asking),
    withdraw: life.withdraw(asking),
    erase: (now) => (isErased(asked, now) ? life.erase({ by: asked.eraser, at })(now) : illegal),
  }
  return decides[asked.what]
}

/** Decides as the doors do, and checks what was decided. */
export function decide(model: ModelLead, step: Step): life.Decision {
  const decision = step.decide(Object.freeze(model.lead), model)
  if (decision.kind === 'change') checkChange(model, step, decision.change)
  else checkRefusal(model, step, decision.kind)
  return decision
}

/** The note of a colleague that comes after the lead was read, and before the step changes it. */
export function noteMeanwhile(model: ModelLead, step: Step, at: number): LeadChange | undefined {
  const isChange = step.decide(model.lead, model).kind === 'change'
  if (!step.asked.isNotedMeanwhile || !isChange) return undefined
  const noted = life.note('A quux', { by: 'cleo', at })(model.lead)
  return noted.kind === 'change' ? noted.change : undefined
}

const illegal: life.Decision = { kind: 'illegal' }

/** The nightly erasing asks only for these. */
function isErased({ eraser }: Command, { state }: Lead): boolean {
  const closed: State[] = Object.values(retained).flat()
  return eraser !== 'retention' || closed.includes(state)
}

/** Does in memory what `store.leads.apply` does in the database. */
export function withChange(model: ModelLead, { event, after, ...change }: LeadChange): ModelLead {
  const { lead, events, before } = model
  const { id, version: number, visitPlace, visitShown } = lead
  const kept =
    change.visitBefore === 'keep' ? { number, visitPlace, visitShown } : model.visitBefore
  const isForgotten = change.erases || change.visitBefore === 'forget'
  const rest = change.erases ? { ...lead, ...emptied(lead), erasedAt: event.at } : lead
  return {
    lead: { ...rest, ...after, version: number + 1 },
    events: [...events, { ...event, leadId: id, number, data: JSON.stringify(event.data) }],
    visitBefore: isForgotten ? undefined : kept,
    detailsBefore: model.detailsBefore,
    before: [...before, shownOf(lead)],
  }
}

function emptied({ values }: Lead): Partial<Lead> {
  const fields = Object.fromEntries(Object.keys(values).map((field) => [field, '']))
  const texts = { unlisted: '', botcheck: '', agent: '', client: '', userAgent: '' }
  return { ...texts, fingerprint: '', emailKey: '', phoneKey: '', values: fields as Lead['values'] }
}

function checkRefusal(was: ModelLead, { what, asked, version }: Step, kind: string): void {
  const { state, version: newest } = was.lead
  const harmless = ['lead.repeated', 'lead.noted', 'lead.taken']
  const isChanged = was.events.slice(version).some((event) => !harmless.includes(event.kind))
  if (kind === 'overtaken') assert.ok(isChanged || version > newest, 'nothing overtook it')
  if (kind !== 'illegal') return
  const legal: Partial<Record<What, boolean>> = {
    move: movesFrom[state].includes(asked.to),
    book: movesFrom[state].includes('consultation_booked'),
    plan: openStates.includes(state),
    give: state === 'consultation_booked',
    note: state !== 'erased',
    take: openStates.includes(state) && asked.takenBy !== undefined,
    withdraw: maySenderWithdraw(state),
  }
  assert.ok(!legal[what], `${what} is legal from ${state}`)
}

function checkChange(was: ModelLead, step: Step, change: LeadChange): void {
  const { what, version, isNamedByOther = false } = step
  assert.notEqual(was.lead.state, 'erased', 'an erased lead stays erased')
  const isOfSender = what === 'erase' && change.event.data.by === 'sender'
  assert.ok(!isOfSender || maySenderErase(was.lead.state), 'erased by the sender')
  const now = withChange(was, change)
  checkEvent(was.lead, now.lead, change)
  const notices = change.notices.map(({ kind, dueAt }) => [kind, dueAt])
  const due = noticesDue(was.lead, now.lead, change)
  const isSent = ([kind]: unknown[]) => kind !== 'lead.visit' || !isNamedByOther
  assert.deepEqual(notices, due.filter(isSent), 'notices')
  if (what === 'give') assert.equal(now.lead.nextAt, undefined, 'one visit became two')
  if (what === 'undo') checkUndone(was, now)
  else checkStaysMet(was, now, change.event.at)
  if (['move', 'book', 'plan', 'show', 'give'].includes(what)) {
    const back = life.undo({ by: 'ann', at: change.event.at })(now.lead, now)
    assert.ok(back.kind === 'change', 'each change can be undone')
    checkUndone(now, withChange(now, back.change))
    checkNothingOverwritten(was, now, version)
  }
}

function checkEvent(was: Lead, now: Lead, { event: { kind, data } }: LeadChange): void {
  const [before, after] = [shownOf(was), shownOf(now)]
  if (kind === 'lead.noted') return assert.deepEqual(after, before)
  if (kind === 'lead.taken') return assert.deepEqual(after, { ...before, takenBy: data.takenBy })
  assert.deepEqual([data.from, data.to, data.next], [was.state, now.state, after.next])
  if (kind === 'lead.erased') return
  assert.deepEqual([data.was, now.takenBy], [before.next, was.takenBy])
  const isOpen = openStates.includes(now.state)
  assert.ok(
    isOpen || now.nextAt === undefined || now.state === 'withdrawn',
    'a closed lead is dated',
  )
  if (was.state !== now.state) return assert.equal(kind, eventOfMove(was.state, now.state))
  if (kind === 'lead.tried') return assert.ok(isOpen, 'nobody rings about a closed lead')
  assert.equal(kind, 'lead.planned')
  if (data.undoes === undefined) assert.notDeepEqual(after, before, 'a date changes something')
}

function noticesDue(was: Lead, now: Lead, { event: { at, data, kind } }: LeadChange): unknown[][] {
  const isHeard = data.by === 'sender' && openStates.includes(was.state)
  if (kind === 'lead.erased') return isHeard ? [['lead.withdrawn', at]] : []
  const isSpam = was.state === 'held' || was.state === 'spam'
  const isTold = was.state !== now.state && !(isSpam && now.state === 'withdrawn')
  const [told, seen] = [visitSeen(was), visitSeen(now)]
  const isAhead = ((seen ?? told)?.at ?? 0) > at
  const isVisit = isAhead && JSON.stringify(told) !== JSON.stringify(seen)
  return [...(isTold ? [[kind, at]] : []), ...(isVisit ? [['lead.visit', at + 2 * minuteMs]] : [])]
}

/** What the receipt and an email tell the sender. */
export function visitSeen({ state, nextFor, nextAt, visitShown, visitPlace }: Lead) {
  const isSeen = state === 'consultation_booked' && nextFor === 'visit' && visitShown === 1
  return isSeen ? { at: nextAt!, place: visitPlace ?? '' } : undefined
}

/** Undo restores everything but who took the lead over since. */
function checkUndone({ lead, before }: ModelLead, now: ModelLead): void {
  const undone = before[dataOf(now.events.at(-1)!).undoes!]
  assert.deepEqual(shownOf(now.lead), { ...undone, takenBy: lead.takenBy }, 'undone')
}

/** A page that is behind changes nothing that somebody changed since it was opened. */
function checkNothingOverwritten(was: ModelLead, now: ModelLead, version: number): void {
  const [before, after] = [shownOf(was.lead), shownOf(now.lead)]
  const seen = was.before[version] ?? before
  // An empty place looks like none, and 0 like `undefined`.
  for (const field of ['state', 'next', 'place', 'shown'] as const) {
    const isChanged = JSON.stringify(after[field] || '') !== JSON.stringify(before[field] || '')
    if (isChanged)
      assert.deepEqual(before[field] || '', seen[field] || '', `${field} is overwritten`)
  }
}

/** Ringing again, a note or another place does not take a visit out of the story. */
function checkStaysMet(was: ModelLead, now: ModelLead, at: number): void {
  const isElsewhere = was.lead.state !== now.lead.state || isVisitLeft(now.lead, at)
  if (isElsewhere || statusOf(was, at) !== 'met') return
  assert.equal(statusOf(now, at), 'met', 'the visit left the story')
}

/** A visit takes an hour. */
function isVisitLeft({ nextFor, nextAt = 0 }: Lead, at: number): boolean {
  return nextFor === 'visit' && nextAt + hourMs > at
}

function statusOf({ lead, events }: ModelLead, at: number): string {
  return receiptStatusOf(lead.state, life.metAt(lead, events, at) !== undefined)
}

/** What holds at every moment. */
export function checkMoment(model: ModelLead, at: number, today: boolean): void {
  const { lead, events } = model
  const dates = [lead.nextAt, ...events.map((event) => dataOf(event).next?.at)]
  const isOver = dates.some((date) => date !== undefined && date + hourMs <= at)
  const status = statusOf(model, at)
  if (status === 'met') assert.ok(isOver && !isVisitLeft(lead, at), 'met before the visit')
  if (lead.state === 'consultation_booked' && lead.nextFor === 'visit')
    assert.equal(status, isVisitLeft(lead, at) ? 'consultation_booked' : 'met')
  assert.equal(today, isInToday(model, at), 'in Today')
  const isAhead = lead.nextAt !== undefined && lead.nextAt >= at
  const isTouched = touchedAt(events) >= at - 7 * dayMs
  const isOpen = openStates.includes(lead.state)
  assert.ok(today || isAhead || isTouched || !isOpen, 'an open lead is forgotten')
}

/** The question that `leadsOfToday` asks the database. */
export function isInToday({ lead: { state, nextAt }, events }: ModelLead, until: number): boolean {
  if (state === 'withdrawn') return nextAt !== undefined
  if (!['new', 'contacted', 'consultation_booked'].includes(state)) return false
  if (nextAt !== undefined) return nextAt < until
  return state === 'new' || touchedAt(events) < until - 7 * dayMs
}

function touchedAt(events: readonly LeadEvent[]): number {
  return events.findLast(({ kind }) => kind !== 'lead.repeated')!.at
}
