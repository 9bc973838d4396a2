/**
 * A member's acts on one request: POST /inbox/lead/<id>/move, undo, note; and on rows of the list:
 * POST /inbox/moves.
 */
import { normaliseText } from '../../../contract/check-fields.ts'
import { isState, stateWords } from '../../../contract/states.ts'
import {
  longestNote,
  moveByMember,
  noteByMember,
  undoByMember,
  type MovingAct,
  type ActOutcome,
} from '../../../desk/acts.ts'
import { readView } from '../../../desk/views.ts'
import { type Answer } from '../../../http/message.ts'
import { StorageUnavailable } from '../../../store/engine/engine.ts'
import { goTo, logged, missing, showPage } from '../frame/answers.ts'
import { doneCookie, readTicked, readVersion, type Done } from '../frame/done-bar.ts'
import { sentFields, sentPairs, type SentFields, type Visitor } from '../frame/inbox.ts'
import { leadIdIn, leadPath, listPath, readListPlace } from '../paths.ts'
import { readLead, showLeadPage } from './page.ts'

export const moveLead = doorFor(move)
export const undoLead = doorFor(undo)
export const noteLead = doorFor(note)

/** `words`: the text in the field of the note, which a move keeps too. */
type Sent = { visitor: Visitor; act: MovingAct; field: SentFields; words: string }

function doorFor(act: (sent: Sent) => Promise<Answer>): (visitor: Visitor) => Promise<Answer> {
  return (visitor) => {
    const { inbox, ask, member } = visitor
    const field = sentFields(visitor)
    const about = { leadId: leadIdIn(ask.path), version: readVersion(field('version')) }
    const by = { by: member.id, at: inbox.now(), tell: inbox.tell }
    const words = normaliseText(field('words'))
    const sent = { visitor, act: { ...about, ...by }, field, words }
    // A note that is too long is refused before its move is made.
    return words.length > longestNote ? refused(sent, 400, tooLong) : act(sent)
  }
}

const tooLong = `A note has at most ${longestNote} characters.`

async function move(sent: Sent): Promise<Answer> {
  const next = sent.field('next')
  const to = next || sent.field('to')
  if (!isState(to)) return refused(sent, 400, 'There is no such move.')
  const path = next === '' ? pathOf(sent) : await pathOfNext(sent)
  const outcome = await moveByMember(sent.visitor.inbox.leads, sent.act, to)
  return answer(sent, outcome, { path, wanted: to })
}

async function undo(sent: Sent): Promise<Answer> {
  const other = readTicked(sent.field('other'))
  if (other === undefined || other.leadId === sent.act.leadId) return undoOne(sent)
  // `other` is the lead whose move is undone; the note belongs to the lead on the page.
  const unkept = await keepTyped(sent)
  return unkept ?? undoOne({ ...sent, act: { ...sent.act, ...other }, words: '' })
}

async function undoOne(sent: Sent): Promise<Answer> {
  const outcome = await undoByMember(sent.visitor.inbox.leads, sent.act)
  return answer(sent, outcome, { path: pathOf(sent), wanted: 'undone' })
}

async function note(sent: Sent): Promise<Answer> {
  if (sent.words === '') return refused(sent, 400, 'Write something first.')
  const { inbox, member } = sent.visitor
  try {
    const outcome = await noteByMember(inbox.leads, sent.act, sent.words)
    if (outcome.kind !== 'done') return answer(sent, outcome, { path: '', wanted: 'undone' })
    return logged(goTo(`${pathOf(sent)}#notes`), 'noted', member.id)
  } catch (error) {
    if (!(error instanceof StorageUnavailable)) throw error
    return refused(sent, 503, 'The note could not be kept just now. Send it again.')
  }
}

/** Keeps the typed note. `undefined`: it is kept, or nothing was typed. */
async function keepTyped(sent: Sent): Promise<Answer | undefined> {
  if (sent.words === '') return undefined
  const noted = await note(sent)
  return noted.status === 303 ? undefined : noted
}

async function answer(
  sent: Sent,
  outcome: ActOutcome,
  { path, wanted }: { path: string; wanted: Done['what'] },
): Promise<Answer> {
  const { inbox, member } = sent.visitor
  switch (outcome.kind) {
    case 'done': {
      const unkept = await keepTyped(sent)
      if (unkept !== undefined) return unkept
      const cookie = doneCookie(inbox, { what: wanted, leadIds: [outcome.lead.id] })
      const event = wanted === 'undone' ? 'move undone' : `moved to ${wanted}`
      return logged(goTo(path, cookie), event, member.id)
    }
    case 'overtaken': {
      const act = wanted === 'undone' ? 'your undo' : `your move (${stateWords[wanted]})`
      const why = `It has changed since you opened the page, so ${act} was not made.`
      return refused(sent, 409, `${why} Below is how the request stands now, and what happened.`)
    }
    case 'illegal': {
      const state = stateWords[outcome.lead.state]
      const why = `it is ${state}, from where that is not possible`
      return refused(sent, 409, `Nothing was changed: ${why}.`)
    }
    case 'missing':
      return showPage(sent.visitor, missing)
  }
}

/** Shows the page of the lead as it is now, with the problem at its top and the typed note in its field. */
async function refused(
  { visitor, act, field, words }: Sent,
  status: number,
  problem: string,
): Promise<Answer> {
  const whole = await readLead(visitor.inbox, act.leadId)
  if (whole === undefined) return showPage(visitor, missing)
  const { view } = readListPlace(field)
  return showLeadPage(visitor, whole, { view, words, status, problem })
}

function pathOf({ act, field }: Sent): string {
  return leadPath(act.leadId, readListPlace(field).view)
}

/** Path of the lead after this one in its tab; else of the tab's first lead; else of the list. */
async function pathOfNext({ visitor, act, field }: Sent): Promise<string> {
  const { leads: store } = visitor.inbox
  const { view } = readListPlace(field)
  const [after] = await readView(store, view, { past: act.leadId, limit: 1 })
  const firstTwo = after === undefined ? await readView(store, view, { limit: 2 }) : [after]
  const next = firstTwo.find(({ id }) => id !== act.leadId)
  return next === undefined ? listPath({ view }) : leadPath(next.id, view)
}

/** A page of the list has at most this many rows. */
const mostAtOnce = 50

/**
 * Makes the same move, or its undo, for the ticked requests of a page, or for one row. Field `only`: the
 * move and the lead of that row.
 */
export async function moveTicked(visitor: Visitor): Promise<Answer> {
  const { inbox, ask, member } = visitor
  const { leads: store, tell } = inbox
  const field = sentFields(visitor)
  const place = readListPlace(field)
  const [, to = field('to'), one] = /^([a-z_]+)\.(.*)$/.exec(field('only')) ?? []
  const boxes = sentPairs(ask).flatMap(([name, text]) => (name === 'lead' ? [text] : []))
  const texts = one === undefined ? boxes.slice(0, mostAtOnce) : [one]
  const ticked = texts.flatMap((text) => readTicked(text) ?? [])
  const byId = new Map(ticked.map((about) => [about.leadId, about]))
  if (byId.size === 0) return goTo(listPath({ ...place, tick: 'none' }))
  if (to !== 'undo' && !isState(to)) return goTo(listPath(place))
  const by = { by: member.id, at: inbox.now(), tell }
  const acts = [...byId.values()].map((about) => ({ ...about, ...by }))
  const outcomes = await Promise.all(
    acts.map((act) => (to === 'undo' ? undoByMember(store, act) : moveByMember(store, act, to))),
  )
  const leadIds = outcomes.flatMap((each) => (each.kind === 'done' ? [each.lead.id] : []))
  const what = to === 'undo' ? 'undone' : to
  const cookie = doneCookie(inbox, { what, leadIds, missed: acts.length - leadIds.length })
  return logged(goTo(listPath(place), cookie), `moved ${leadIds.length}`, member.id)
}
