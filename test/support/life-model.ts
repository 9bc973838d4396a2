/**
 * Three requests of one person in memory, random commands for them, and what holds at every step: for
 * the tests of a lead's life.
 */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { toReceipt } from '../../src/contract/receipt.ts'
import {
  eventOfMove,
  lostReasons,
  maySenderErase,
  maySenderWithdraw,
  movesFrom,
  openStates,
  retainedGroups,
  retainedIn,
  states,
  type EventKind,
  type LostReason,
  type State,
} from '../../src/contract/states.ts'
import { lastMet, nextOf, overdueAt } from '../../src/contract/visit.ts'
import type { Asking } from '../../src/lead/asking.ts'
import * as life from '../../src/lead/life.ts'
import type { LeadChange, LeadPart } from '../../src/store/leads/changes.ts'
import { detailsOf, withDetails, type Details } from '../../src/store/leads/details.ts'
import {
  lastingEvents,
  readEvents,
  type EventData,
  type LeadEvent,
  type ReadEvent,
} from '../../src/store/leads/events.ts'
import type { Note } from '../../src/store/leads/notes.ts'
import type { Lead } from '../../src/store/leads/rows.ts'
import { dayMs, hourMs, minuteMs } from '../../src/time.ts'
import { keysOf } from './desk.ts'

const whatIsAsked = fc.oneof(
  { weight: 7, arbitrary: fc.constantFrom('move', 'move', 'plan', 'undo', 'undo') },
  { weight: 8, arbitrary: fc.constantFrom('book', 'book', 'show') },
  { weight: 2, arbitrary: fc.constantFrom('join') },
  { weight: 3, arbitrary: fc.constantFrom('correct', 'correct', 'explain') },
  { weight: 3, arbitrary: fc.constantFrom('ask', 'ask', 'keep') },
  { weight: 2, arbitrary: fc.constantFrom('note', 'change note', 'take') },
  { weight: 2, arbitrary: fc.constantFrom('withdraw', 'withdraw', 'withdraw', 'erase') },
)
const member = fc.constantFrom('ann', 'ben')

/** Dates are noons and midnights, counted from the last one, so that both members often choose the same. */
const halfDayMs = dayMs / 2
const halfDays = fc.constantFrom(0, 1, 1, 1, 2, 3, 20)
/** The place that the page had filled in. */
const asFilledIn = 'as filled in'
const visit = fc.record({
  halfDays,
  place: fc.constantFrom(undefined, '', '1 Quux Lane', '2 Quux Lane', asFilledIn, asFilledIn),
  shown: fc.constantFrom(true, true, true, false),
})

const typed = fc.record({
  name: fc.constantFrom('Quux', 'Ann Quux'),
  phone: fc.constantFrom('', '0491 570 006'),
  secondPhone: fc.constantFrom('', '0491 570 156'),
  street: fc.constantFrom('', '3 Quux Lane', '4 Quux Lane'),
  email: fc.constantFrom('as before', 'in capitals', 'another', 'a third', 'none'),
})

/** Each command uses only some of these. */
const parts = {
  what: whatIsAsked,
  which: fc.constantFrom(0, 0, 0, 1, 1, 2),
  /** Which of the other two requests this one is joined with. */
  other: fc.constantFrom(1, 2),
  by: member,
  to: fc.constantFrom(...states, ...openStates, 'lost', 'spam'),
  visit,
  date: fc.constantFrom('visit', 'ring', 'none'),
  tried: fc.boolean(),
  takenBy: fc.option(member, { nil: undefined }),
  typed,
  why: fc.constantFrom(...(Object.keys(lostReasons) as LostReason[])),
  /** What the customer writes, or what becomes of a note. */
  words: fc.constantFrom('', 'Another quux'),
  eraser: fc.constantFrom('owner', 'sender', 'retention'),
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
  // Most lives begin with a visit that the sender is told of.
  fc.tuple(soon, fc.array(soon, length)).map(([first, rest]) => [booked(first), ...rest]),
  // Some go on with a customer who asks for another time, and an owner who keeps it.
  fc
    .tuple(soon, soon, soon, fc.array(soon, length))
    .map(([first, then, last, rest]) => [
      booked(first),
      ofFirst('ask', then),
      ofFirst('keep', last),
      ...rest,
    ]),
  // Some are called off, and booked again without an email before the one that calls it off leaves.
  fc
    .tuple(soon, soon, soon, fc.array(soon, length))
    .map(([first, then, last, rest]) => [booked(first), calledOff(then), hidden(last), ...rest]),
  // Some customers ask for another time after a call that was noted by mistake.
  fc
    .tuple(soon, soon, soon, soon, fc.array(soon, length))
    .map(([first, then, third, last, rest]) => [
      booked(first),
      tried(then),
      ofFirst('ask', third),
      fromNewest('undo', last),
      ...rest,
    ]),
  // Some are lost after two calls, of which one may have been noted by mistake.
  fc
    .tuple(soon, soon, soon, soon, fc.array(soon, length))
    .map(([first, then, third, last, rest]) => [
      tried(first),
      tried(then),
      fromNewest(third.tried ? 'undo' : 'note', third),
      lost(last),
      ...rest,
    ]),
  // Some go on with another email, or with the others joined with the booked one.
  fc
    .tuple(soon, soon, fc.array(soon, length))
    .map(([first, then, rest]) => [booked(first), readdressed(then), ...rest]),
  fc
    .tuple(soon, soon, fc.array(soon, length))
    .map(([first, then, rest]) => [booked(first), joining(1, 0, then), ...rest]),
  fc
    .tuple(soon, soon, soon, fc.array(soon, length))
    .map(([one, two, three, rest]) => [
      joining(2, 1, one),
      booked(two),
      joining(1, 0, three),
      ...rest,
    ]),
)

type Soon = typeof soon extends fc.Arbitrary<infer T> ? T : never

function booked(first: Soon): Soon {
  return ofFirst('book', { ...first, visit: { ...first.visit, halfDays: 2, shown: true } })
}

function tried(command: Soon): Soon {
  return fromNewest('plan', { ...command, date: 'none', tried: true })
}

function lost(command: Soon): Soon {
  return fromNewest('move', { ...command, to: 'lost' })
}

function calledOff(command: Soon): Soon {
  const passes = 3 * minuteMs
  return ofFirst('move', { ...command, to: 'contacted', passes, mail: 'leaves', behind: 0 })
}

function hidden(command: Soon): Soon {
  const unseen: Soon['visit'] = { ...command.visit, halfDays: 3, shown: false }
  return ofFirst('book', { ...command, visit: unseen, passes: 0, mail: 'waits', behind: 0 })
}

function readdressed(command: Soon): Soon {
  return ofFirst('correct', { ...command, typed: { ...command.typed, email: 'another' } })
}

function joining(which: 1 | 2, to: 0 | 1, command: Soon): Soon {
  const other = which - to === 1 ? 2 : 1
  return { ...command, what: 'join', which, other, behind: 0 }
}

/** From a page that shows everything. */
function fromNewest(what: Soon['what'], command: Soon): Soon {
  return ofFirst(what, { ...command, behind: 0 })
}

function ofFirst(what: Soon['what'], command: Soon): Soon {
  return { ...command, what, which: 0 }
}

/**
 * `before`: what people saw before each event, by its number. `read`: the events, read once, because
 * that is most of the work.
 */
export type ModelLead = life.History & {
  lead: Lead
  before: readonly Shown[]
  read: readonly ReadEvent[]
}

/** What a page, a receipt, the feed or an email shows. */
type Shown = ReturnType<typeof shownOf>

function shownOf(lead: Lead) {
  const { state, visitPlace: place, isVisitSeen: shown, takenBy, askedAt, lostWhy } = lead
  const [details, { joinedTo }] = [detailsOf(lead), lead]
  return { state, next: nextOf(lead), place, shown, takenBy, askedAt, lostWhy, joinedTo, details }
}

/** A lead that has just come in. */
export function toModel(lead: Lead, events: readonly LeadEvent[]): ModelLead {
  const before = [shownOf(lead)]
  const alone = { first: undefined, joined: [] }
  const own = { lead, events, read: readEvents(events), before }
  return { ...own, visitBefore: undefined, detailsBefore: [], notes: [], ...alone }
}

/** Three requests of one person, the oldest first. */
export type Person = ModelLead[]

/** Brings what each request knows of the others up to date. */
export function acquaint(person: Person): void {
  const leads = person.map(({ lead }) => lead)
  for (const [which, model] of person.entries()) {
    const { id, joinedTo } = model.lead
    const first = leads.find((each) => each.id === joinedTo)
    const joined = leads.filter((each) => each.id !== id && each.joinedTo === (joinedTo || id))
    person[which] = { ...model, first, joined }
  }
}

/** When the command comes. */
export function timeOf(person: Person, { which, passes }: Command, at: number): number {
  if (passes !== 'beyond') return at + Number(passes)
  const { date } = person[which]!.lead
  return Math.max(at, (date?.at ?? 0) + hourMs)
}

type What = Command['what']

/** What becomes of one of the requests. */
export type Step = {
  which: number
  what: What
  asked: Command
  at: number
  version: number
  decide: life.Decide
  /** Whether the request that this one is joined with is open. */
  isOtherOpen?: boolean | undefined
}

export function stepOf(person: Person, asked: Command, at: number): Step {
  const { which, what } = asked
  const model = person[which]!
  const { lead } = model
  const asking = { by: asked.by, at, version: Math.max(1, lead.version - asked.behind) }
  const step = { which, what, asked, at, version: asking.version }
  if (what === 'join') return joinOf(step, person, asking)
  const decides = what === 'correct' ? life.correct(detailsIn(asked, lead), asking) : undefined
  return { ...step, decide: decides ?? toDecide(asked, asking, model) }
}

/** Which one is joined with the other is not chosen by the member. */
function joinOf(step: Omit<Step, 'decide'>, person: Person, asking: Asking): Step {
  const which = (step.which + step.asked.other) % person.length
  const [lead, other] = [person[step.which]!.lead, person[which]!.lead]
  const first = life.firstOf(lead, other)
  const isOtherOpen = openStates.includes(first.state)
  if (first === other) return { ...step, isOtherOpen, decide: life.join(first, asking) }
  const { version } = other
  const joins = life.join(first, { ...asking, version })
  return { ...step, which, version, isOtherOpen, decide: joins }
}

function visitOf(
  { visit: { halfDays: ahead, shown, ...wanted } }: Command,
  asking: Asking,
  model: ModelLead,
) {
  const { at, version = 0 } = asking
  const place = wanted.place === asFilledIn ? filledIn(model, version) : wanted.place
  return { next: { at: dateOf(ahead, at), what: 'visit' as const }, place, shown }
}

function filledIn(model: ModelLead, version: number): string {
  const { place, details } = seenAt(model, version)
  return place || details.street
}

/** What the page of this version showed. */
function seenAt({ lead, before }: ModelLead, version: number): Shown {
  return before[version] ?? shownOf(lead)
}

function dateOf(ahead: number, at: number): number {
  return (Math.floor(at / halfDayMs) + ahead) * halfDayMs
}

function detailsIn({ typed: wanted }: Command, lead: Lead): Details {
  const { email: before } = lead.values
  const emails = {
    'as before': before,
    'in capitals': before.toUpperCase(),
    another: `quux-${lead.id}@example.com`,
    'a third': `quux-${lead.id}-3@example.com`,
    none: '',
  }
  const details = { ...detailsOf(lead), ...wanted, email: emails[wanted.email] }
  const keys = keysOf(details)
  const keyOf = (kind: string) => keys.find((key) => key.startsWith(kind)) ?? ''
  return { ...details, emailKey: keyOf('e'), phoneKey: keyOf('p') }
}

function lastNote({ events }: ModelLead): number {
  return events.findLast(({ kind }) => kind === 'lead.noted')?.number ?? 0
}

type Decided = Exclude<Command['what'], 'correct' | 'join'>

function toDecide(asked: Command, asking: Asking, model: ModelLead): life.Decide {
  const { at } = asking
  const { lead } = model
  const dates = {
    visit: visitOf(asked, asking, model),
    ring: { next: { at: dateOf(asked.visit.halfDays, at), what: 'ring' as const } },
    none: {},
  }
  const shownOrHidden = { next: nextOf(lead), shown: lead.isVisitSeen !== true }
  const decides: Record<Decided, life.Decide> = {
    move: life.move(asked.to, followsUp(asked) ? dates.ring : {}, asking),
    book: life.move('consultation_booked', dates.visit, asking),
    plan: life.plan({ ...dates[asked.date], call: asked.tried ? 'tried' : undefined }, asking),
    show: lead.date?.what === 'visit' ? life.plan(shownOrHidden, asking) : () => illegal,
    keep: lead.askedAt === undefined ? () => illegal : life.plan({ next: nextOf(lead) }, asking),
    undo: life.undo(asking),
    ask: life.askForAnotherTime(asked.words, { at }),
    explain: life.explainLost(asked.why, asking),
    note: life.note('A quux', asking),
    'change note': life.changeNote(lastNote(model), asked.words, asking),
    take: life.take(asked.takenBy, asking),
    withdraw: life.withdraw(asking),
    erase: (now) =>
      isErased(asked, now) ? life.erase(erasing(asked, asking))(now, model) : illegal,
  }
  return decides[asked.what as Decided]
}

/** Whether the move is to a proposal, with the day to follow up. */
function followsUp({ to, date }: Command): boolean {
  return to === 'proposal_sent' && date !== 'none'
}

/** Only the owner erases from a page that shows a version. */
function erasing({ eraser: by }: Command, { at, version }: Asking): Asking {
  return by === 'owner' ? { by, at, version } : { by, at }
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
  const noted = life.note('A quux', { by: 'cleo', at })(model.lead, model)
  return noted.kind === 'change' ? noted.change : undefined
}

const illegal: life.Decision = { kind: 'illegal' }

/** The nightly erasing asks only for these. */
function isErased({ eraser }: Command, { state }: Lead): boolean {
  const closed = retainedGroups.flatMap(retainedIn)
  return eraser !== 'retention' || closed.includes(state)
}

/** Does to the person what was decided for one of the requests. */
export function applyTo(person: Person, which: number, decision: life.Decision): void {
  if (decision.kind !== 'change') return
  const before = [...person]
  applyAll(person, which, decision)
  checkOthers(before, person, which)
  const { event } = decision.change
  if (event.data.to !== 'joined' || event.data.from === 'joined') return
  const apart = [...person]
  const { lead } = apart[which]!
  applyAll(apart, which, life.undo({ by: 'ann', at: event.at })(lead, apart[which]!))
  assert.deepEqual(apart.map(placeOf), before.map(placeOf), 'undo of joining')
}

function applyAll(person: Person, which: number, decision: life.Decision): void {
  assert.ok(decision.kind === 'change')
  const { lead } = person[which]!
  for (const each of [{ lead, change: decision.change }, ...(decision.also ?? [])]) {
    const own = person.findIndex((model) => model.lead.id === each.lead.id)
    person[own] = withChange(person[own]!, each.change)
  }
  acquaint(person)
}

function placeOf({ lead: { state, joinedTo } }: ModelLead) {
  return { state, joinedTo }
}

/** Other requests change their place only with the one that they are joined with. */
function checkOthers(before: Person, after: Person, which: number): void {
  const [was, now] = [before[which]!.lead, after[which]!.lead]
  const isSender = after[which]!.read.at(-1)!.by === 'sender'
  for (const [index, model] of before.entries()) {
    const { state, joinedTo } = placeOf(model)
    const other = placeOf(after[index]!)
    if (index === which) continue
    const isOf = joinedTo === was.id
    if (isOf && now.state === 'joined') assert.equal(other.joinedTo, now.joinedTo, 'left behind')
    else if (isOf && isSender && (now.state === 'withdrawn' || now.state === 'erased'))
      assert.deepEqual(other, { state: 'new', joinedTo: '' })
    else if (isOf && now.state === 'erased') assert.equal(other.state, 'erased')
    else if (was.state !== 'joined') assert.deepEqual(other, { state, joinedTo })
    else assert.equal(other.state, state)
  }
}

/** Does in memory what `store.leads.apply` does in the database. */
export function withChange(model: ModelLead, { event, after, ...change }: LeadChange): ModelLead {
  const { lead, events, read, before } = model
  const { id: leadId, version: number, visitPlace, isVisitSeen } = lead
  const added = { ...event, leadId, number, data: JSON.stringify(event.data) }
  const kept =
    change.visitBefore === 'keep' ? { number, visitPlace, isVisitSeen } : model.visitBefore
  const isForgotten = change.erases || change.visitBefore === 'forget'
  const corrected = change.details ? withDetails(lead, change.details) : lead
  const rest = change.erases ? { ...lead, ...emptied(lead), erasedAt: event.at } : corrected
  return {
    ...model,
    lead: { ...rest, ...partOf(after), version: number + 1 },
    events: [...events, added],
    read: [...read, ...readEvents([added])],
    visitBefore: isForgotten ? undefined : kept,
    detailsBefore: change.erases ? [] : detailsBeforeAfter(model, { event, after, ...change }),
    notes: change.erases ? [] : notesAfter(model, { event, after, ...change }),
    before: [...before, shownOf(lead)],
  }
}

/** A decision may hold the whole lead, of which these are changed. */
function partOf(after: LeadPart): LeadPart {
  const { state, stateChangedAt, date, visitPlace, isVisitSeen } = after
  const { takenBy, lostWhy, proposalSum, askedAt, joinedTo } = after
  const dated = { date, visitPlace, isVisitSeen }
  return { state, stateChangedAt, ...dated, takenBy, lostWhy, proposalSum, askedAt, joinedTo }
}

function detailsBeforeAfter(model: ModelLead, { details, event }: LeadChange) {
  const { lead, detailsBefore } = model
  if (details === undefined) return detailsBefore
  const { undoes } = event.data
  if (undoes !== undefined) return detailsBefore.filter(({ number }) => number !== undoes)
  return [...detailsBefore, { number: lead.version, details: detailsOf(lead) }]
}

function notesAfter({ lead, notes }: ModelLead, change: LeadChange): readonly Note[] {
  const { note, noteChange, event } = change
  if (note !== undefined) {
    const { id: leadId, version: number } = lead
    return [...notes, { leadId, number, at: event.at, memberId: event.data.by, words: note }]
  }
  const changed = notes.map((each) =>
    each.number === noteChange?.number ? { ...each, words: noteChange.words } : each,
  )
  return changed.filter(({ words }) => words !== '')
}

/** Which emails and phone numbers are blocked, each with the lead that was marked as spam. */
export type Blocked = readonly { key: string; leadId: string }[]

export function withBlocks(blocked: Blocked, lead: Lead, { blocks }: LeadChange): Blocked {
  const { id: leadId, emailKey, phoneKey } = lead
  const keys = [emailKey, phoneKey].filter(Boolean)
  const others = blocked.filter((each) => each.leadId !== leadId)
  if (blocks === 'take back') return others
  if (blocks === 'allow') return others.filter(({ key }) => !keys.includes(key))
  if (blocks === undefined) return blocked
  const own = blocked.filter((each) => each.leadId === leadId && !keys.includes(each.key))
  return [...others, ...own, ...keys.map((key) => ({ key, leadId }))]
}

function emptied({ values }: Lead): Partial<Lead> {
  const fields = Object.fromEntries(Object.keys(values).map((field) => [field, '']))
  const sent = { unlisted: '', botcheck: '', agent: '', client: '', userAgent: '' }
  const texts = { ...sent, secondPhone: '', street: '' }
  return { ...texts, fingerprint: '', emailKey: '', phoneKey: '', values: fields as Lead['values'] }
}

/** Stops no move, date or undo. */
const harmless: readonly EventKind[] = [
  'lead.repeated',
  'lead.noted',
  'lead.note_changed',
  'lead.taken',
  'lead.explained',
  'lead.joined',
]

/** Whether an event since the page was opened is a reason to refuse what is asked. */
const overtakes: Partial<Record<What, (kind: EventKind) => boolean>> = {
  correct: (kind) => kind === 'lead.corrected',
  explain: (kind) => kind === 'lead.explained' || kind === 'lead.state_changed',
  undo: (kind) => !harmless.includes(kind),
  erase: () => true,
}

function overtakesMove(kind: EventKind): boolean {
  return !harmless.includes(kind) && kind !== 'lead.corrected'
}

/** Whether the step has a place that the page may have filled in. */
function isPlaced({ what, asked }: Step): boolean {
  const isVisit = what === 'book' || (what === 'plan' && asked.date === 'visit')
  return isVisit && asked.visit.place !== undefined
}

function checkRefusal(was: ModelLead, step: Step, kind: string): void {
  const { what, asked, at, version } = step
  const { state, version: newest } = was.lead
  const since = was.read.slice(version)
  const isOldPlace = since.some(({ fields }) => fields?.includes('street'))
  const isChanged =
    since.map((event) => event.kind).some(overtakes[what] ?? overtakesMove) ||
    (isPlaced(step) && isOldPlace)
  const note = was.notes.find(({ number }) => number === lastNote(was))
  const isRemoved = what === 'change note' && note === undefined
  const isOvertaken = isChanged || isRemoved || version > newest
  if (kind === 'overtaken') assert.ok(isOvertaken, 'nothing overtook it')
  if (kind !== 'illegal') return
  const legal: Partial<Record<What, boolean>> = {
    move: mayMove(was, asked.to) && (asked.to !== 'proposal_sent' || followsUp(asked)),
    book: mayMove(was, 'consultation_booked'),
    plan: openStates.includes(state),
    join: mayJoin(was, step),
    correct: state !== 'erased',
    explain: state === 'lost',
    ask: (visitSeen(was.lead)?.at ?? 0) > at && askingsToAnswer(was) < 5,
    note: state !== 'erased',
    'change note': note?.memberId === asked.by,
    take: openStates.includes(state) && asked.takenBy !== undefined,
    withdraw: maySenderWithdraw(state),
  }
  assert.ok(!legal[what], `${what} is legal from ${state}`)
}

/** Whether the request has no visit ahead, and nobody has gone further with it than talking. */
function mayJoin({ lead: { state, date } }: ModelLead, { at, isOtherOpen = false }: Step): boolean {
  const isAhead = date?.what === 'visit' && date.at > at
  return (state === 'new' || state === 'contacted') && !isAhead && isOtherOpen
}

/** Whether the table has the move, and the lead was there before if it is a step back. */
function mayMove(model: ModelLead, to: State): boolean {
  const { state } = model.lead
  if (!movesFrom[state].includes(to)) return false
  const made = lastingEvents(model.events)
  const calls = made.filter(({ kind }) => kind === 'lead.tried').length
  if (state === 'new' && to === 'lost') return calls >= 2
  const road = openStates
  const isOnward = !road.includes(to) || road.slice(0, road.indexOf(to)).includes(state)
  if (isOnward || to === 'new') return true
  const been = made.flatMap((event) => [event.from, event.to])
  const isSpokenTo = to === 'contacted' && road.slice(2).some((each) => been.includes(each))
  return isSpokenTo || been.includes(to)
}

function checkMoved(was: ModelLead, now: Lead): void {
  const { state } = was.lead
  if (now.state === state) return
  assert.ok(mayMove(was, now.state), `${state} to ${now.state}`)
  if (now.state === 'proposal_sent')
    assert.equal(now.date?.what, 'ring', 'a proposal without a day')
  if (state === 'new' && now.state === 'lost') assert.equal(now.lostWhy, 'no_answer')
}

function checkChange(was: ModelLead, step: Step, change: LeadChange): void {
  const { what, version } = step
  assert.notEqual(was.lead.state, 'erased', 'an erased lead stays erased')
  const isOfSender = what === 'erase' && change.event.data.by === 'sender'
  assert.ok(!isOfSender || maySenderErase(was.lead.state), 'erased by the sender')
  const isOfOwner = what === 'erase' && change.event.data.by === 'owner'
  if (isOfOwner) assert.equal(version, was.lead.version, 'erased what the page did not show')
  const now = withChange(was, change)
  checkEvent(was.lead, now.lead, change)
  const notices = change.notices.map(({ kind, dueAt }) => [kind, dueAt])
  assert.deepEqual(notices, noticesDue(was.lead, now.lead, change), 'notices')
  if (what === 'undo') checkUndone(was, now)
  else checkStaysMet(was, now, change.event.at)
  if (what === 'move') checkDidNotHappen(was, now, change.event.at)
  if (what === 'move' || what === 'book') checkMoved(was, now.lead)
  checkBlocks(was.lead, now.lead, change)
  if (what === 'explain') checkNothingOverwritten(was, now, step)
  if (what === 'undo') checkPageIsNotAhead(was, version)
  const isLeft = was.lead.state === 'joined' && now.lead.state !== 'joined'
  if (undoableWhats.includes(what) && !isLeft) {
    const back = life.undo({ by: 'ann', at: change.event.at })(now.lead, now)
    assert.ok(back.kind === 'change', 'each change can be undone')
    checkUndone(now, withChange(now, back.change))
    checkNothingOverwritten(was, now, step)
  }
}

const undoableWhats: readonly What[] = ['move', 'book', 'plan', 'show', 'keep', 'join', 'correct']

/** After a restore, the page of a version that is gone may have shown anything. */
function checkPageIsNotAhead({ lead }: ModelLead, version: number): void {
  assert.ok(version <= lead.version, 'overwritten by a page from before the restore')
}

function checkEvent(was: Lead, now: Lead, { event: { at, kind, data } }: LeadChange): void {
  const [before, after] = [shownOf(was), shownOf(now)]
  // These change one thing at most.
  const only: Partial<Record<EventKind, Partial<Shown>>> = {
    'lead.noted': {},
    'lead.note_changed': {},
    'lead.taken': { takenBy: data.takenBy },
    'lead.explained': { lostWhy: data.why },
    'lead.asked': { askedAt: at },
    'lead.corrected': { details: after.details },
  }
  if (only[kind]) assert.deepEqual(after, { ...before, ...only[kind] })
  else checkMove(was, now, { kind, data })
}

function checkMove(
  was: Lead,
  now: Lead,
  { kind, data }: Pick<LeadChange['event'], 'kind' | 'data'>,
) {
  const [before, after] = [shownOf(was), shownOf(now)]
  assert.deepEqual([data.from, data.to, data.next], [was.state, now.state, after.next])
  if (kind === 'lead.erased') return
  assert.deepEqual([data.was, now.takenBy], [before.next, was.takenBy])
  assert.deepEqual(after.details, before.details, 'a move corrects nothing')
  const isKept = kind === 'lead.tried' || data.undoes !== undefined
  assert.equal(now.askedAt, isKept ? now.askedAt : undefined, 'every answer but a try is one')
  assert.ok(kind !== 'lead.tried' || now.askedAt === was.askedAt, 'a try is no answer')
  assert.ok(now.state === 'lost' || now.lostWhy === undefined, 'lost, but open')
  const isOpen = openStates.includes(now.state)
  assert.ok(isOpen || now.date === undefined || now.state === 'withdrawn', 'a closed lead is dated')
  if (was.state !== now.state) return assert.equal(kind, eventOfMove(was.state, now.state))
  if (kind === 'lead.tried') return assert.ok(isOpen, 'nobody rings about a closed lead')
  assert.equal(kind, 'lead.planned')
  if (data.undoes === undefined) assert.notDeepEqual(after, before, 'a date changes something')
}

function noticesDue(was: Lead, now: Lead, { event: { at, data, kind } }: LeadChange): unknown[][] {
  const isHeard = data.by === 'sender' && [...openStates, 'joined'].includes(was.state)
  if (kind === 'lead.erased') return isHeard ? [['lead.withdrawn', at]] : []
  if (kind === 'lead.asked') return [[kind, at]]
  const isSpam = was.state === 'held' || was.state === 'spam'
  const isTold = was.state !== now.state && !(isSpam && now.state === 'withdrawn')
  const [told, seen] = [visitSeen(was), visitSeen(now)]
  const wasAt = was.date?.what === 'visit' ? was.date.at : 0
  const isAhead = (seen?.at ?? wasAt) > at
  const isHidden = now.date?.what === 'visit' && seen === undefined
  const isMailed = !['withdrawn', 'spam', 'held'].includes(now.state)
  const isReached = isMailed && now.values.email !== '' && !isHidden
  const isOther = was.emailKey !== now.emailKey
  const isOwed = seen !== undefined && (isOther || isAnswer(was, now, data))
  // A visit may have been hidden after an email had named it.
  const isOff = seen === undefined && wasAt > 0
  const isNews = isOwed || isOff || JSON.stringify(told) !== JSON.stringify(seen)
  const isVisit = isAhead && isNews && isReached
  const visitAt = at + 2 * minuteMs
  return [...(isTold ? [[kind, at]] : []), ...(isVisit ? [['lead.visit', visitAt]] : [])]
}

/** Every move and date answers a customer who asked for another time; taking one back is no answer. */
function isAnswer(was: Lead, now: Lead, { undoes }: LeadChange['event']['data']): boolean {
  const isAnswered = was.askedAt !== undefined && now.askedAt === undefined
  return isAnswered && undoes === undefined
}

/** How often the customer has asked since a move or a date answered it. */
function askingsToAnswer({ lead, before, read }: ModelLead): number {
  const answered = read.findLastIndex(({ undoes }, number) => {
    const { askedAt } = before[number + 1] ?? shownOf(lead)
    const isEnded = before[number]!.askedAt !== undefined && askedAt === undefined
    return isEnded && undoes === undefined
  })
  return read.slice(answered + 1).filter(({ kind }) => kind === 'lead.asked').length
}

/** When the customer last asked for another time; 0 if never. */
export function lastAsking({ events }: ModelLead): number {
  return events.findLast(({ kind }) => kind === 'lead.asked')?.at ?? 0
}

/** What the receipt and an email tell the sender. */
export function visitSeen({ state, date, isVisitSeen, visitPlace }: Lead) {
  const isSeen = state === 'consultation_booked' && date?.what === 'visit' && isVisitSeen
  return isSeen ? { at: date.at, place: visitPlace ?? '' } : undefined
}

/**
 * Undo restores everything but who took the lead over since. The undo of a correction changes only the
 * details, and that of a try does not answer a customer who asked for another time.
 */
function checkUndone({ lead, before, events }: ModelLead, now: ModelLead): void {
  const { undoes = 0 } = now.read.at(-1)!
  const { kind } = events[undoes]!
  const { takenBy } = lead
  const expected: Shown = { ...before[undoes]!, takenBy }
  if (kind === 'lead.tried') expected.askedAt = lead.askedAt
  const corrected = { ...shownOf(lead), details: expected.details }
  assert.deepEqual(shownOf(now.lead), kind === 'lead.corrected' ? corrected : expected, 'undone')
}

/** Marking as spam blocks the sender, and only the owner ends that. */
function checkBlocks(was: Lead, now: Lead, { blocks, event }: LeadChange): void {
  const isMarked = now.state === 'spam' && was.state !== 'spam'
  const isReleaseUndone = was.state === 'new' && now.state === 'held'
  const isBlockedBefore = isReleaseUndone && was.judgement.reasons.includes('blocked')
  if (isMarked || isBlockedBefore) return assert.equal(blocks, 'add', 'spam, but not blocked')
  const isSpam = was.state === 'spam' || was.state === 'held'
  const isTakenBack = event.data.undoes !== undefined && now.state !== was.state
  if (isSpam && isTakenBack) return assert.equal(blocks, 'take back')
  const isReleased = isSpam && openStates.includes(now.state)
  assert.equal(blocks, isReleased ? 'allow' : undefined, 'released, but blocked')
}

/** A page that is behind changes nothing that somebody changed since it was opened. */
function checkNothingOverwritten(was: ModelLead, now: ModelLead, step: Step): void {
  const { version } = step
  const [before, after] = [shownOf(was.lead), shownOf(now.lead)]
  const seen = seenAt(was, version)
  // An empty place looks like none, and 0 like `undefined`.
  for (const field of [
    'state',
    'next',
    'place',
    'shown',
    'askedAt',
    'details',
    'lostWhy',
  ] as const) {
    // The reason goes with the state, whoever gave it.
    if (field === 'lostWhy' && after.state !== before.state) continue
    const isChanged = JSON.stringify(after[field] || '') !== JSON.stringify(before[field] || '')
    if (isChanged)
      assert.deepEqual(before[field] || '', seen[field] || '', `${field} is overwritten`)
    const isGuarded = field === 'state' || field === 'next' || field === 'details'
    if (isChanged && isGuarded && before[field]) checkPageIsNotAhead(was, version)
  }
  const { street } = before.details
  if (isPlaced(step) && street !== seen.details.street)
    assert.equal(after.place, street, 'the street of before')
}

/** Ringing again, a note or another place does not take a visit out of the story. */
function checkStaysMet(was: ModelLead, now: ModelLead, at: number): void {
  const isElsewhere = was.lead.state !== now.lead.state || isVisitLeft(now.lead, at)
  if (isElsewhere || receiptOf(was, at).status !== 'met') return
  assert.equal(receiptOf(now, at).status, 'met', 'the visit left the story')
}

/** Who moves a booked request back to contacted says that the visit did not happen. */
function checkDidNotHappen({ lead, read }: ModelLead, now: ModelLead, at: number): void {
  const { state, date } = lead
  const isBack = state === 'consultation_booked' && now.lead.state === 'contacted'
  if (!isBack || date?.what !== 'visit') return
  const dates = read.filter(({ from }) => from !== undefined)
  const first = dates.findIndex(({ next }) => next?.at === date.at)
  const isOneVisit = dates.slice(first).every(({ next }) => next?.at === date.at)
  if (!isOneVisit) return
  assert.notEqual(metOf(now, at)?.at, date.at, 'a visit that was none')
}

/** A visit takes an hour. */
function isVisitLeft({ date }: Lead, at: number): boolean {
  return date?.what === 'visit' && date.at + hourMs > at
}

function metOf({ lead, read }: ModelLead, at: number) {
  return lastMet(lead, read, at)
}

/** Follows the dates from the first on: a visit took place if it was still the date when it was over. */
function metIn(lead: Lead, events: readonly ReadEvent[], at: number): number | undefined {
  if (isVisitLeft(lead, at)) return undefined
  const undone = new Set(events.map(({ undoes }) => undoes))
  let met: number | undefined
  let current: ReadEvent | undefined
  for (const event of events) {
    if (event.from === undefined || undone.has(event.number)) continue
    const isKept = current?.to === event.to && current?.next?.at === event.next?.at
    if (isKept && current?.next?.what === event.next?.what) continue
    const didNotHappen = event.from === 'consultation_booked' && event.to === 'contacted'
    if (isOverIn(current, event.at) && !didNotHappen) met = current!.next!.at
    current = event
  }
  return isOverIn(current, at) ? current!.next!.at : met
}

function isOverIn(data: EventData | undefined, at: number): boolean {
  return data?.next?.what === 'visit' && data.next.at + hourMs <= at
}

function receiptOf(model: ModelLead, at: number) {
  return receiptFor(model.lead, metOf(model, at))
}

function receiptFor(lead: Lead, met: ReturnType<typeof metOf>) {
  return toReceipt(lead, '', { metAt: met && overdueAt(met) })
}

/** What holds at every moment. */
export function checkMoment(model: ModelLead, at: number, today: boolean): void {
  const { lead, events, read, first } = model
  checkFamily(lead, first)
  const met = metOf(model, at)
  const dates = [lead.date?.at, ...read.map(({ next }) => next?.at)]
  const isOver = dates.some((date) => date !== undefined && date + hourMs <= at)
  const { status, message } = receiptFor(lead, met)
  const isMet = status === 'met' || message.startsWith('We have met')
  if (isMet) assert.ok(isOver && !isVisitLeft(lead, at), 'met before the visit')
  if (lead.state === 'consultation_booked' && lead.date?.what === 'visit')
    assert.equal(status, isVisitLeft(lead, at) ? 'consultation_booked' : 'met')
  assert.equal(met?.at, metIn(lead, read, at), 'met')
  assert.equal(today, isInToday(model, at), 'in Today')
  const isAhead = lead.date !== undefined && lead.date.at >= at
  const isTouched = touchedAt(events) >= at - 7 * dayMs
  const isOpen = openStates.includes(lead.state)
  assert.ok(today || isAhead || isTouched || !isOpen, 'an open lead is forgotten')
}

/** A joined request always has one that stands for it. */
function checkFamily({ state, joinedTo }: Lead, first: Lead | undefined): void {
  assert.equal(joinedTo !== '', state === 'joined', 'half joined')
  if (state !== 'joined') return
  assert.ok(first !== undefined, 'joined with nothing')
  assert.ok(!['joined', 'withdrawn', 'erased'].includes(first.state), `joined with ${first.state}`)
}

/** The question that `leadsOfToday` asks the database. */
export function isInToday({ lead, events }: ModelLead, until: number): boolean {
  const { state, date, askedAt } = lead
  if (state === 'withdrawn') return date !== undefined
  if (!openStates.includes(state)) return false
  const isVisit = state === 'consultation_booked' && date?.what === 'visit'
  if (askedAt !== undefined && isVisit && date.at > until) return true
  if (date !== undefined) return date.at < until
  return state === 'new' || touchedAt(events) < until - 7 * dayMs
}

function touchedAt(events: readonly LeadEvent[]): number {
  return events.findLast(({ kind }) => kind !== 'lead.repeated')!.at
}
