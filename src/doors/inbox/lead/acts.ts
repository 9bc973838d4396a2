/** Answers the buttons of a request: reads what was sent, acts on the lead, and says what happened. */
import { normaliseText } from '../../../contract/check-fields.ts'
import { longestNote } from '../../../contract/limits.ts'
import { type State } from '../../../contract/states.ts'
import { isVisitAhead } from '../../../contract/visit.ts'
import { checkMoment, followUpAt, readSum } from '../../../desk/plan.ts'
import { findDoubt, type Doubt } from '../../../desk/visits.ts'
import { type Answer } from '../../../http/message.ts'
import { actOn, joinLeads } from '../../../lead/act.ts'
import type { VisitDate } from '../../../lead/asking.ts'
import * as life from '../../../lead/life.ts'
import { readActFields, type ActFields } from '../act-fields.ts'
import { goOn } from '../frame/answers.ts'
import { sentFields, type Inbox, type SignedInCaller } from '../frame/inbox.ts'
import { leadIdIn, leadPath, listPath, readListPlace } from '../paths.ts'
import {
  answerAct,
  keepTyped,
  noSum,
  pathOf,
  pathToWhen,
  refuse,
  type Pressed,
} from './act-answers.ts'
import { readLead } from './page.ts'
import {
  dateRefusal,
  doubtRefusal,
  readTypedRing,
  readTypedVisit,
  type TypedDate,
} from './typed-date.ts'

export const moveLead = doorFor(answerMove)
export const undoLead = doorFor(answerUndo)
export const noteLead = doorFor(answerNote)
export const changeNoteOfLead = doorFor(answerChangeNote)
export const planLead = doorFor(answerPlan)
export const takeOver = doorFor(answerTake)
export const sayWhyLost = doorFor(answerExplain)
export const sumUpProposal = doorFor(answerSumUp)
export const joinRequest = doorFor(answerJoin)

function doorFor(
  act: (sent: Pressed) => Promise<Answer>,
): (caller: SignedInCaller) => Promise<Answer> {
  return (caller) => {
    const { inbox, ask, member } = caller
    const field = sentFields(caller)
    const fields = readActFields(field)
    const words = normaliseText(fields.words)
    const about = { leadId: leadIdIn(ask.path), version: fields.version }
    const by = { by: member.id, at: inbox.now() }
    const place = readListPlace(field)
    const sent = { caller, act: { ...about, ...by }, fields, words, place }
    return words.length > longestNote ? refuse(sent, 400, { words: tooLong }) : act(sent)
  }
}

const tooLong = `A note has at most ${longestNote} characters.`

async function answerMove(sent: Pressed): Promise<Answer> {
  const { fields } = sent
  // The button "Save visit" sends `book` and needs a day and an hour, unlike the move "Booked".
  const to = fields.book === undefined ? fields.to : 'consultation_booked'
  if (to === undefined || to === 'undo') {
    return refuse(sent, 400, { words: 'There is no such move.' })
  }
  const typed = readDateOf(to, sent)
  if ('problem' in typed) return refuse(sent, 400, dateRefusal(typed, fields))
  const doubt = await findUnsure(sent, typed.date)
  if (doubt !== undefined) return refuse(sent, 409, doubtRefusal(doubt, sent.caller.inbox))
  return makeMove(sent, to, typed.date)
}

function readDateOf(to: State, { caller: { inbox }, fields }: Pressed): TypedDate {
  if (to === 'consultation_booked') return readTypedVisit(fields, inbox)
  if (to === 'contacted') return readTypedRing(fields, inbox)
  return to === 'proposal_sent' ? readFollowUp(fields, inbox) : { date: {} }
}

/** The day to follow up a proposal, if the member says none. */
function readFollowUp(fields: ActFields, inbox: Inbox): TypedDate {
  const typed = readTypedRing(fields, inbox)
  if ('problem' in typed || typed.date.next !== undefined) return typed
  const at = followUpAt(inbox.now(), inbox.business)
  return { date: { next: { at, what: 'ring' } } }
}

async function makeMove(sent: Pressed, to: State, date: VisitDate): Promise<Answer> {
  const { act } = sent
  const path = pathAfterMove(to, date, sent)
  const outcome = await actOn(sent.caller.inbox.store, act.leadId, life.move(to, date, act))
  return answerAct(sent, outcome, { path, done: to })
}

/** Leads to the page of the request that stands for both from now on. */
async function answerJoin(sent: Pressed): Promise<Answer> {
  const { caller, act, fields, place } = sent
  if (fields.join === undefined) return refuse(sent, 400, { words: 'There is no such request.' })
  const typed = readJoinedVisit(sent)
  if ('problem' in typed) return refuse(sent, 400, dateRefusal(typed, fields))
  const doubt = await findUnsure(sent, typed.date)
  if (doubt !== undefined) return refuse(sent, 409, doubtRefusal(doubt, caller.inbox))
  const outcome = await joinLeads(caller.inbox.store, act, fields.join)
  if (outcome.kind === 'illegal' && isVisitAhead(outcome.lead, act.at)) {
    return refuse(sent, 409, { words: 'Both have a visit. Call off one of them first.' })
  }
  if (outcome.kind !== 'done')
    return answerAct(sent, outcome, { path: pathOf(sent), done: 'joined' })
  const { joinedTo: first } = outcome.lead
  const path = leadPath(first, place)
  const by = { by: act.by, at: act.at }
  await actOn(caller.inbox.store, first, life.fillIn(outcome.lead, by))
  if (typed.date.next === undefined) return answerAct(sent, outcome, { path, done: 'joined' })
  const decide = life.plan(typed.date, by)
  const moved = await actOn(caller.inbox.store, first, decide)
  return answerAct({ ...sent, act: { ...act, leadId: first } }, moved, { path, done: 'planned' })
}

/** The visit that the member typed before the page asked whether it is that of the other request. */
function readJoinedVisit({ caller: { inbox }, fields }: Pressed): TypedDate {
  if (fields.sure === undefined) return { date: {} }
  return readTypedVisit({ ...fields, plan: 'visit' }, inbox)
}

/** Without a date, "Spoke to them" asks when next. */
function pathAfterMove(to: State, { next }: VisitDate, sent: Pressed): string {
  if (to === 'contacted' && next === undefined) return pathToWhen(sent)
  if (to === 'lost') return `${pathOf(sent)}#why`
  if (to === 'proposal_sent' || to === 'won') return `${pathOf(sent)}#sum`
  const asksDay = to === 'consultation_booked' && next === undefined
  return asksDay ? `${pathOf(sent)}#visit` : pathOf(sent)
}

/** Returns `undefined` if the member has confirmed this very time (`sure`). */
async function findUnsure(sent: Pressed, { next }: VisitDate): Promise<Doubt | undefined> {
  const { caller, act, fields } = sent
  if (next === undefined || fields.sure === next.at) return undefined
  const whole = await readLead(caller.inbox, act.leadId)
  const { store, business } = caller.inbox
  const { timeZone } = business
  return whole && findDoubt(store, whole, next, { now: act.at, timeZone })
}

async function answerPlan(sent: Pressed): Promise<Answer> {
  const { fields, caller } = sent
  if (fields.plan === 'seen') return makePlan(sent, {})
  if (fields.keep !== undefined) return keepVisit(sent, fields.keep)
  const isVisit = fields.plan === 'visit'
  const typed = isVisit ? readTypedVisit(fields, caller.inbox) : readTypedRing(fields, caller.inbox)
  if ('problem' in typed) return refuse(sent, 400, dateRefusal(typed, fields))
  if (typed.date.next === undefined && !isCall(fields)) {
    return refuse(sent, 400, dateRefusal({ problem: 'no day' }, fields))
  }
  const doubt = await findUnsure(sent, typed.date)
  if (doubt !== undefined) return refuse(sent, 409, doubtRefusal(doubt, caller.inbox))
  return makePlan(sent, typed.date)
}

/** Answers a customer who asked for another time. If the visit has another time by now, nothing is kept. */
async function keepVisit(sent: Pressed, at: number): Promise<Answer> {
  const moment = checkMoment(at, sent.act.at)
  if ('problem' in moment) return refuse(sent, 400, dateRefusal(moment, sent.fields))
  return makePlan(sent, { next: { at: moment.at, what: 'visit' } })
}

async function makePlan(sent: Pressed, date: VisitDate): Promise<Answer> {
  const { fields, caller, act } = sent
  const call = isCall(fields) ? fields.plan : undefined
  const path = pathAfterPlan(sent, date)
  const decide = life.plan({ ...date, call }, act)
  const outcome = await actOn(caller.inbox.store, act.leadId, decide)
  return answerAct(sent, outcome, { path, done: 'planned' })
}

function pathAfterPlan(sent: Pressed, { next }: VisitDate): string {
  const { fields, place } = sent
  if (fields.plan === 'seen') return listPath(place)
  return isCall(fields) && next === undefined ? pathToWhen(sent) : pathOf(sent)
}

function isCall(fields: ActFields): fields is ActFields & { plan: life.Call } {
  return fields.plan === 'tried' || fields.plan === 'spoke'
}

async function answerTake(sent: Pressed): Promise<Answer> {
  const { fields, caller, act } = sent
  const takenBy = fields.take === 'none' ? undefined : caller.member.id
  const outcome = await actOn(caller.inbox.store, act.leadId, life.take(takenBy, act))
  return answerAct(sent, outcome, { path: pathOf(sent), done: 'taken' })
}

async function answerExplain(sent: Pressed): Promise<Answer> {
  const { caller, act, fields } = sent
  const { why } = fields
  if (why === undefined) return refuse(sent, 400, { words: 'Choose one of the reasons.' })
  const outcome = await actOn(caller.inbox.store, act.leadId, life.explainLost(why, act))
  return answerAct(sent, outcome, { path: pathOf(sent), done: 'explained' })
}

async function answerSumUp(sent: Pressed): Promise<Answer> {
  const { caller, act, fields } = sent
  const sum = readSum(fields.sum)
  if (sum === 'wrong') return refuse(sent, 400, { words: noSum, above: 'sum' })
  const outcome = await actOn(caller.inbox.store, act.leadId, life.sumUp(sum, act))
  return answerAct(sent, outcome, { path: `${pathOf(sent)}#sum`, done: 'summed up' })
}

async function answerUndo(sent: Pressed): Promise<Answer> {
  const { caller, act, fields, place } = sent
  // The page of a request also undoes that another one was joined with it.
  const undone = { ...act, ...fields.of }
  const outcome = await actOn(caller.inbox.store, undone.leadId, life.undo(undone))
  return answerAct(sent, outcome, { path: leadPath(undone.leadId, place), done: 'undone' })
}

async function answerNote(sent: Pressed): Promise<Answer> {
  if (sent.words === '') return refuse(sent, 400, { words: 'Write something first.' })
  const unkept = await keepTyped(sent)
  return unkept ?? goOn(sent.caller, 'noted', `${pathOf(sent)}#notes`)
}

async function answerChangeNote(sent: Pressed): Promise<Answer> {
  const { caller, act, fields } = sent
  const { 'change-note': number = 0 } = fields
  const words = normaliseText(fields.changed)
  if (words.length > longestNote) return refuse(sent, 400, { words: tooLong, above: 'notes' })
  // Without words the note is removed.
  const outcome = await actOn(caller.inbox.store, act.leadId, life.changeNote(number, words, act))
  if (outcome.kind === 'illegal') return refuse(sent, 409, { words: othersNote, above: 'notes' })
  return answerAct(sent, outcome, { path: `${pathOf(sent)}#notes`, done: 'note changed' })
}

const othersNote = 'Nothing was changed. Only who wrote a note can change it.'
