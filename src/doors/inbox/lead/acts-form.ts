/** Draws the form of a request: outcomes, the next date and notes. What it offers, and where, is said by the desk. */
import { longestNote, longestPlace } from '../../../contract/limits.ts'
import {
  type Choices,
  type MoveChoice,
  type RingChoice,
  type VisitAgain,
  type WhyChoice,
} from '../../../desk/choices.ts'
import { type State } from '../../../contract/states.ts'
import { type VisitDay } from '../../../desk/plan.ts'
import { type SavedBy, type VisitChoice } from '../../../desk/visit-choice.ts'
import { type Doubt } from '../../../desk/visits.ts'
import { type WholeLead } from '../../../desk/whole-lead.ts'
import { html, type Html, noHtml } from '../../../html.ts'
import { type Note } from '../../../store/leads/notes.ts'
import { noteField, sends, type ActFields } from '../act-fields.ts'
import { alertOf } from '../frame/answers.ts'
import { actsForm, placeFields } from '../frame/done-bar.ts'
import { said } from '../frame/words.ts'
import { actPath, type LeadAct, type ListPlace } from '../paths.ts'
import { linked } from './linked.ts'
import { type Names } from './story.ts'

/** Why a button changed nothing. */
export type Refusal = {
  words: string
  /** The part of the form that it is about; left out: the whole page. */
  above?: 'date' | 'ring' | 'notes' | 'sum'
  focus?: 'day' | 'hour'
  /** Why the visit may be a mistake, if the member may save it all the same. */
  doubt?: Doubt
}

export type ActsOptions = {
  choices: Choices
  names: Names
  memberId: string
  place: ListPlace
  /** The typed words, if the page is shown again. */
  typed: ActFields | undefined
  refusal: Refusal | undefined
}

/** One form, so that no button loses a typed note. The disabled first button keeps Enter from pressing any other. */
export function leadActs(whole: WholeLead, options: ActsOptions): Html {
  const { id, version, state } = whole.lead
  if (state === 'erased') return noHtml
  return html`<form class="acts" id="${actsForm}" method="post" action="${actPath(id, 'note')}">
<input type="hidden" ${sends('version', version)}>
${placeFields(options.place)}${sureField(options.refusal?.doubt)}
<button type="submit" disabled hidden></button>
${options.refusal?.doubt?.other ? '' : belongs(id, options.choices)}
${askedWhen(id, options)}
${whyLost(id, options.choices.why)}
${proposalSum(id, options)}
${outcomes(id, options)}
${newNote(options)}
</form>
`
}

function sureField(doubt: Doubt | undefined): Html {
  return doubt ? html`<input type="hidden" ${sends('sure', doubt.next.at)}>` : noHtml
}

/** A field outside the form, in the box of the visit, is sent with it all the same. */
const ofActs = html`form="${actsForm}"`

/** Sends the form, with what was typed, to another act than the note. */
export function submitTo(id: string, act: LeadAct): Html {
  return html`type="submit" ${ofActs} formaction="${actPath(id, act)}" formnovalidate`
}

/** Only the owner knows whether two requests are one matter, so they are never joined by themselves. */
function belongs(id: string, { belongs: other }: Choices): Html {
  if (other === undefined) return noHtml
  return html`<p class="belongs">
<span>${said(other.words)}</span>
<button ${submitTo(id, 'join')}
  ${sends('join', other.leadId)} class="quiet">Belongs to it</button>
</p>
`
}

function outcomes(id: string, options: ActsOptions): Html {
  const { heading, outcomes: all, undo } = options.choices
  const title = html`<h2>${heading}</h2>
`
  const grid = html`<ul class="moves">
${all.map((outcome) => html`<li>${moveButton(id, outcome, options)}</li>`)}</ul>
`
  const undoButton = html`<p><button ${submitTo(id, 'undo')} class="quiet undo">${undo ?? ''}</button></p>
`
  return html`<section class="next" aria-label="${heading}">
${all.length === 0 ? '' : html`${title}${grid}`}${undo ? undoButton : ''}
${more(id, options.choices)}</section>
`
}

function moveButton(id: string, outcome: MoveChoice, options: ActsOptions): Html {
  if (outcome.act === 'visit') return visitFold(id, outcome.label, options)
  if (outcome.act === 'ring') return ringFold(id, outcome.label, options)
  if (outcome.act === 'move') return moveTo(id, outcome.to, outcome.label)
  return html`<button ${submitTo(id, 'plan')}
  ${sends('plan', outcome.act)}>${outcome.label}</button>
`
}

function moveTo(id: string, to: State, label: string): Html {
  return html`<button ${submitTo(id, 'move')}
  ${sends('to', to)}>${label}</button>
`
}

/** The rare acts. */
function more(id: string, { more: rare, take }: Choices): Html {
  const buttons = rare.map(({ label, ...outcome }) =>
    outcome.act === 'move' ? moveTo(id, outcome.to, label) : noHtml,
  )
  if (take) {
    buttons.push(html`<button ${submitTo(id, 'take')}
  ${sends('take', take.value)}>${take.label}</button>
`)
  }
  if (buttons.length === 0) return noHtml
  return html`<details class="fold">
<summary>More</summary>
<ul>
${buttons.map((each) => html`<li>${each}</li>`)}</ul>
</details>
`
}

/** Any button keeps it. */
function proposalSum(id: string, { choices, typed, refusal }: ActsOptions): Html {
  const { sum } = choices
  if (sum === undefined) return noHtml
  const problem = refusal?.above === 'sum' ? refusal.words : ''
  const label = choices.stage === 'closed' ? 'Came to' : 'Sum'
  return html`<section id="sum" aria-label="Sum">
${alertOf(problem)}<p class="pick">
<label>${label} <small>(members only)</small>
<input type="text" inputmode="decimal" autocomplete="off" maxlength="24" ${sends('sum', typed?.sum ?? sum)}>
</label>
<button ${submitTo(id, 'sum')} class="quiet">Save</button>
</p>
</section>
`
}

/** Nothing needs to be said. Once a reason is given, the head of the page says it. */
function whyLost(id: string, why: WhyChoice | undefined): Html {
  if (why === undefined) return noHtml
  const buttons = why.reasons.map(
    ({ label, value }) => html`<button ${submitTo(id, 'lost')}
  ${sends('why', value)} class="quiet">${label}</button>
`,
  )
  const offers = html`<p class="offers">
${buttons}</p>
`
  if (why.said === undefined) {
    return html`<section aria-labelledby="why">
<h2 id="why">Why? <small>(you need not say)</small></h2>
${offers}</section>
`
  }
  return html`<details id="why">
<summary>Another reason</summary>
${offers}</details>
`
}

/** After a talk, or a call that nobody answered. */
function askedWhen(id: string, { choices: { stage, ring }, refusal, typed }: ActsOptions): Html {
  if (ring === undefined || stage !== 'talking') return noHtml
  const problem = refusal?.above === 'ring' ? refusal : undefined
  return html`<section aria-labelledby="when">
<h2 id="when">When next?</h2>
${alertOf(problem?.words ?? '')}<p class="offers">
${ringButtons(id, ring)}</p>
<p class="pick">
<label>Another day
<input type="date" ${sends('ring-day', typed?.['ring-day'] ?? '')}${problem ? html` autofocus` : ''}>
</label>
${ringThen(id, ring)}</p>
</section>
`
}

function ringButtons(id: string, { offers }: RingChoice): Html[] {
  return offers.map(
    ({ label, at }) => html`<button ${submitTo(id, 'plan')}
  ${sends('ring', at)} class="quiet">${label}</button>
`,
  )
}

function ringThen(id: string, { label }: RingChoice): Html {
  return html`<button ${submitTo(id, 'plan')}
  ${sends('plan', 'ring')} class="quiet">${label}</button>
`
}

function hasTypedDate(typed: ActFields | undefined): boolean {
  return typed !== undefined && (typed.day !== '' || typed.time !== '')
}

function isBesideDate(refusal: Refusal | undefined): boolean {
  return refusal?.above === 'date' || refusal?.above === 'ring'
}

/** Whether the page has the part that the refusal is about: a colleague may have closed the request. */
export function isBeside(refusal: Refusal, { visit, ring, sum }: Choices): boolean {
  const parts: Record<NonNullable<Refusal['above']>, unknown> = {
    date: visit ?? ring?.again,
    ring,
    sum,
    notes: true,
  }
  return refusal.above !== undefined && parts[refusal.above] !== undefined
}

/** After a visit: a day to ring, or another visit at the same place. */
function ringFold(id: string, label: string, options: ActsOptions): Html {
  const { typed, refusal, choices } = options
  const { ring } = choices
  if (ring?.again === undefined) return noHtml
  const problem = isBesideDate(refusal) ? refusal : undefined
  const { day = '', time = '' } = typed ?? {}
  const isOpen = problem !== undefined || hasTypedDate(typed)
  return html`<details id="visit"${isOpen ? html` open` : ''}>
<summary class="button">${label}</summary>
${alertOf(problem?.words ?? '')}${sureButtons(id, problem?.doubt, options)}<p class="offers">
${ringButtons(id, ring)}</p>
${dayAndHour(day, time, problem)}<p class="pair">
${ringThen(id, ring)}${visitThen(id, ring.again)}</p>
</details>
`
}

function visitThen(id: string, { savedBy, place, isShown }: VisitAgain): Html {
  const shown = html`<input type="hidden" ${sends('shown', '1')}>`
  return html`<input type="hidden" ${sends('place', place)}>
${isShown ? shown : ''}${saveVisit(id, savedBy, 'Visit then', html` class="quiet"`)}`
}

function dayAndHour(day: string, time: string, problem: Refusal | undefined): Html {
  // The field with the problem has the focus.
  const focus = (field: Refusal['focus']) => (problem?.focus === field ? html` autofocus` : '')
  return html`<p class="pick">
<label>Day
<input type="date" ${ofActs} ${sends('day', day)}${focus('day')}>
</label>
<label>Hour
<input type="time" step="900" ${ofActs} ${sends('time', time)}${focus('hour')}>
</label>
</p>
`
}

function saveVisit(id: string, savedBy: SavedBy, label: string, look = noHtml): Html {
  const [act, sent] =
    savedBy === 'book'
      ? (['move', sends('book', 'visit')] as const)
      : (['plan', sends('plan', 'visit')] as const)
  return html`<button ${submitTo(id, act)}
  ${sent}${look}>${label}</button>
`
}

/** Opens the fields of a visit in place; `label` is what the button says. */
export function visitFold(id: string, label: string, options: ActsOptions): Html {
  const { typed, refusal, choices } = options
  if (choices.visit === undefined) return noHtml
  const problem = refusal?.above === 'date' ? refusal : undefined
  const { isAsked, days, savedBy } = choices.visit
  const { day, time, place, isChanged } = withTyped(choices.visit, typed)
  const isOpen = isAsked || problem !== undefined || isChanged
  return html`<details id="visit"${isOpen ? html` open` : ''}>
<summary class="button">${label}</summary>
${alertOf(problem?.words ?? '')}${sureButtons(id, problem?.doubt, options)}${dayChoices(days, day, problem)}${dayAndHour(day, time, problem)}<label>Place
<input type="text" ${ofActs} maxlength="${longestPlace}" autocomplete="off" placeholder="Street and town"
  ${sends('place', place)}>
</label>
${shownTick(choices.visit, typed)}${saveVisit(id, savedBy, 'Save visit')}${hintOf(choices.visit)}</details>
`
}

function hintOf({ saveHint }: VisitChoice): Html {
  return saveHint === '' ? noHtml : html`<small>${saveHint}</small>`
}

/** A customer who knows of the visit hears of its new time, too. An unticked box is not sent, so it counts only with a day. */
function shownTick({ shownLabel, isShown }: VisitChoice, typed: ActFields | undefined): Html {
  const sent = html`type="${shownLabel === '' ? 'hidden' : 'checkbox'}" ${ofActs} ${sends('shown', '1')}`
  if (shownLabel === '')
    return html`<input ${sent}>
`
  const isTicked = hasTypedDate(typed) ? typed?.shown !== undefined : isShown
  return html`<label class="choice">
<input ${sent}${isTicked ? html` checked` : ''}>
<span>${shownLabel}</span>
</label>
`
}

/** The field for any other day is hidden while one of these is chosen. */
function dayChoices(days: readonly VisitDay[], chosen: string, problem: Refusal | undefined): Html {
  const isOffered = days.some(({ date }) => date === chosen)
  const other = { date: '', label: 'Other', booked: '' }
  const choice = ({ date, label, booked }: VisitDay) => {
    const isChosen = date === (isOffered ? chosen : '')
    const focus = isChosen && isOffered && problem?.focus === 'day' ? html` autofocus` : ''
    return html`<label>
<input type="radio" ${ofActs} ${sends('on', date)}${isChosen ? html` checked` : ''}${focus}>
<span>${label}</span>${booked === '' ? '' : html`<small>${booked}</small>`}
</label>
`
  }
  return html`<fieldset class="days">
<legend>Day</legend>
${[...days, other].map(choice)}</fieldset>
`
}

/** Typed words count more than stored ones. */
function withTyped(visit: VisitChoice, typed: ActFields | undefined) {
  if (typed === undefined) return { ...visit, isChanged: false }
  const day = typed.day || visit.day
  const time = typed.time || visit.time
  return {
    day,
    time,
    place: typed.place || visit.place,
    isChanged: day !== visit.day || time !== visit.time,
  }
}

/** Saves the visit in spite of the doubt. A changed day or hour is checked again. */
function sureButtons(id: string, doubt: Doubt | undefined, { names }: ActsOptions): Html {
  if (doubt === undefined) return noHtml
  const { other, next } = doubt
  const label = other === undefined ? 'Save it all the same' : 'Book a second visit'
  const moveOther = html`<button ${submitTo(id, 'join')}
  ${sends('join', other?.lead.id ?? '')}>Move that visit to ${names.when(next.at)}</button>
`
  return html`<p class="pair">
${other?.canJoin ? moveOther : ''}<button ${submitTo(id, 'move')}
  ${sends('book', 'visit')} class="quiet">${label}</button>
</p>
`
}

/** What was noted stands with what was asked: both are read before a call. `above`: the words of a note that are said already. */
export function keptNotes(
  { notes: own, joined }: WholeLead,
  options: ActsOptions,
  above: string | undefined,
): Html {
  const { refusal } = options
  const problem = refusal?.above === 'notes' ? refusal.words : ''
  const kept = [...own, ...joined.flatMap((each) => each.notes)]
    .filter(({ memberId, words }) => memberId !== 'sender' || words !== above)
    .sort((one, two) => one.at - two.at)
  if (kept.length === 0) return alertOf(problem)
  return html`<section class="notes" aria-labelledby="notes">
<h2 id="notes">Notes</h2>
${alertOf(problem)}<ul class="sheet">
${kept.map((note) => noteRow(note, own.includes(note), options))}</ul>
</section>
`
}

function newNote({ typed }: ActsOptions): Html {
  return html`<section class="new-note">
<h2><label for="words">New note</label></h2>
<textarea id="words" name="words" rows="3" maxlength="${longestNote}"
  placeholder="What you agreed" required>${typed?.words ?? ''}</textarea>
<button type="submit" class="quiet save-note">Save the note</button>
</section>
`
}

/** `isOwn`: the note is of the request of the page, not of one that is joined with it. */
function noteRow(note: Note, isOwn: boolean, options: ActsOptions): Html {
  const { words, memberId, at } = note
  const { nameOf, when } = options.names
  return html`<li>
<p class="said" dir="auto">${linked(words)}</p>
<small>${nameOf(memberId)}, ${when(at)}</small>
${isOwn && memberId === options.memberId ? noteEdit(note, options) : ''}</li>
`
}

/** A member can change only what he wrote himself. */
function noteEdit({ leadId, number, words }: Note, { typed }: ActsOptions): Html {
  const isTyped = typed?.['change-note'] === number
  const field = noteField(number)
  return html`<details${isTyped ? html` open` : ''}>
<summary>Edit</summary>
<label class="unseen" for="${field}">The note</label>
<textarea id="${field}" name="${field}" ${ofActs} rows="3"
  maxlength="${longestNote}">${isTyped ? typed.changed : words}</textarea>
<p class="soft">Saved without words, it is removed for good.</p>
<p><button ${submitTo(leadId, 'change-note')}
  ${sends('change-note', number)} class="quiet">Save</button></p>
</details>
`
}
