/** Leads as rows: who, where, what for, how long ago, by which door, and a button that calls. */
import { stateWords, movesFrom, type State } from '../../../contract/states.ts'
import { type LeadRow, type ViewName } from '../../../desk/views.ts'
import { dayMs } from '../../../time.ts'
import { html, type Html } from '../../../html.ts'
import { callLinks, replyLink } from '../../../lead/contact-links.ts'
import { placeFields, toTicked } from '../frame/done-bar.ts'
import { ageInWords, icon, inert, said } from '../frame/words.ts'
import { leadPath, listPath, paths, type ListPlace } from '../paths.ts'

export type RowsLook = {
  now: number
  /** The tab that a lead is opened from. */
  view: ViewName
  /** The row carries id and version of its lead, by which keyboard.js moves it. */
  canMove?: boolean
  /** Put before and after a row: a box to tick, buttons. */
  around?: (row: LeadRow) => { before: Html; after: Html }
}

/** The page also needs `iconSheet('call')`. */
export function leadRows(rows: readonly LeadRow[], look: RowsLook): Html {
  return html`<ul class="sheet leads">
${rows.map((row) => leadRow(row, look))}</ul>
`
}

function leadRow(row: LeadRow, { now, view, canMove = false, around }: RowsLook): Html {
  const { before, after } = around?.(row) ?? { before: html``, after: html`` }
  // Only tabs with leads in several states show the state.
  const state =
    view === 'all' || view === 'done'
      ? html`<span class="chip ${row.state}">${shortWord(row.state)}</span> `
      : ''
  const untold =
    row.told === 'failed' ? html`<span class="chip bad">no notice went out</span> ` : ''
  const place = row.place === '' ? '' : html`<b>${said(row.place)}</b> `
  const about = canMove ? html` data-lead="${toTicked(row)}"` : ''
  return html`<li class="lead"${about}>${before}<a class="open" href="${leadPath(row.id, view)}"><span class="who">${said(row.name || 'Erased')}</span>${age(row, now)}<span class="what">${state}${untold}${place}${said(row.firstLine)}</span>${doorMark(row)}</a>${contactButton(row)}${after}</li>
`
}

/** The name of a state on chips and buttons, short enough for a phone. */
function shortWord(state: State): string {
  if (state === 'consultation_booked') return 'booked'
  return state === 'withdrawn' ? state : stateWords[state]
}

const lateMs = dayMs

/** The age of a lead. A new lead is waiting, and is marked when it is late. */
function age({ state, receivedAt }: LeadRow, now: number): Html {
  const words = ageInWords(receivedAt, now)
  if (state !== 'new') return html`<span class="age">${words}</span>`
  const late = now - receivedAt >= lateMs ? ' late' : ''
  return html`<span class="age waits${late}"><span class="unseen">waiting </span>${words}</span>`
}

const shortDoors: Record<LeadRow['door'], string> = {
  form: 'form',
  json: 'program',
  mcp: 'agent',
  cli: 'command',
  webmcp: 'agent',
}

function doorMark({ door, agent }: LeadRow): Html {
  const isAgent = agent !== '' || door === 'mcp' || door === 'webmcp'
  if (!isAgent) return html`<span class="door">${shortDoors[door]}</span>`
  return html`<span class="door agent">agent</span>`
}

/** A button that calls, or mails if there is no phone number. None for withdrawn and erased leads. */
function contactButton({ name, phone, email, reference, state }: LeadRow): Html {
  if (state === 'withdrawn' || state === 'erased') return html`<span class="round none"></span>`
  const [call] = callLinks(phone)
  if (call === undefined) {
    return html`<a class="round quiet" href="${replyLink(email, reference)}" aria-label="Mail ${inert(name)}">@</a>`
  }
  const extension = call.extension && `, ext. ${call.extension}`
  return html`<a class="round" href="${call.href}" aria-label="Call ${inert(name)}${extension}">${icon('call')}</a>`
}

/** `isAllTicked`: the member has followed the link "Tick all". */
export type ListLook = { place: ListPlace; isAllTicked: boolean; now: number }

/** Rows of held requests or spam, each with its reasons and buttons, and buttons for the ticked rows. */
export function heldRows(
  rows: readonly LeadRow[],
  state: 'held' | 'spam',
  { place, isAllTicked, now }: ListLook,
): Html {
  const other = listPath(isAllTicked ? place : { ...place, tick: 'all' })
  const bulk = movesFrom(state, 'owner').map(
    (to) =>
      html`<button type="submit" name="to" value="${to}" class="quiet">${moveLabel(state, to)}</button>`,
  )
  return html`<form class="held" method="post" action="${paths.moves}">${placeFields(place)}
<p class="ticked"><a href="${other}">${isAllTicked ? 'Tick none' : 'Tick all'}</a> <span>Ticked:</span> ${bulk}</p>
${leadRows(rows, {
  now,
  view: place.view,
  around: (row) => ({ before: tick(row, isAllTicked), after: reasonsAndButtons(row, state) }),
})}</form>
`
}

function tick(row: LeadRow, isTicked: boolean): Html {
  return html`<label class="tick"><input type="checkbox" name="lead" value="${toTicked(row)}" aria-label="Tick ${inert(row.name)}"${isTicked ? html` checked` : ''}></label>`
}

function reasonsAndButtons(row: LeadRow, state: State): Html {
  const buttons = movesFrom(state, 'owner').map((to) => {
    const label = moveLabel(state, to)
    return html`<button type="submit" class="quiet" name="only" value="${to}.${toTicked(row)}" aria-label="${label}: ${inert(row.name)}">${label}</button>`
  })
  const why = row.whyHeld.length === 0 ? 'you marked it' : row.whyHeld.join('; ')
  return html`<div class="why"><p>${why}</p><p>${buttons}</p></div>`
}

const order: readonly State[] = ['new', 'contacted', 'consultation_booked']

/** Closed states rank after all open ones. */
const rank = (state: State) => (order.includes(state) ? order.indexOf(state) : order.length)

/** The text of the button for a move. */
export function moveLabel(from: State, to: State): string {
  if (from === 'held' && to === 'new') return 'Release'
  if (from === 'spam' && to === 'new') return 'Not spam'
  const isBack = order.includes(to) && rank(from) > rank(to)
  const word = shortWord(to)
  return isBack ? `Back to ${word}` : word[0]!.toUpperCase() + word.slice(1)
}
