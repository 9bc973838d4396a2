/** Draws the form of a lead: moves, dates, visit and note. */
import { stateWords, type Next, type State } from '../../../contract/states.ts'
import { longestNote } from '../../../desk/acts.ts'
import { isOpen } from '../../../lead/life.ts'
import { addressIn, isOverdue, noNeedUntil, ringOffers, type Opening } from '../../../desk/plan.ts'
import { type WholeLead } from '../../../desk/whole-lead.ts'
import { capital, isBack, moveLabel, type NameOf } from '../../../desk/words.ts'
import { html, type Html } from '../../../html.ts'
import { callLinks } from '../../../lead/contact-links.ts'
import { type Lead } from '../../../store/leads/rows.ts'
import { localTime, toTime24 } from '../../../time.ts'
import { alertOf } from '../frame/answers.ts'
import { actsForm, placeFields, toTicked } from '../frame/done-bar.ts'
import { type SentFields } from '../frame/inbox.ts'
import { inert, said } from '../frame/words.ts'
import { actPath, visitPath, type LeadAct, type ListPlace } from '../paths.ts'
import { isJudged } from './facts.ts'
import { type When } from './story.ts'

type ActsLook = {
  now: number
  when: When
  nameOf: NameOf
  typed: SentFields | undefined
  unsure: Next | undefined
  otherVisit: Lead | undefined
  visitProblem: string
  place: ListPlace
  opening: Opening
  /** Whether the box "Then open the next request" is ticked. */
  goesOn: boolean
  isMine: boolean
  mailsVisits: boolean
}

/** One form, so that no button loses a typed note. The disabled first button keeps Enter from pressing any other. */
export function leadActs(whole: WholeLead, look: ActsLook): Html {
  const { id, version, state } = whole.lead
  if (state === 'erased') return html``
  return html`<form class="acts" id="${actsForm}" method="post" action="${actPath(id, 'note')}"><input type="hidden" name="version" value="${version}">${placeFields(look.place)}${look.unsure ? html`<input type="hidden" name="sure" value="${look.unsure.at}">` : ''}<button type="submit" disabled hidden></button>
${moveButtons(whole, look)}${dates(whole, look)}${notes(whole, look)}</form>
`
}

/** Books the visit in spite of the doubt. A changed day or hour is checked again. */
function sureButtons(id: string, otherVisit: Lead | undefined): Html {
  const to = submitTo(id, 'move')
  if (otherVisit === undefined) {
    return html`<p><button ${to} name="book" value="visit" class="quiet">Book it all the same</button></p>
`
  }
  return html`<p class="pair"><button ${to} name="book" value="${toTicked(otherVisit)}">Move it</button><button ${to} name="book" value="visit" class="quiet">Keep both</button></p>
`
}

export function submitTo(id: string, act: LeadAct): Html {
  return html`type="submit" formaction="${actPath(id, act)}" formnovalidate`
}

/** Moves back look like links, because a member should not press one by mistake. */
function moveButtons(whole: WholeLead, look: ActsLook): Html {
  const { lead, moves, next, undoTo, undoWith } = whole
  const { isMine, goesOn, mailsVisits } = look
  if (moves.length === 0 && undoTo === undefined) return html``
  const { id, state } = lead
  const to = (act: LeadAct) => submitTo(id, act)
  // Before the visit no move is more likely than the others, so all buttons look the same.
  const visit = next?.what === 'visit' ? next : undefined
  const isOver = visit !== undefined && isOverdue(visit, look.now)
  const isAhead = visit !== undefined && !isOver
  const isForward = (move: State) => isJudged(lead) || !isBack(state, move)
  const forward = moves.filter(isForward)
  const rows = forward.map((move) => {
    const label = moveLabel(state, move)
    return html`<li><button ${to('move')} name="to" value="${move}">${label}</button></li>
`
  })
  const [first = html``, ...further] = rows
  const isMailed = mailsVisits && lead.visitShown === 1
  const callOff = `Call off the visit${isMailed ? ', and mail that to the sender' : ''}`
  const backLabel = (move: State) => {
    if (visit === undefined || move !== 'contacted') return moveLabel(state, move)
    return isOver ? 'The visit did not happen' : callOff
  }
  const noAnswer =
    isOpen(lead) && callLinks(lead.values.phone).length > 0
      ? html`<li><button ${to('plan')} name="plan" value="tried">No answer</button></li>
`
      : ''
  const undone = undoWith
    ? html` name="of" value="${[lead, undoWith].map(toTicked).join(' ')}"`
    : ''
  const quiet = [
    ...(undoTo === undefined
      ? []
      : [
          html`<button ${to('undo')}${undone} class="plain undo">Undo (${undoTo === state ? 'the last change' : `back to ${stateWords[undoTo]}`})</button>`,
        ]),
    ...moves
      .filter((move) => !isForward(move) && (isOver || move !== undoTo))
      .map(
        (move) =>
          html`<button ${to('move')} name="to" value="${move}" class="plain">${backLabel(move)}</button>`,
      ),
    ...(isOpen(lead)
      ? [
          html`<button ${to('take')} name="take" value="${isMine ? 'none' : 'me'}" class="plain">${isMine ? 'Give it back' : 'I take this'}</button>`,
        ]
      : []),
  ]
  return html`<section class="next" aria-labelledby="next">
<h2 id="next">${isJudged(lead) ? 'Is this a real request?' : isOpen(lead) ? 'How did it go?' : capital(stateWords[state])}</h2>
${
  rows.length === 0
    ? ''
    : html`<ul class="moves${isJudged(lead) || isAhead ? ' equal' : ''}">
${first}${noAnswer}${further}</ul>
${withOthers(whole, look)}<label class="go"><input type="checkbox" name="go" value="next"${goesOn ? html` checked` : ''}>Then open the next request</label>
`
}${
    quiet.length === 0
      ? ''
      : html`<p class="slips">${quiet.map((each) => html`${each} `)}</p>
`
  }</section>
`
}

/** Shows other names than the sender's, because anybody can type his number. */
function withOthers({ lead, others: rows }: WholeLead, { typed }: ActsLook): Html {
  const open = rows.filter((row) => isOpen(row) && row.state !== 'consultation_booked')
  if (!isOpen(lead) || open.length === 0) return html``
  const those = open.length === 1 ? 'other open request' : `${open.length} other open requests`
  const names = [...new Set(open.map(({ name }) => name))].filter(
    (name) => name !== lead.values.name,
  )
  const of = names.length === 0 ? '' : html` (${said(names.join(', '))})`
  const ticked = typed?.('with') ? html` checked` : ''
  return html`<label class="go"><input type="checkbox" name="with" value="${open.map(toTicked).join(' ')}"${ticked}>Also the ${those}${of}</label>
`
}

function dates(whole: WholeLead, look: ActsLook): Html {
  const { lead, next, place: area } = whole
  const { opening, typed, mailsVisits, unsure, otherVisit, visitProblem } = look
  if (!isOpen(lead)) return html``
  const { id } = lead
  const { timeZone } = opening
  const visit = next?.what === 'visit' ? next : undefined
  const local = visit && localTime(visit.at, timeZone)
  const [day, time, place] = [
    typed?.('day') || (local?.date ?? ''),
    typed?.('time') || (local ? toTime24(local.minute) : ''),
    typed?.('place') || (lead.visitPlace ?? addressIn(lead.values.message, area)),
  ]
  const isShown = typed?.('day') || typed?.('time') ? typed('shown') !== '' : lead.visitShown !== 0
  const isAsked = lead.state === 'consultation_booked' && visit === undefined
  const act = lead.state === 'consultation_booked' ? 'plan' : 'move'
  const button =
    act === 'plan'
      ? html`<button ${submitTo(id, 'plan')} name="plan" value="visit"${visit ? html` class="quiet"` : ''}>${visit ? 'Change the visit' : 'Set the visit'}</button>`
      : html`<button ${submitTo(id, 'move')} name="book" value="visit">Book it</button>`
  const calendar = visit
    ? html`<a class="button quiet" href="${visitPath(id)}">Add to calendar</a>`
    : ''
  const remove = html`<p><button ${submitTo(id, 'plan')} name="plan" value="none" class="plain">Remove the date</button></p>
`
  return html`<section class="dates" aria-label="Dates">
${ringDates(whole, look)}<details id="visit"${isAsked || visitProblem || day || time ? html` open` : ''}><summary>${visit ? 'The visit' : isAsked ? 'Which day and hour?' : 'Book a visit'}</summary>
${alertOf(visitProblem)}${unsure ? sureButtons(id, otherVisit) : ''}<p class="pick"><label>Day <input type="date" name="day" value="${day}"${visitProblem ? html` autofocus` : ''}></label><label>Hour <input type="time" name="time" step="900" value="${time}"></label></p>
<label>Place <input type="text" name="place" maxlength="300" autocomplete="off" value="${place}" placeholder="Street and town"></label>
<label class="choice"><input type="checkbox" name="shown" value="1"${isShown ? html` checked` : ''}><span>Show day and hour on the sender's receipt${mailsVisits ? ', and mail them to the sender' : ''}</span></label>
<p class="pair">${button}${calendar}</p></details>
${next?.what === 'ring' ? remove : ''}
</section>
`
}

function ringDates({ lead, next }: WholeLead, { now, opening, typed }: ActsLook): Html {
  // "Ring again" would replace a visit that lies ahead, because a lead has only one date.
  if (next?.what === 'visit' && !isOverdue(next, now)) return html``
  const { id, state } = lead
  const offers = ringOffers(now, opening)
  // Somebody whom the owner has not reached yet is not put off for a month.
  if (state !== 'new') offers.push({ label: 'No need: 30 days', at: noNeedUntil(now, opening) })
  const buttons = offers.map(
    ({ label, at }) =>
      html`<button ${submitTo(id, 'plan')} name="ring" value="${at}" class="quiet">${label}</button>`,
  )
  const asksWhen = state === 'contacted' && next === undefined
  return html`<h2 id="when">${asksWhen ? 'When next?' : 'Ring again'}</h2>
<p class="offers">${buttons}</p>
<details><summary>Pick a day</summary>
<p class="pick"><label>Day <input type="date" name="ring-day" value="${typed?.('ring-day') ?? ''}"></label><label>Hour <input type="time" name="ring-time" step="900" value="${typed?.('ring-time') ?? ''}"></label><button ${submitTo(id, 'plan')} name="plan" value="ring" class="quiet">Ring then</button></p></details>
`
}

function notes({ notes: kept }: WholeLead, { when, nameOf, typed }: ActsLook): Html {
  const rows = kept.map(
    (note) => html`<li><p class="said" dir="auto">${inert(note.words)}</p>
<small>${nameOf(note.memberId)}, ${when(note.at)}</small></li>
`,
  )
  return html`<section class="notes" aria-labelledby="notes">
<h2 id="notes">Notes</h2>
${rows.length === 0 ? '' : html`<ul class="sheet">${rows}</ul>`}<label class="unseen" for="words">New note</label>
<textarea id="words" name="words" rows="3" maxlength="${longestNote}" placeholder="What you agreed" required>${typed?.('words') ?? ''}</textarea>
<button type="submit" class="quiet">Save the note</button>
</section>
`
}
