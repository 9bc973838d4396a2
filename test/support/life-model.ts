/** A lead in memory, random commands for it, and what holds at every step: for the tests of a lead's life. */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import {
  eventOfMove,
  maySenderErase,
  maySenderWithdraw,
  movesFrom,
  openStates,
  retained,
  states,
  type State,
} from '../../src/contract/states.ts'
import * as life from '../../src/lead/life.ts'
import type { LeadChange } from '../../src/store/leads/changes.ts'
import { dataOf, type LeadEvent } from '../../src/store/leads/events.ts'
import { nextOf, type Lead } from '../../src/store/leads/rows.ts'
import { dayMs, hourMs, minuteMs } from '../../src/time.ts'
import { nowMs } from './leads.ts'

const what = fc.oneof(
  { weight: 30, arbitrary: fc.constantFrom('move', 'move', 'book', 'plan', 'plan', 'undo') },
  { weight: 10, arbitrary: fc.constantFrom('note', 'take') },
  { weight: 2, arbitrary: fc.constantFrom('withdraw', 'erase') },
)
const member = fc.constantFrom('ann', 'ben')
/** There are few dates and places, so that both members often choose the same. */
const day = fc.integer({ min: 1, max: 6 }).map((halves) => nowMs + (halves * dayMs) / 2)
const visit = fc
  .tuple(day, fc.constantFrom(undefined, '', '1 Quux Lane', '2 Quux Lane'), fc.boolean())
  .map(([at, place, shown]) => ({ next: { at, what: 'visit' as const }, place, shown }))
const ring = day.map((at) => ({ next: { at, what: 'ring' as const } }))
const none = fc.constant({})
/** Mail often waits for hours, for example while its server is down. */
const slow = Array<'waits'>(4).fill('waits')

/** Each command uses only some of these. */
const command = fc.record({
  what,
  by: member,
  to: fc.constantFrom(...states),
  visit,
  date: fc.oneof(visit, ring, none),
  tried: fc.boolean(),
  takenBy: fc.option(member, { nil: undefined }),
  eraser: fc.constantFrom('owner', 'sender', 'retention'),
  /** So many versions ago the member opened the page. After a restore, the page may be ahead. */
  behind: fc.constantFrom(0, 0, 0, 0, 0, 1, 2, 3, -1),
  passMs: fc.constantFrom(0, minuteMs, 3 * minuteMs, hourMs, 9 * hourMs),
  /** What the mail worker does before the command. */
  mail: fc.constantFrom(...slow, 'fails', 'leaves'),
})

export type Command = typeof command extends fc.Arbitrary<infer T> ? T : never

/** On average 20: longer lives end as erased leads, with which nothing can be done. */
export const commands = fc.array(command, { maxLength: 40, size: 'max' })

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
  return { lead, events, visitBefore: undefined, before: [shownOf(lead)] }
}

/** Decides as the doors do, and checks what was decided. */
export function decide(model: ModelLead, asked: Command, at: number): life.Decision {
  const decision = toDecide(model, asked, at)(Object.freeze(model.lead), model)
  const { version } = askingOf(model, asked, at)
  if (decision.kind === 'change') checkChange(model, asked, version, decision.change)
  else checkRefusal(model, asked, version, decision.kind)
  return decision
}

export function toDecide(model: ModelLead, asked: Command, at: number): life.Decide {
  const asking = askingOf(model, asked, at)
  const decides: Record<string, life.Decide> = {
    move: life.move(asked.to, {}, asking),
    book: life.move('consultation_booked', asked.visit, asking),
    plan: life.plan({ ...asked.date, tried: asked.tried }, asking),
    undo: life.undo(asking),
    note: life.note('A quux', asking),
    take: life.take(asked.takenBy, asking),
    withdraw: life.withdraw(asking),
    erase: (lead) => (mayErase(asked, lead) ? life.erase({ by: asked.eraser, at })(lead) : illegal),
  }
  return decides[asked.what]!
}

function askingOf({ lead }: ModelLead, { by, behind }: Command, at: number) {
  return { by, at, version: Math.max(1, lead.version - behind) }
}

const illegal: life.Decision = { kind: 'illegal' }

/** The receipt and the nightly erasing ask this before they erase. */
function mayErase({ eraser }: Command, { state }: Lead): boolean {
  const closed: State[] = Object.values(retained).flat()
  return eraser === 'retention'
    ? closed.includes(state)
    : eraser === 'owner' || maySenderErase(state)
}

/** Does in memory what `store.applyChange` does in the database. */
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
    before: [...before, shownOf(lead)],
  }
}

function emptied({ values }: Lead): Partial<Lead> {
  const fields = Object.fromEntries(Object.keys(values).map((field) => [field, '']))
  const texts = { unlisted: '', botcheck: '', agent: '', client: '', userAgent: '' }
  return { ...texts, fingerprint: '', emailKey: '', phoneKey: '', values: fields as Lead['values'] }
}

function checkRefusal(was: ModelLead, asked: Command, version: number, kind: string): void {
  const { state, version: newest } = was.lead
  const harmless = ['lead.repeated', 'lead.noted', 'lead.taken']
  const isChanged = was.events.slice(version).some((event) => !harmless.includes(event.kind))
  if (kind === 'overtaken') assert.ok(isChanged || version > newest, 'nothing overtook it')
  if (kind !== 'illegal') return
  const legal: Record<string, boolean> = {
    move: movesFrom[state].includes(asked.to),
    book: movesFrom[state].includes('consultation_booked'),
    plan: openStates.includes(state),
    note: state !== 'erased',
    take: openStates.includes(state) && asked.takenBy !== undefined,
    withdraw: maySenderWithdraw(state),
  }
  assert.ok(!legal[asked.what], `${asked.what} is legal from ${state}`)
}

function checkChange(was: ModelLead, asked: Command, version: number, change: LeadChange): void {
  assert.notEqual(was.lead.state, 'erased', 'an erased lead stays erased')
  const now = withChange(was, change)
  checkEvent(was.lead, now.lead, change)
  const notices = change.notices.map(({ kind, dueAt }) => [kind, dueAt])
  assert.deepEqual(notices, noticesDue(was.lead, now.lead, change), 'notices')
  if (asked.what === 'undo') checkUndone(was, now)
  if (['move', 'book', 'plan'].includes(asked.what)) {
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

function noticesDue(was: Lead, now: Lead, { event: { at, data, kind } }: LeadChange): unknown[] {
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
