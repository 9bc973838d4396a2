/** Draws the form of a request: outcomes, dates, visit and note. What it offers is said by the desk. */
import { longestNote, longestPlace } from '../../../contract/limits.ts'
import {
  type Choices,
  type Outcome,
  type RingChoice,
  type VisitChoice,
  type WhyChoice,
} from '../../../desk/choices.ts'
import { type Doubt } from '../../../desk/visits.ts'
import { type WholeLead } from '../../../desk/whole-lead.ts'
import { html, type Html } from '../../../html.ts'
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
  above?: 'visit' | 'ring' | 'notes'
  focus?: 'day' | 'hour'
  /** Why the visit may be a mistake, if the member may save it all the same. */
  doubt?: Doubt
}

type ActsOptions = {
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
  if (state === 'erased') return html``
  return html`<form class="acts" id="${actsForm}" method="post" action="${actPath(id, 'note')}">
<input type="hidden" ${sends('version', version)}>
${placeFields(options.place)}${sureField(options.refusal?.doubt)}
<button type="submit" disabled hidden></button>
${belongs(id, options.choices)}
${outcomes(id, options)}
${whyLost(id, options.choices.why)}
${dates(whole, options)}
${notes(whole, options)}
</form>
`
}

function sureField(doubt: Doubt | undefined): Html {
  return doubt ? html`<input type="hidden" ${sends('sure', doubt.next.at)}>` : html``
}

/** Sends the form, with what was typed, to another act than the note. */
export function submitTo(id: string, act: LeadAct): Html {
  return html`type="submit" formaction="${actPath(id, act)}" formnovalidate`
}

/** Only the owner knows whether two requests are one matter, so they are never joined by themselves. */
function belongs(id: string, { belongs: other }: Choices): Html {
  if (other === undefined) return html``
  return html`<p class="belongs">
<span>${said(other.words)}</span>
<button ${submitTo(id, 'join')}
  ${sends('join', other.leadId)} class="quiet">Belongs to it</button>
</p>
`
}

function outcomes(id: string, options: ActsOptions): Html {
  const { question, outcomes: all, undo } = options.choices
  if (all.length === 0 && undo === undefined) return html``
  const buttons = all.filter(({ weight }) => weight === 'main' || weight === 'even')
  const isEven = buttons.every(({ weight }) => weight === 'even')
  const grid = html`<ul class="moves${isEven ? ' equal' : ''}">
${buttons.map((outcome) => html`<li>${outcomeButton(id, outcome)}</li>`)}</ul>
`
  return html`<section class="next" aria-labelledby="next">
<h2 id="next">${question}</h2>
${buttons.length === 0 ? '' : grid}
${quietOutcomes(id, options.choices)}
${slips(id, options.choices)}
</section>
`
}

function outcomeButton(id: string, outcome: Outcome, options: Html | string = ''): Html {
  if (outcome.act === 'tried') {
    return html`<button ${submitTo(id, 'plan')}
  ${sends('plan', 'tried')}${options}>${outcome.label}</button>
`
  }
  return html`<button ${submitTo(id, 'move')}
  ${sends('to', outcome.to)}${options}>${outcome.label}</button>
`
}

const asText = html` class="plain"`

/** Buttons that a member seldom presses are text below the others. */
function quietOutcomes(id: string, { outcomes: all }: Choices): Html {
  const quiet = all.filter(({ weight }) => weight === 'quiet')
  if (quiet.length === 0) return html``
  return html`<p class="slips">
${quiet.map((outcome) => outcomeButton(id, outcome, asText))}</p>
`
}

/** Undo, steps back, and who looks after the request. They look like links, so that nobody presses one by mistake. */
function slips(id: string, { undo, outcomes: all, take }: Choices): Html {
  const back = all.filter(({ weight }) => weight === 'back')
  const links = back.map((outcome) => outcomeButton(id, outcome, asText))
  if (undo) links.unshift(undoButton(id, undo))
  if (take) {
    links.push(html`<button ${submitTo(id, 'take')}
  ${sends('take', take.value)} class="plain">${take.label}</button>
`)
  }
  return html`<p class="slips">
${links}</p>
`
}

function undoButton(id: string, label: string): Html {
  return html`<button ${submitTo(id, 'undo')} class="plain undo">${label}</button>
`
}

/** Nothing needs to be said. Once a reason is given, the head of the page says it. */
function whyLost(id: string, why: WhyChoice | undefined): Html {
  if (why === undefined) return html``
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

function dates({ lead }: WholeLead, options: ActsOptions): Html {
  const { ring, visit } = options.choices
  if (visit === undefined) return html``
  const remove = html`<p><button ${submitTo(lead.id, 'plan')}
  ${sends('plan', 'none')} class="plain">Remove the date</button></p>
`
  return html`<section class="dates" aria-label="Dates">
${ring ? ringAgain(lead.id, ring, options) : ''}
${visitForm(lead.id, visit, options)}
${lead.date?.what === 'ring' ? remove : ''}
</section>
`
}

function ringAgain(id: string, { heading, offers, pick }: RingChoice, options: ActsOptions): Html {
  const buttons = offers.map(
    ({ label, at }) => html`<button ${submitTo(id, 'plan')}
  ${sends('ring', at)} class="quiet">${label}</button>
`,
  )
  const problem = options.refusal?.above === 'ring' ? options.refusal : undefined
  return html`<h2 id="when">${heading}</h2>
<p class="offers">
${buttons}</p>
<details${problem ? html` open` : ''}>
<summary>Pick a day</summary>
${alertOf(problem?.words ?? '')}<p class="pick">
${dayAndHour({ day: 'ring-day', time: 'ring-time' }, typedDay(options.typed), problem)}
<button ${submitTo(id, 'plan')}
  ${sends('plan', 'ring')} class="quiet">${pick}</button>
</p>
</details>
`
}

function typedDay(typed: ActFields | undefined) {
  return { day: typed?.['ring-day'] ?? '', time: typed?.['ring-time'] ?? '' }
}

type DayFields = { day: 'day' | 'ring-day'; time: 'time' | 'ring-time' }

/** The field with the problem has the focus. */
function dayAndHour(
  names: DayFields,
  { day, time }: { day: string; time: string },
  problem: Refusal | undefined,
): Html {
  const focus = (field: Refusal['focus']) => (problem?.focus === field ? html` autofocus` : '')
  return html`<label>Day
<input type="date" ${sends(names.day, day)}${focus('day')}>
</label>
<label>Hour
<input type="time" step="900" ${sends(names.time, time)}${focus('hour')}>
</label>`
}

function visitForm(id: string, visit: VisitChoice, { typed, refusal }: ActsOptions): Html {
  const problem = refusal?.above === 'visit' ? refusal : undefined
  const { day, time, place, isShown, isChanged } = withTyped(visit, typed)
  const isOpen = visit.isAsked || problem !== undefined || isChanged
  return html`<details id="visit"${isOpen ? html` open` : ''}>
<summary>${visit.label}</summary>
${alertOf(problem?.words ?? '')}${sureButtons(id, problem?.doubt)}<p class="pick">
${dayAndHour({ day: 'day', time: 'time' }, { day, time }, problem)}
</p>
<label>Place
<input type="text" maxlength="${longestPlace}" autocomplete="off" placeholder="Street and town"
  ${sends('place', place)}>
</label>
<label class="choice">
<input type="checkbox" ${sends('shown', '1')}${isShown ? html` checked` : ''}>
<span>${visit.shownLabel}</span>
</label>
<p>${saveVisit(id, visit)}</p>
</details>
`
}

/** Typed words count more than stored ones. An unticked box is not sent, so it counts only with a day. */
function withTyped(visit: VisitChoice, typed: ActFields | undefined) {
  if (typed === undefined) return { ...visit, isChanged: false }
  const day = typed.day || visit.day
  const time = typed.time || visit.time
  const isTyped = typed.day !== '' || typed.time !== ''
  return {
    day,
    time,
    place: typed.place || visit.place,
    isShown: isTyped ? typed.shown !== undefined : visit.isShown,
    isChanged: day !== visit.day || time !== visit.time,
  }
}

function saveVisit(id: string, { savedBy, isSet, isAsked }: VisitChoice): Html {
  const isQuiet = isSet && !isAsked
  if (savedBy === 'book') {
    return html`<button ${submitTo(id, 'move')}
  ${sends('book', 'visit')}>Save visit</button>`
  }
  return html`<button ${submitTo(id, 'plan')}
  ${sends('plan', 'visit')}${isQuiet ? html` class="quiet"` : ''}>Save visit</button>`
}

/** Saves the visit in spite of the doubt. A changed day or hour is checked again. */
function sureButtons(id: string, doubt: Doubt | undefined): Html {
  if (doubt === undefined) return html``
  const { other } = doubt
  const label = other === undefined ? 'Save it all the same' : 'Book a second visit'
  const belongsTo = html`<button ${submitTo(id, 'join')}
  ${sends('join', other?.lead.id ?? '')}>Belongs to it</button>
`
  return html`<p class="pair">
${other?.canJoin ? belongsTo : ''}<button ${submitTo(id, 'move')}
  ${sends('book', 'visit')} class="quiet">${label}</button>
</p>
`
}

function notes({ notes: own, joined }: WholeLead, options: ActsOptions): Html {
  const { typed, refusal } = options
  const problem = refusal?.above === 'notes' ? refusal.words : ''
  const kept = [...own, ...joined.flatMap((each) => each.notes)].sort((one, two) => one.at - two.at)
  const list = html`<ul class="sheet">
${kept.map((note) => noteRow(note, own.includes(note), options))}</ul>
`
  return html`<section class="notes" aria-labelledby="notes">
<h2 id="notes">Notes</h2>
${alertOf(problem)}${kept.length === 0 ? '' : list}<label class="unseen" for="words">New note</label>
<textarea id="words" name="words" rows="3" maxlength="${longestNote}"
  placeholder="What you agreed" required>${typed?.words ?? ''}</textarea>
<button type="submit" class="quiet">Save the note</button>
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
  const to = submitTo(leadId, 'change-note')
  const field = noteField(number)
  return html`<details${isTyped ? html` open` : ''}>
<summary>Edit</summary>
<label class="unseen" for="${field}">The note</label>
<textarea id="${field}" name="${field}" rows="3"
  maxlength="${longestNote}">${isTyped ? typed.changed : words}</textarea>
<p><button ${to}
  ${sends('change-note', number)} class="quiet">Save</button></p>
<details>
<summary>Remove …</summary>
<p>Remove this note? It cannot be brought back.</p>
<p><button ${to}
  ${sends('remove-note', number)} class="quiet danger">Remove the note</button></p>
</details>
</details>
`
}
