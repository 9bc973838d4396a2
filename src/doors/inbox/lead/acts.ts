/**
 * What a member does with one request: POST /inbox/lead/<id>/move, undo, note, release, spam; and with
 * those that were ticked: POST /inbox/moves.
 */
import { normaliseText } from '../../../contract/check-fields.ts'
import { stateWords, isState, type State } from '../../../contract/states.ts'
import { inWords } from '../../../time.ts'
import {
  actOnEach,
  longestNote,
  mostAtOnce,
  moveByMember,
  noteByMember,
  undoByMember,
  type MovingAct,
  type ActOutcome,
} from '../../../desk/acts.ts'
import { toStory, readWholeLead, type WholeLead } from '../../../desk/whole-lead.ts'
import { readView } from '../../../desk/views.ts'
import { html, type Html } from '../../../html.ts'
import { type Answer, type Ask } from '../../../http/message.ts'
import { StorageUnavailable } from '../../../store/engine/engine.ts'
import { alertOf, goTo, logged } from '../frame/answers.ts'
import { doneCookie, readTicked, readVersion, type Done } from '../frame/done-bar.ts'
import { sentFields, sentList, type SentFields } from '../frame/forms.ts'
import { type MemberDoor } from '../frame/guard.ts'
import { type Inbox, type Visitor } from '../frame/inbox.ts'
import { leadIdIn, leadPath, listPath, readListPlace } from '../paths.ts'
import { missingLead, showLeadPage } from './page.ts'
import { storyList, type NameOf } from './story.ts'

export const moveLead = doorFor(move)
export const undoLead = doorFor(undo)
export const noteLead = doorFor(note)
export const releaseLead = doorFor((sent) => moveTo(sent, 'new'))
export const markAsSpam = doorFor((sent) => moveTo(sent, 'spam'))

/** `words`: typed into the field of the note, also where a move was pressed. */
type Sent = {
  inbox: Inbox
  ask: Ask
  visit: Visitor
  act: MovingAct
  field: SentFields
  words: string
}

function doorFor(act: (sent: Sent) => Promise<Answer>): MemberDoor {
  return (inbox, ask, visit) => {
    const field = sentFields(ask)
    const about = { leadId: leadIdIn(ask.path), version: readVersion(field('version')) }
    const by = { by: visit.member.id, at: inbox.now(), tell: inbox.desk.tell }
    const words = field('words')
    const sent = { inbox, ask, visit, act: { ...about, ...by }, field, words }
    // Before a move is made with it.
    const isTooLong = normaliseText(words).length > longestNote
    return isTooLong ? refused(sent, 400, tooLong) : act(sent)
  }
}

async function move(sent: Sent): Promise<Answer> {
  const next = sent.field('next')
  const to = next || sent.field('to')
  if (!isState(to)) return refused(sent, 400, () => alertOf('There is no such move.'))
  return next === '' ? moveTo(sent, to) : moveTo(sent, to, await pathOfNext(sent))
}

async function moveTo(sent: Sent, to: State, path = backFrom(sent)): Promise<Answer> {
  const outcome = await moveByMember(sent.inbox.desk.store, sent.act, to)
  return answer(sent, outcome, { path, wanted: to })
}

async function undo(sent: Sent): Promise<Answer> {
  const other = readTicked(sent.field('other'))
  if (other === undefined || other.leadId === sent.act.leadId) return undoOne(sent)
  // The act undoes a move of the lead that was shown before; the note is about the one on the page.
  const unkept = await keepTyped(sent)
  return unkept ?? undoOne({ ...sent, act: { ...sent.act, ...other }, words: '' })
}

async function undoOne(sent: Sent): Promise<Answer> {
  const outcome = await undoByMember(sent.inbox.desk.store, sent.act)
  return answer(sent, outcome, { path: backFrom(sent), wanted: 'undone' })
}

async function note(sent: Sent): Promise<Answer> {
  const { store } = sent.inbox.desk
  const outcome = await noteByMember(store, sent.act, sent.words).catch(unwritten)
  switch (outcome.kind) {
    case 'unwritten':
      return refused(sent, 503, () =>
        alertOf('The note could not be kept just now. Send it again.'),
      )
    case 'done':
      return logged(goTo(`${backFrom(sent)}#notes`), 'noted', sent.visit.member.id)
    case 'empty':
      return refused(sent, 400, () => alertOf('Write something first.'))
    case 'too-long':
      return refused(sent, 400, tooLong)
    case 'overtaken':
    case 'illegal':
    case 'missing':
      return answer(sent, outcome, { path: '', wanted: 'undone' })
  }
}

/** As long as the database can be read, the page comes back with the words. */
function unwritten(error: unknown): { kind: 'unwritten' } {
  if (error instanceof StorageUnavailable) return { kind: 'unwritten' }
  throw error
}

/** `undefined`: it is kept, or nothing was typed. */
async function keepTyped(sent: Sent): Promise<Answer | undefined> {
  if (normaliseText(sent.words) === '') return undefined
  const noted = await note(sent)
  return noted.status === 303 ? undefined : noted
}

async function answer(
  sent: Sent,
  outcome: ActOutcome,
  { path, wanted }: { path: string; wanted: Done['what'] },
): Promise<Answer> {
  const { inbox, ask, visit } = sent
  switch (outcome.kind) {
    case 'done': {
      const unkept = await keepTyped(sent)
      if (unkept !== undefined) return unkept
      const cookie = doneCookie(inbox, { what: wanted, leadIds: [outcome.lead.id] })
      const event = wanted === 'undone' ? 'move undone' : `moved to ${wanted}`
      return logged(goTo(path, cookie), event, visit.member.id)
    }
    case 'overtaken': {
      const since = toStory(outcome.since, { deliveries: [], tries: [] })
      const when = (each: number) => inWords(each, inbox.timeZone)
      const told = (whole: WholeLead, nameOf: NameOf) => storyList(since, whole, when, nameOf)
      return refused(sent, 409, (...given) => overtakenBox(told(...given), wanted))
    }
    case 'illegal': {
      const state = stateWords[outcome.lead.state]
      return refused(sent, 409, () =>
        alertOf(`Nothing was changed: it is ${state}, from where that is not possible.`),
      )
    }
    case 'missing':
      return missingLead(inbox, ask, visit)
  }
}

/** The page of the lead as it is now, with what went wrong above, and nothing lost. */
async function refused(
  { inbox, ask, visit, act, field, words }: Sent,
  status: number,
  problem: (whole: WholeLead, nameOf: NameOf) => Html,
): Promise<Answer> {
  const whole = await readWholeLead(inbox.desk, act.leadId)
  if (whole === undefined) return missingLead(inbox, ask, visit)
  const { view } = readListPlace(field)
  const page = { whole, view, status, words, problem: (nameOf: NameOf) => problem(whole, nameOf) }
  return showLeadPage(inbox, ask, visit, page)
}

const tooLong = () => alertOf(`A note has at most ${longestNote} characters.`)

function overtakenBox(since: Html, wanted: Done['what']): Html {
  const act = wanted === 'undone' ? 'your undo' : `your move (${stateWords[wanted]})`
  return html`<div class="alert" role="alert"><p>It has changed since you opened the page, so ${act} was not made:</p>
${since}<p>Below is how the request stands now.</p></div>
`
}

function backFrom({ act, field }: Sent): string {
  const place = readListPlace(field)
  return field('back') === 'list' ? listPath(place) : leadPath(act.leadId, place.view)
}

/** The one after this in the tab that it was opened from; else its first; else the list. */
async function pathOfNext({ inbox, act, field }: Sent): Promise<string> {
  const { store } = inbox.desk
  const { view } = readListPlace(field)
  const [after] = await readView(store, view, { past: act.leadId, limit: 1 })
  const firstTwo = after === undefined ? await readView(store, view, { limit: 2 }) : [after]
  const next = firstTwo.find(({ id }) => id !== act.leadId)
  return next === undefined ? listPath({ view }) : leadPath(next.id, view)
}

/** The same move, or its undo, for the requests that were ticked on a page. */
export async function moveTicked(inbox: Inbox, ask: Ask, { member }: Visitor): Promise<Answer> {
  const { store } = inbox.desk
  const field = sentFields(ask)
  const to = field('to')
  const at = inbox.now()
  const ticked = sentList(ask, 'lead').flatMap((text) => readTicked(text) ?? [])
  const once = [...new Map(ticked.map((about) => [about.leadId, about])).values()]
  // A page has no more than can be moved at once.
  const acts = once
    .slice(0, mostAtOnce)
    .map((about) => ({ ...about, by: member.id, at, tell: inbox.desk.tell }))
  const back = listPath(readListPlace(field))
  if (acts.length === 0 || (to !== 'undo' && !isState(to))) return goTo(back)
  const outcomes = await actOnEach(acts, (act) =>
    to === 'undo' ? undoByMember(store, act) : moveByMember(store, act, to),
  )
  const leadIds = outcomes.flatMap((each) => (each.kind === 'done' ? [each.lead.id] : []))
  const what = to === 'undo' ? 'undone' : to
  const cookie = doneCookie(inbox, { what, leadIds, missed: acts.length - leadIds.length })
  return logged(goTo(back, cookie), `moved ${leadIds.length}`, member.id)
}
