/** Answers the buttons of a lead: reads what was sent, lets the desk act, and says what happened. */
import { normaliseText } from '../../../contract/check-fields.ts'
import { isState, stateWords, type Next, type State } from '../../../contract/states.ts'
import {
  giveVisitByMember,
  longestNote,
  moveByMember,
  noteByMember,
  planByMember,
  takeByMember,
  undoByMember,
  type Act,
} from '../../../desk/acts.ts'
import { type ActOutcome } from '../../../lead/act.ts'
import { isVisitAhead, visitMs } from '../../../lead/life.ts'
import { checkMoment, readMoment } from '../../../desk/plan.ts'
import { markOf, readView, type LeadRow } from '../../../desk/views.ts'
import { createNameOf } from '../../../desk/words.ts'
import { otherVisits, type StoryEntry, type WholeLead } from '../../../desk/whole-lead.ts'
import { type Answer } from '../../../http/message.ts'
import { StorageUnavailable } from '../../../store/engine/engine.ts'
import { type Lead } from '../../../store/leads/rows.ts'
import { type Store } from '../../../store/store.ts'
import { dateInWords, inWords } from '../../../time.ts'
import { goTo, logged, missing, showPage } from '../frame/answers.ts'
import { doneCookie, readTicked, readVersion, type Done, type Ticked } from '../frame/done-bar.ts'
import {
  sentFields,
  sentPairs,
  endOfToday,
  type Inbox,
  type SentFields,
  type Visitor,
} from '../frame/inbox.ts'
import { inert } from '../frame/words.ts'
import { leadIdIn, leadPath, listPath, readListPlace } from '../paths.ts'
import { readLead, showLeadPage, type LeadLook } from './page.ts'
import { inSentence } from './story.ts'

export const moveLead = doorFor(move)
export const undoLead = doorFor(undo)
export const noteLead = doorFor(note)
export const planLead = doorFor(plan)
export const takeOver = doorFor(take)

/** `words`: the text in the note field, which every act also stores as a note. */
type Sent = { visitor: Visitor; act: Act; field: SentFields; words: string }

function doorFor(act: (sent: Sent) => Promise<Answer>): (visitor: Visitor) => Promise<Answer> {
  return (visitor) => {
    const { inbox, ask, member } = visitor
    const field = sentFields(visitor)
    const about = { leadId: leadIdIn(ask.path), version: readVersion(field('version')) }
    const by = { by: member.id, at: inbox.now() }
    const words = normaliseText(field('words'))
    const sent = { visitor, act: { ...about, ...by }, field, words }
    return words.length > longestNote ? refused(sent, 400, tooLong) : act(sent)
  }
}

const tooLong = `A note has at most ${longestNote} characters.`

async function move(sent: Sent): Promise<Answer> {
  // The button "Book it" sends `book` and needs a day and an hour, unlike the move "Booked".
  const needsDay = sent.field('book') !== ''
  const to = needsDay ? 'consultation_booked' : sent.field('to')
  if (!isState(to)) return refused(sent, 400, 'There is no such move.')
  const isVisit = to === 'consultation_booked'
  const date = readDateOf(to, sent)
  if (date === undefined || (needsDay && date.next === undefined)) {
    return refused(sent, 400, noSuchDate, { isVisit })
  }
  const doubt = await doubtOf(sent, date.next)
  if (doubt !== undefined) return asked(sent, doubt)
  const path = await pathAfterMove(to, date, sent)
  const { store } = sent.visitor.inbox
  const giver = await readGiver(sent)
  const outcome = await moveByMember(store, sent.act, to, { ...date, otherId: giver?.leadId })
  if (outcome.kind !== 'done') return answer(sent, outcome, { path, wanted: to })
  const ticked = readTicks(sent.field('with'))
  // One visit is enough for a person, so the other requests become contacted.
  const moveOther = (act: Act) =>
    isVisit ? moveByMember(store, act, 'contacted') : moveByMember(store, act, to, date)
  const also = await onEach(sent.visitor, giver ? [giver, ...ticked] : ticked, (_, act) =>
    act.leadId === giver?.leadId ? giveVisitByMember(store, act, outcome.lead) : moveOther(act),
  )
  return answer(sent, outcome, { path, wanted: to, also })
}

/** The button "Move it" sends as `book` the person's other request, whose visit this one gets. */
async function readGiver({ visitor: { inbox }, act, field }: Sent): Promise<Ticked | undefined> {
  const ticked = readTicked(field('book'))
  const whole = ticked && (await readLead(inbox, act.leadId))
  // If that visit was called off meanwhile, there is nothing to move.
  const visits = whole ? otherVisits(whole, inbox.now()) : []
  return visits.some(({ id }) => id === ticked?.leadId) ? ticked : undefined
}

/** Returns `undefined` if the typed date is invalid. */
function readDateOf(to: State, sent: Sent): TypedDate | undefined {
  if (to === 'consultation_booked') return readVisit(sent)
  return to === 'contacted' ? readRing(sent) : {}
}

/** Without a date, "Contacted" asks when next, and "Booked" when the visit is. */
async function pathAfterMove(to: State, { next }: TypedDate, sent: Sent): Promise<string> {
  if (to === 'contacted' && next === undefined) return `${pathOf(sent)}#when`
  if (sent.field('go') === 'next') return pathOfNext(sent)
  const asksDay = to === 'consultation_booked' && next === undefined
  return asksDay ? `${pathOf(sent)}#visit` : pathOf(sent)
}

function readTicks(text: string): Ticked[] {
  const texts = text.split(' ').slice(0, mostAtOnce)
  return texts.flatMap((each) => readTicked(each) ?? [])
}

const noSuchDate = 'The day or the hour is missing. Choose a day, and an hour such as 3 pm.'

type TypedDate = { next?: Next; place?: string | undefined; shown?: boolean }

/** Returns `undefined` if the day or the hour is invalid. */
function readVisit({ visitor: { inbox }, field }: Sent): TypedDate | undefined {
  const [day, time] = [field('day'), field('time')]
  // An empty place removes the stored one only if a button of the visit was pressed.
  const typed = normaliseText(field('place')).slice(0, longestPlace)
  const isFromForm = field('plan') === 'visit' || field('book') !== ''
  const place = isFromForm ? typed : typed || undefined
  if (day === '' && time === '') return { place }
  const at = readMoment({ day, time }, inbox.now(), inbox.business.timeZone)
  const shown = field('shown') !== ''
  return at === undefined ? undefined : { next: { at, what: 'visit' }, place, shown }
}

const longestPlace = 300

/** Why a visit may be a mistake. `other`: the person's other request that has a visit ahead. */
type Doubt = { problem: string; next: Next; other: LeadRow | undefined }

/** `sure`: the time that the member has confirmed. */
async function doubtOf(
  { visitor: { inbox }, act, field }: Sent,
  next: Next | undefined,
): Promise<Doubt | undefined> {
  if (next?.what !== 'visit' || field('sure') === String(next.at)) return undefined
  const now = inbox.now()
  const whole = await readLead(inbox, act.leadId)
  if (whole === undefined || whole.lead.nextAt === next.at) return undefined
  // If this request has a visit already, the member has chosen to keep both.
  const [other] = isVisitAhead(whole.lead, now) ? [] : otherVisits(whole, now)
  const doubts = [otherDoubt(inbox, other), await timeDoubt(inbox, next, [whole.lead, other])]
  const problem = doubts.filter(Boolean).join(' ')
  return problem === '' ? undefined : { problem, next, other }
}

function otherDoubt({ business, now }: Inbox, other: Lead | undefined): string {
  if (other === undefined) return ''
  const when = dateInWords(other.nextAt!, business.timeZone, now())
  const on = when.startsWith('today') ? '' : 'on '
  return `${inert(other.values.name)} has a visit ${on}${when}: move it, or keep both.`
}

/** `own`: the requests of the person, whose visits do not clash with this one. */
async function timeDoubt(
  { store, business, now }: Inbox,
  next: Next,
  own: readonly (Lead | undefined)[],
): Promise<string> {
  const when = (at: number) => dateInWords(at, business.timeZone, now())
  if (next.at < now()) return `This visit would be in the past: ${when(next.at)}.`
  const near = await store.leadsToVisit(next.at - visitMs + 1, own.length + 1)
  const clash = near.find(
    ({ id, nextAt }) => !own.some((lead) => lead?.id === id) && nextAt! < next.at + visitMs,
  )
  return clash ? `You visit ${inert(clash.values.name)} then: ${when(clash.nextAt!)}.` : ''
}

function asked(sent: Sent, { problem, next, other }: Doubt): Promise<Answer> {
  return refused(sent, 409, problem, { isVisit: true, unsure: next, otherVisit: other })
}

/** Returns `{}` if no time was chosen, `undefined` if the time is invalid. */
function readRing({ visitor: { inbox }, field }: Sent): TypedDate | undefined {
  const { now, business } = inbox
  const [ring, day, time] = [field('ring'), field('ring-day'), field('ring-time')]
  if (ring === '' && day === '') return {}
  const at = /^\d{1,15}$/.test(ring)
    ? checkMoment(Number(ring), now())
    : readMoment({ day, time: time || '07:00' }, now(), business.timeZone)
  return at === undefined ? undefined : { next: { at, what: 'ring' } }
}

/** `tried`: the call was not answered. `seen`: the member has seen that the visit is called off. */
async function plan(sent: Sent): Promise<Answer> {
  const { field, visitor, act } = sent
  const what = field('plan')
  const isRemoved = what === 'none' || what === 'seen'
  const date = what === 'visit' ? readVisit(sent) : isRemoved ? {} : readRing(sent)
  const tried = what === 'tried'
  const isVisit = what === 'visit'
  if (date === undefined || (!tried && !isRemoved && date.next === undefined)) {
    return refused(sent, 400, noSuchDate, { isVisit })
  }
  const doubt = await doubtOf(sent, date.next)
  if (doubt !== undefined) return asked(sent, doubt)
  const outcome = await planByMember(visitor.inbox.store, act, { ...date, tried })
  const path =
    what === 'seen'
      ? listPath(readListPlace(field))
      : tried && date.next === undefined
        ? `${pathOf(sent)}#when`
        : field('go') === 'next'
          ? await pathOfNext(sent)
          : pathOf(sent)
  const takesOthers = outcome.kind === 'done' && (tried || date.next?.what === 'ring')
  const others = takesOthers ? readTicks(field('with')) : []
  const also = await onEach(visitor, others, (store, each) =>
    planByMember(store, each, { ...date, tried }),
  )
  return answer(sent, outcome, { path, wanted: 'planned', also })
}

async function take(sent: Sent): Promise<Answer> {
  const { field, visitor, act } = sent
  const takenBy = field('take') === 'none' ? undefined : visitor.member.id
  const outcome = await takeByMember(visitor.inbox.store, act, takenBy)
  return answer(sent, outcome, { path: pathOf(sent), wanted: 'taken' })
}

async function undo(sent: Sent): Promise<Answer> {
  const { visitor, act, field } = sent
  const [path, wanted] = [pathOf(sent), 'undone'] as const
  const ticked = readTicks(field('of'))
  if (ticked.every(({ leadId }) => leadId === act.leadId)) {
    return answer(sent, await undoByMember(visitor.inbox.store, act), { path, wanted })
  }
  // A typed note is stored only with the page's lead.
  const done = await onEach(visitor, ticked, undoByMember)
  const cookie = doneCookie(visitor.inbox, { ...done, what: wanted })
  return (await keepTyped(sent)) ?? logged(goTo(path, cookie), wanted, visitor.member.id)
}

async function note(sent: Sent): Promise<Answer> {
  if (sent.words === '') return refused(sent, 400, 'Write something first.')
  const { inbox, member } = sent.visitor
  try {
    const outcome = await noteByMember(inbox.store, sent.act, sent.words)
    if (outcome.kind !== 'done') return answer(sent, outcome, { path: '', wanted: 'undone' })
    return logged(goTo(`${pathOf(sent)}#notes`), 'noted', member.id)
  } catch (error) {
    if (!(error instanceof StorageUnavailable)) throw error
    return refused(sent, 503, 'The note could not be kept just now. Send it again.')
  }
}

/** Returns an answer only if the note could not be stored. */
async function keepTyped(sent: Sent): Promise<Answer | undefined> {
  if (sent.words === '') return undefined
  const noted = await note(sent)
  return noted.status === 303 ? undefined : noted
}

async function answer(
  sent: Sent,
  outcome: ActOutcome,
  {
    path,
    wanted,
    also = { leadIds: [], missed: 0 },
  }: { path: string; wanted: Done['what'] | 'taken'; also?: Omit<Done, 'what'> },
): Promise<Answer> {
  const { inbox, member } = sent.visitor
  switch (outcome.kind) {
    case 'done': {
      const unkept = await keepTyped(sent)
      if (unkept !== undefined) return unkept
      // `taken` needs no bar, because the page says who has the lead.
      const cookie =
        wanted === 'taken'
          ? inbox.cookies.done.clear()
          : doneCookie(inbox, {
              ...also,
              what: wanted,
              leadIds: [outcome.lead.id, ...also.leadIds],
            })
      return logged(goTo(path, cookie), isState(wanted) ? `moved to ${wanted}` : wanted, member.id)
    }
    case 'overtaken':
      return overtaken(sent, wanted)
    case 'illegal': {
      const state = stateWords[outcome.lead.state]
      const why = `it is ${state}, from where that is not possible`
      return refused(sent, 409, `Nothing was changed: ${why}.`)
    }
    case 'missing':
      return showPage(sent.visitor, missing)
  }
}

/** Says what was done meanwhile: "Sam marked it: contacted." */
async function overtaken(sent: Sent, wanted: Done['what'] | 'taken'): Promise<Answer> {
  const { inbox, member } = sent.visitor
  const whole = await readLead(inbox, sent.act.leadId)
  if (whole === undefined) return showPage(sent.visitor, missing)
  const nameOf = createNameOf(await inbox.access.store.listMembers(), member)
  const when = (at: number) => inWords(at, inbox.business.timeZone, inbox.now())
  const isChange = (entry: StoryEntry) => entry.what === 'event' && entry.kind !== 'lead.repeated'
  const last = whole.story.findLast(isChange)
  const change = last ? inSentence(last, whole, { when, nameOf }) : ''
  const act = isState(wanted) ? `your move (${stateWords[wanted]})` : 'that'
  const kept = sent.words === '' ? '' : ' Your note is still below.'
  const problem = `${change} So ${act} was not made.${kept} This is how the request stands now.`
  return showAgain(sent, whole, { status: 409, problem })
}

async function refused(
  sent: Sent,
  status: number,
  problem: string,
  visit: Pick<LeadLook, 'isVisit' | 'unsure' | 'otherVisit'> = {},
): Promise<Answer> {
  const whole = await readLead(sent.visitor.inbox, sent.act.leadId)
  if (whole === undefined) return showPage(sent.visitor, missing)
  return showAgain(sent, whole, { status, problem, ...visit })
}

function showAgain(
  { visitor, field }: Sent,
  whole: WholeLead,
  refusal: Omit<LeadLook, 'place' | 'typed'>,
): Promise<Answer> {
  return showLeadPage(visitor, whole, { place: readListPlace(field), typed: field, ...refusal })
}

function pathOf({ act, field }: Sent): string {
  const go = field('go') === 'next' ? ({ go: 'next' } as const) : {}
  return leadPath(act.leadId, { ...readListPlace(field), ...go })
}

async function pathOfNext({ visitor, act, field }: Sent): Promise<string> {
  const { store } = visitor.inbox
  const place = readListPlace(field)
  const { view, s } = place
  if (s !== undefined) return listPath(place)
  const until = endOfToday(visitor.inbox)
  const lead = await store.findLead(act.leadId)
  const moved = [act.leadId, ...readTicks(field('with')).map(({ leadId }) => leadId)]
  const find = async (past?: string) =>
    (await readView(store, view, { past, until, limit: moved.length + 1 })).find(
      ({ id }) => !moved.includes(id),
    )
  const next = (await find(lead && markOf(lead))) ?? (await find())
  // `go` keeps the box "Then open the next request" ticked.
  return next === undefined ? listPath({ view }) : leadPath(next.id, { ...place, go: 'next' })
}

/** The list shows this many rows on a page. */
const mostAtOnce = 50

/** If the field `only` names a move and one request, the ticks are ignored. */
export async function moveTicked(visitor: Visitor): Promise<Answer> {
  const { inbox, ask, member } = visitor
  const field = sentFields(visitor)
  const place = readListPlace(field)
  const [, to = field('to'), one] = /^([a-z_]+)\.(.*)$/.exec(field('only')) ?? []
  const boxes = sentPairs(ask).flatMap(([name, text]) => (name === 'lead' ? [text] : []))
  const texts = one === undefined ? boxes.slice(0, mostAtOnce) : [one]
  const ticked = texts.flatMap((text) => readTicked(text) ?? [])
  const byId = new Map(ticked.map((about) => [about.leadId, about]))
  if (byId.size === 0) return goTo(listPath({ ...place, tick: 'none' }))
  if (to !== 'undo' && !isState(to)) return goTo(listPath(place))
  const done = await onEach(visitor, [...byId.values()], (store, act) =>
    to === 'undo' ? undoByMember(store, act) : moveByMember(store, act, to),
  )
  const cookie = doneCookie(inbox, { ...done, what: to === 'undo' ? 'undone' : to })
  return logged(goTo(listPath(place), cookie), `moved ${done.leadIds.length}`, member.id)
}

async function onEach(
  { inbox, member }: Visitor,
  leads: readonly Ticked[],
  run: (store: Store, act: Act) => Promise<ActOutcome>,
): Promise<Omit<Done, 'what'>> {
  const by = { by: member.id, at: inbox.now() }
  const outcomes = await Promise.all(leads.map((each) => run(inbox.store, { ...each, ...by })))
  const leadIds = outcomes.flatMap((outcome, index) => {
    const isChanged = outcome.kind === 'done' && outcome.lead.version !== leads[index]!.version
    return isChanged ? [outcome.lead.id] : []
  })
  return { leadIds, missed: outcomes.filter(({ kind }) => kind !== 'done').length }
}
