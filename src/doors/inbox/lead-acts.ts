/** What a member does with one request: POST /inbox/lead/<id>/move, undo, note, release, spam. */
import type { Visit } from '../../access/sessions.ts'
import { normaliseText } from '../../contract/check-fields.ts'
import { isState } from '../../contract/states.ts'
import type { State } from '../../contract/states.ts'
import {
  longestNote,
  moveByMember,
  noteByMember,
  undoByMember,
  type ActOutcome,
  type MovingAct,
} from '../../desk/acts.ts'
import { toStory } from '../../desk/story.ts'
import { readView } from '../../desk/views.ts'
import { readWholeLead } from '../../desk/whole-lead.ts'
import type { WholeLead } from '../../desk/whole-lead.ts'
import { inWords } from '../../time.ts'
import { html } from '../../html.ts'
import type { Html } from '../../html.ts'
import type { Answer, Ask } from '../../http/message.ts'
import { stateWords } from '../../lead/state-words.ts'
import { StorageUnavailable } from '../../store/engine/engine.ts'
import { goTo, logged } from './answers.ts'
import { doneCookie, readTicked, readVersion } from './done-bar.ts'
import type { Done } from './done-bar.ts'
import { sentFields } from './forms.ts'
import type { SentFields } from './forms.ts'
import type { InboxRoute } from './guard.ts'
import { missingLead, showLeadPage } from './lead-page.ts'
import { storyList } from './lead-story.ts'
import type { NameOf } from './lead-story.ts'
import { alertOf } from './parts.ts'
import type { InboxParts } from './parts.ts'
import { actPath, leadIdIn, leadPath, listPath, readListPlace } from './paths.ts'
import type { LeadAct } from './paths.ts'

/** `words`: typed into the field of the note, also where a move was pressed. */
type Sent = { ask: Ask; visit: Visit; act: MovingAct; field: SentFields; words: string }

export function leadActRoutes(parts: InboxParts): InboxRoute[] {
  const { desk, timeZone, now } = parts
  const { store } = desk
  return [
    row('move', move),
    row('undo', undo),
    row('note', note),
    row('release', (sent) => moveTo(sent, 'new')),
    row('spam', (sent) => moveTo(sent, 'spam')),
  ]

  function row(name: LeadAct, door: (sent: Sent) => Promise<Answer>): InboxRoute {
    return {
      path: actPath('*', name),
      method: 'POST',
      who: 'member',
      door(ask, visit) {
        const field = sentFields(ask)
        const about = { leadId: leadIdIn(ask.path), version: readVersion(field('version')) }
        const act = { ...about, by: visit.member.id, at: now(), tell: desk.tell }
        const words = field('words')
        const sent = { ask, visit, field, act, words }
        // Before a move is made with it.
        const isTooLong = normaliseText(words).length > longestNote
        return isTooLong ? refused(sent, 400, tooLong) : door(sent)
      },
    }
  }

  async function move(sent: Sent): Promise<Answer> {
    const next = sent.field('next')
    const to = next || sent.field('to')
    if (!isState(to)) return refused(sent, 400, () => alertOf('There is no such move.'))
    return next === '' ? moveTo(sent, to) : moveTo(sent, to, await pathOfNext(sent))
  }

  async function moveTo(sent: Sent, to: State, path = backFrom(sent)): Promise<Answer> {
    return answer(sent, await moveByMember(store, sent.act, to), { path, wanted: to })
  }

  async function undo(sent: Sent): Promise<Answer> {
    const other = readTicked(sent.field('other'))
    if (other === undefined || other.leadId === sent.act.leadId) return undoOne(sent)
    // The act undoes a move of the lead that was shown before; the note is about the one on the page.
    const unkept = await keepTyped(sent)
    return unkept ?? undoOne({ ...sent, act: { ...sent.act, ...other }, words: '' })
  }

  async function undoOne(sent: Sent): Promise<Answer> {
    const outcome = await undoByMember(store, sent.act)
    return answer(sent, outcome, { path: backFrom(sent), wanted: 'undone' })
  }

  async function note(sent: Sent): Promise<Answer> {
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
    const { ask, visit } = sent
    switch (outcome.kind) {
      case 'done': {
        const unkept = await keepTyped(sent)
        if (unkept !== undefined) return unkept
        const cookie = doneCookie(parts, { what: wanted, leadIds: [outcome.lead.id] })
        const event = wanted === 'undone' ? 'move undone' : `moved to ${wanted}`
        return logged(goTo(path, cookie), event, visit.member.id)
      }
      case 'overtaken': {
        const since = toStory(outcome.since, { notes: [], deliveries: [], tries: [] })
        const when = (each: number) => inWords(each, timeZone)
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
        return missingLead(parts, ask, visit)
    }
  }

  /** The page of the lead as it is now, with what went wrong above, and nothing lost. */
  async function refused(
    { ask, visit, act, field, words }: Sent,
    status: number,
    problem: (whole: WholeLead, nameOf: NameOf) => Html,
  ): Promise<Answer> {
    const whole = await readWholeLead(desk, act.leadId)
    if (whole === undefined) return missingLead(parts, ask, visit)
    const { view } = readListPlace(field)
    const page = { whole, view, status, words, problem: (nameOf: NameOf) => problem(whole, nameOf) }
    return showLeadPage(parts, ask, visit, page)
  }

  /** The one after this in the tab that it was opened from; else its first; else the list. */
  async function pathOfNext({ act, field }: Sent): Promise<string> {
    const { view } = readListPlace(field)
    const [after] = await readView(store, view, { past: act.leadId, limit: 1 })
    const firstTwo = after === undefined ? await readView(store, view, { limit: 2 }) : [after]
    const next = firstTwo.find(({ id }) => id !== act.leadId)
    return next === undefined ? listPath({ view }) : leadPath(next.id, view)
  }
}

/** As long as the database can be read, the page comes back with the words. */
function unwritten(error: unknown): { kind: 'unwritten' } {
  if (error instanceof StorageUnavailable) return { kind: 'unwritten' }
  throw error
}

const tooLong = () => alertOf(`A note has at most ${longestNote} characters.`)

function backFrom({ act, field }: Sent): string {
  const place = readListPlace(field)
  return field('back') === 'list' ? listPath(place) : leadPath(act.leadId, place.view)
}

function overtakenBox(since: Html, wanted: Done['what']): Html {
  const act = wanted === 'undone' ? 'your undo' : `your move (${stateWords[wanted]})`
  return html`<div class="alert" role="alert"><p>It has changed since you opened the page, so ${act} was not made:</p>
${since}<p>Below is how the request stands now.</p></div>
`
}
