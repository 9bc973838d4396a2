import { isOpen, longestNote } from '../../../desk/acts.ts'
import {
  mostOthersRead,
  noteOpened,
  readWholeLead,
  type WholeLead,
} from '../../../desk/whole-lead.ts'
import { searchLeads } from '../../../desk/search.ts'
import { listView, toRows, views } from '../../../desk/views.ts'
import { plural } from '../../../contract/limits.ts'
import { html, type Html } from '../../../html.ts'
import { type Answer } from '../../../http/message.ts'
import { stateWords, type Next, type State } from '../../../contract/states.ts'
import { addressIn, isOverdue, nextInWords, ringOffers, type Opening } from '../../../desk/plan.ts'
import { callLinks } from '../../../lead/contact-links.ts'
import { inWords, localTime, toTime24 } from '../../../time.ts'
import { alertOf, backLink, missing, showPage, showWhole } from '../frame/answers.ts'
import { actsForm, doneBar, placeFields, toTicked } from '../frame/done-bar.ts'
import {
  askedFields,
  unlessReadOnly,
  untilOf,
  type Inbox,
  type SentFields,
  type Visitor,
} from '../frame/inbox.ts'
import { ageInWords, capital, iconSheet, inert, said } from '../frame/words.ts'
import {
  isBack,
  isCalledOff,
  leadRows,
  moveLabel,
  rowsLook,
  shortWord,
  takenWords,
} from '../list/rows.ts'
import {
  actPath,
  leadIdIn,
  leadPath,
  listPath,
  readListPlace,
  rowId,
  visitPath,
  type LeadAct,
  type ListPlace,
} from '../paths.ts'
import { contactBar, hasNumberAbove, isJudged, leadFacts, leadOrigin, replyTexts } from './facts.ts'
import { leadStory, type When } from './story.ts'

export async function showLead(visitor: Visitor): Promise<Answer> {
  const { inbox, ask, member, typed } = visitor
  const id = leadIdIn(ask.path)
  const whole = ask.path === leadPath(id) ? await readLead(inbox, id) : undefined
  if (whole === undefined) return showPage(visitor, missing)
  // A page that a browser prefetches (`Sec-Purpose`) does not count as opened.
  if (!whole.isOpened && ask.method === 'GET' && ask.headers['sec-purpose'] === undefined) {
    const opened = { at: inbox.now(), by: member.id }
    await unlessReadOnly(noteOpened(inbox.leads, id, opened))
  }
  const place = readListPlace(askedFields(visitor))
  return showLeadPage(visitor, whole, { place, typed })
}

export type LeadLook = {
  place: ListPlace
  typed: SentFields | undefined
  status?: number
  /** Shown at the top of the page or, if `isVisit`, above the fields of the visit. */
  problem?: string
  isVisit?: boolean
  /** The doubtful visit that `problem` is about. The button "Book it all the same" saves it. */
  unsure?: Next | undefined
}

export async function showLeadPage(
  visitor: Visitor,
  whole: WholeLead,
  { place, typed, status = 200, problem = '', isVisit = false, unsure }: LeadLook,
): Promise<Answer> {
  const { inbox, member } = visitor
  const { business } = inbox
  const look = await rowsLook(visitor)
  const { now, nameOf } = look
  const { lead } = whole
  const when = (at: number) => inWords(at, business.timeZone, now)
  const goesOn = (typed ?? askedFields(visitor))('go') === 'next'
  const done = problem === '' ? await doneBar(visitor, { page: lead }) : ''
  const main = html`${await sideList(visitor, { id: lead.id, place, look })}${backLink(html`<a href="${listPath(place)}#${rowId(lead.id)}">${labelOf(place)}</a>`)}${isVisit ? '' : alertOf(problem)}<div class="whole">
${heading(whole, look)}${contactBar(whole, business.state)}<div class="told">
${whyHeldBox(whole)}${message(whole)}${replyTexts(whole, business.replies ?? [])}${leadFacts(whole, when)}</div>
${acts(whole, { ...look, when, typed, unsure, visitProblem: isVisit ? problem : '', place, goesOn, opening: business, isMine: lead.takenBy === member.id, mailsVisits: !!inbox.tell['lead.visit']?.length })}<div class="past">
${others(whole, { ...look, place, openId: lead.id })}${leadStory(whole, when, nameOf)}${leadOrigin(whole)}${exportAndErase(whole)}</div>
</div>
${done}${iconSheet('call', 'text', 'mail', 'map', 'move')}`
  return showWhole(visitor, { status, title: `Request ${lead.reference}`, main })
}

function labelOf({ view, s }: ListPlace): string {
  return s === undefined ? views[view].label : 'Search'
}

/** Only wide screens show this list, left of the request. */
async function sideList(
  { inbox }: Visitor,
  { id, place, look }: { id: string; place: ListPlace; look: PageLook },
): Promise<Html> {
  const { leads: store, business, searchSeal } = inbox
  const { view, past, s } = place
  const { areas } = business
  const sought = s === undefined ? undefined : searchSeal.open(s)
  const page = { areas, past, until: untilOf(inbox), limit: mostBeside }
  const rows =
    sought === undefined
      ? (await listView(store, view, page)).rows
      : await toRows(
          store,
          (await searchLeads(store, sought, { areas, before: past })).leads,
          areas,
        )
  if (rows.length === 0) return html``
  return html`<aside class="side" aria-label="${labelOf(place)}">
${leadRows(rows, { ...look, place, openId: id })}</aside>
`
}

const mostBeside = 25

export function readLead({ leads, business }: Inbox, id: string): Promise<WholeLead | undefined> {
  return readWholeLead(leads, business.areas, id)
}

export function withLead(door: (visitor: Visitor, whole: WholeLead) => Promise<Answer>) {
  return async (visitor: Visitor): Promise<Answer> => {
    const { inbox, ask } = visitor
    const whole = await readLead(inbox, leadIdIn(ask.path))
    const isThere = whole !== undefined && whole.lead.state !== 'erased'
    return isThere ? door(visitor, whole) : showPage(visitor, missing)
  }
}

function heading(whole: WholeLead, look: PageLook): Html {
  const { lead, place, next, notes: kept, others: rows } = whole
  const { now, timeZone, nameOf } = look
  const age = html`<time data-since="${lead.receivedAt}">${ageInWords(lead.receivedAt, now)}</time>`
  const since = lead.state === 'new' ? html`waiting <b>${age}</b>` : html`came in ${age} ago`
  const name = lead.state === 'erased' ? html`Erased` : said(lead.values.name)
  const [call] = callLinks(lead.values.phone)
  const parts = [
    html`<span class="chip ${lead.state}">${shortWord(lead.state)}</span>`,
    ...(place === '' ? [] : [html`<b>${said(place)}</b>`]),
    html`<span>${since}</span>`,
    ...(lead.takenBy === undefined ? [] : [html`<span>${takenWords(nameOf(lead.takenBy))}</span>`]),
    ...(rows.length === 0 ? [] : [html`<a href="#others">wrote ${timesMore(rows.length)}</a>`]),
    ...(kept.length === 0 ? [] : [html`<a href="#notes">${plural(kept.length, 'note')}</a>`]),
  ]
  const isOff = isCalledOff(lead)
  const late = isOff || (next && isOverdue(next, now)) ? ' late' : ''
  const seen = html`<button ${submitTo(lead.id, 'plan')} form="${actsForm}" name="plan" value="seen" class="quiet">Seen</button>`
  const date =
    next &&
    html`<p class="date${late}"><span>${isOff ? html`Called off. ` : ''}${nextInWords(next, now, timeZone)}${next.what === 'visit' && lead.visitPlace ? html`<br>${said(lead.visitPlace)}` : ''}</span>${isOff ? seen : ''}</p>
`
  const number = html`<p class="number"><a href="${call?.href ?? ''}">${said(lead.values.phone)}</a></p>
`
  return html`<header><h1>${name}</h1>
${hasNumberAbove(lead) ? number : ''}<p class="under">${parts.map((part) => html`${part} `)}</p>
${date ?? ''}</header>
`
}

function timesMore(count: number): string {
  return count === 1 ? 'once more' : count >= mostOthersRead ? 'many times' : `${count} times more`
}

function whyHeldBox({ lead, whyHeld }: WholeLead): Html {
  if (lead.state !== 'held') return html``
  return html`<p class="why"><strong>Held, because</strong> ${whyHeld.join('; ') || 'it looked like spam'}. You were not told of it. Release makes it a new request and tells you of it. Spam puts it aside.</p>
`
}

function message({ lead }: WholeLead): Html {
  if (lead.state === 'erased') {
    return html`<p class="empty">What was sent is erased, for good. What happened to it stays.</p>
`
  }
  if (lead.values.message === '') {
    return html`<p class="empty">No message was sent, only the details below.</p>
`
  }
  const [start, rest] = foldText(inert(lead.values.message))
  const folded = html`<details class="rest"><summary>The rest of the message</summary><p class="said message" dir="auto">${rest}</p></details>
`
  return html`<h2 class="unseen">Message</h2>
<p class="said message" dir="auto">${start}</p>
${rest === '' ? '' : folded}`
}

/** The rest of a long message is folded, so that the buttons below need little scrolling. */
const longestShown = 1_200

function foldText(text: string): [start: string, rest: string] {
  if (text.length <= longestShown) return [text, '']
  const blank = text.lastIndexOf(' ', longestShown)
  const at = blank > longestShown / 2 ? blank : longestShown
  return [`${text.slice(0, at)} …`, text.slice(at).trimStart()]
}

type PageLook = Awaited<ReturnType<typeof rowsLook>>

type ActsLook = PageLook & {
  when: When
  typed: SentFields | undefined
  unsure: Next | undefined
  visitProblem: string
  place: ListPlace
  opening: Opening
  /** Whether the box "Then open the next request" is ticked. */
  goesOn: boolean
  isMine: boolean
  mailsVisits: boolean
}

/**
 * Moves, dates and notes share one form, so that no button loses a typed note. Browsers press the
 * first button of a form on Enter. That button is disabled and hidden, so that Enter does nothing.
 */
function acts(whole: WholeLead, look: ActsLook): Html {
  const { id, version, state } = whole.lead
  if (state === 'erased') return html``
  return html`<form class="acts" id="${actsForm}" method="post" action="${actPath(id, 'note')}"><input type="hidden" name="version" value="${version}">${placeFields(look.place)}${look.unsure ? html`<input type="hidden" name="sure" value="${look.unsure.at}">` : ''}<button type="submit" disabled hidden></button>
${moveButtons(whole, look)}${dates(whole, look)}${notes(whole, look)}</form>
`
}

/** Saves a doubtful visit as it was typed. If the member changes day or hour first, `sure` no longer matches, and he is asked again. */
function sureButton(id: string): Html {
  return html`<p><button ${submitTo(id, 'move')} name="book" value="visit" class="quiet">Book it all the same</button></p>
`
}

const submitTo = (id: string, act: LeadAct) =>
  html`type="submit" formaction="${actPath(id, act)}" formnovalidate`

/** Moves back look like links, so that nobody moves a request back by mistake. */
function moveButtons(whole: WholeLead, look: ActsLook): Html {
  const { lead, moves, next, undoTo } = whole
  const { isMine, goesOn, mailsVisits } = look
  if (moves.length === 0 && undoTo === undefined) return html``
  const { id, state } = lead
  const to = (act: LeadAct) => submitTo(id, act)
  // Before the visit no move is the likely one.
  const isAhead = next?.what === 'visit' && !isOverdue(next, look.now)
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
  const noAnswer =
    isOpen(lead) && callLinks(lead.values.phone).length > 0
      ? html`<li><button ${to('plan')} name="plan" value="tried">No answer</button></li>
`
      : ''
  const quiet = [
    ...(undoTo === undefined
      ? []
      : [
          html`<button ${to('undo')} class="plain undo">Undo (${undoTo === state ? 'the last change' : `back to ${stateWords[undoTo]}`})</button>`,
        ]),
    ...moves
      .filter((move) => !isForward(move) && move !== undoTo)
      .map(
        (move) =>
          html`<button ${to('move')} name="to" value="${move}" class="plain">${next?.what === 'visit' && move === 'contacted' ? callOff : moveLabel(state, move)}</button>`,
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
${withOthers(whole)}<label class="go"><input type="checkbox" name="go" value="next"${goesOn ? html` checked` : ''}>Then open the next request</label>
`
}${
    quiet.length === 0
      ? ''
      : html`<p class="slips">${quiet.map((each) => html`${each} `)}</p>
`
  }</section>
`
}

/**
 * A box for the other open requests of the person that have no visit, because one call is enough for all
 * of them. It names other people, because anybody can type a phone number.
 */
function withOthers({ lead, others: rows }: WholeLead): Html {
  const open = rows.filter((row) => isOpen(row) && row.state !== 'consultation_booked')
  if (!isOpen(lead) || open.length === 0) return html``
  const those = open.length === 1 ? 'other open request' : `${open.length} other open requests`
  const names = [...new Set(open.map(({ name }) => name))].filter(
    (name) => name !== lead.values.name,
  )
  const of = names.length === 0 ? '' : html` (${said(names.join(', '))})`
  return html`<label class="go"><input type="checkbox" name="with" value="${open.map(toTicked).join(' ')}">Also the ${those}${of}</label>
`
}

function dates({ lead, next, place: area }: WholeLead, look: ActsLook): Html {
  const { now, opening, typed, mailsVisits, unsure, visitProblem } = look
  if (!isOpen(lead)) return html``
  const { id } = lead
  const { timeZone } = opening
  const offers = ringOffers(now, opening).map(
    ({ label, at }) =>
      html`<button ${submitTo(id, 'plan')} name="ring" value="${at}" class="quiet">${label}</button>`,
  )
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
  // Ringing again is not offered while a visit lies ahead, because a lead has one date, and would lose the visit.
  const ring =
    visit && !isOverdue(visit, now)
      ? html``
      : html`<h2 id="when">Ring again</h2>
<p class="offers">${offers}</p>
<details><summary>Pick a day</summary>
<p class="pick"><label>Day <input type="date" name="ring-day" value="${typed?.('ring-day') ?? ''}"></label><label>Hour <input type="time" name="ring-time" step="900" value="${typed?.('ring-time') ?? ''}"></label><button ${submitTo(id, 'plan')} name="plan" value="ring" class="quiet">Ring then</button></p></details>
`
  const remove = html`<p><button ${submitTo(id, 'plan')} name="plan" value="none" class="plain">Remove the date</button></p>
`
  return html`<section class="dates" aria-label="Dates">
${ring}<details id="visit"${isAsked || visitProblem || day || time ? html` open` : ''}><summary>${visit ? 'The visit' : isAsked ? 'Which day and hour?' : 'Book a visit'}</summary>
${alertOf(visitProblem)}${unsure ? sureButton(id) : ''}<p class="pick"><label>Day <input type="date" name="day" value="${day}"${visitProblem ? html` autofocus` : ''}></label><label>Hour <input type="time" name="time" step="900" value="${time}"></label></p>
<label>Place <input type="text" name="place" maxlength="300" autocomplete="off" value="${place}" placeholder="Street and town"></label>
<label class="choice"><input type="checkbox" name="shown" value="1"${isShown ? html` checked` : ''}><span>Show day and hour on the sender's receipt${mailsVisits ? ', and mail them to the sender' : ''}</span></label>
<p class="pair">${button}${calendar}</p></details>
${next?.what === 'ring' ? remove : ''}
</section>
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

function others({ others: rows }: WholeLead, look: Parameters<typeof leadRows>[1]): Html {
  if (rows.length === 0) return html``
  const list = (some: typeof rows) => leadRows(some, look)
  const more = rows.slice(mostOthers)
  const folded = html`<details><summary>${more.length} more</summary>${list(more)}</details>
`
  return html`<section aria-labelledby="others">
<h2 id="others">Same email or phone</h2>
${list(rows.slice(0, mostOthers))}${more.length === 0 ? '' : folded}</section>
`
}

const mostOthers = 3

function exportAndErase({ lead }: WholeLead): Html {
  if (lead.state === 'erased') return html``
  return html`<p class="pair"><a class="button quiet" href="${actPath(lead.id, 'export')}">Export this person</a><a class="button quiet danger" href="${actPath(lead.id, 'erase')}">Erase for good …</a></p>
`
}
