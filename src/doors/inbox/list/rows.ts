/** Draws the rows of a list of leads. */
import { openStates, movesFrom, type Next, type State } from '../../../contract/states.ts'
import { type LeadRow } from '../../../desk/views.ts'
import { dayAndHour, isOverdue, shortDate } from '../../../desk/plan.ts'
import { canReach, isCalledOff } from '../../../desk/row.ts'
import { capital, createNameOf, moveLabel, shortWord, takenWords } from '../../../desk/words.ts'
import { plural } from '../../../contract/limits.ts'
import { dayMs, daysSince } from '../../../time.ts'
import { html, type Html } from '../../../html.ts'
import { callLinks, replyLink } from '../../../lead/contact-links.ts'
import { toTicked } from '../act-fields.ts'
import { placeFields } from '../frame/done-bar.ts'
import { type Visitor } from '../frame/inbox.ts'
import { ageInWords, icon, inert, said } from '../frame/words.ts'
import { untouchedDays } from '../../../store/leads/views.ts'
import { actPath, leadPath, listPath, paths, rowId, type ListPlace } from '../paths.ts'

export type RowsLook = {
  now: number
  timeZone: string
  place: ListPlace
  nameOf: (memberId: string) => string
  /** The id of the open lead, if the rows are shown on its page. */
  openId?: string
  /** The id of the newest lead that the member has seen. Newer rows are marked. */
  since?: string
  /** Adds the id and the version of each lead, which keyboard.js needs to move it. */
  canMove?: boolean
  around?: (row: LeadRow) => { before: Html; after: Html }
}

export async function rowsLook({ inbox, member }: Visitor) {
  const { access, business, now } = inbox
  const nameOf = createNameOf(await access.store.listMembers(), member)
  return { now: now(), timeZone: business.timeZone, nameOf }
}

/** A page with these rows also needs `iconSheet('call')`. */
export function leadRows(rows: readonly LeadRow[], look: RowsLook): Html {
  const groups = [...Map.groupBy(rows, (row) => headingOf(row, look))]
  return html`${groups.map(([heading, some]) => {
    // The only group needs no heading if it has no dates.
    const isOnly = groups.length === 1 && some[0]!.next === undefined
    return html`${heading === '' || isOnly ? '' : html`<h2 class="day">${heading}</h2>`}<ul class="sheet leads">
${some.map((row) => leadRow(row, look))}</ul>
`
  })}`
}

function headingOf({ next, state }: LeadRow, { now, timeZone, place: { view } }: RowsLook): string {
  const isToday = view === 'today'
  if (!isToday && !isByDay(view)) return ''
  if (next === undefined && !isToday) return 'No day yet'
  if (next === undefined) return state === 'new' ? 'New, longest wait first' : forgottenHeading
  const [day] = dayAndHour(next.at, now, timeZone)
  if (day !== 'today' && isOverdue(next, now)) return 'Overdue'
  return isToday ? 'Due today' : capital(day)
}

const forgottenHeading = 'No date, longest wait first'

function isByDay(view: ListPlace['view']): boolean {
  return view === 'contacted' || view === 'booked'
}

function leadRow(row: LeadRow, look: RowsLook): Html {
  const { place, canMove = false, around, openId, since } = look
  // The link from a request back to the list leads to this id.
  const anchor = openId === undefined ? html` id="${rowId(row.id)}"` : ''
  const isOpen = row.id === openId ? html` aria-current="page"` : ''
  const { before, after } = around?.(row) ?? { before: html``, after: html`` }
  const about = canMove ? html` data-lead="${toTicked(row)}"` : ''
  const message = row.start === '' ? html`<i>No message</i>` : said(row.start)
  const isSame = row.above === undefined ? '' : ' same'
  const isFresh = since && row.id > since ? ' fresh' : ''
  return html`<li class="lead${isSame}${isFresh}"${anchor}${about}>${before}<a class="open" href="${leadPath(row.id, place)}"${isOpen}><span class="who">${said(row.name || 'Erased')}</span>${dateOrAge(row, look)}<span class="what">${message}</span><span class="more">${marks(row, look)}</span><span class="paper">${said(row.phone || row.email)}</span></a>${isCalledOff(row) && !openId ? seenButton(row, place) : contactButton(row)}${after}</li>
`
}

function seenButton({ id, name }: LeadRow, place: ListPlace): Html {
  return html`<form class="seen" method="post" action="${actPath(id, 'plan')}">${placeFields(place)}<button type="submit" class="quiet" name="plan" value="seen" aria-label="Seen: ${inert(name)}">Seen</button></form>`
}

function marks(row: LeadRow, { place: { view }, nameOf }: RowsLook): Html[] {
  const isMixed = view === 'all' || view === 'done' || view === 'today'
  const state = isMixed && row.state !== 'new' ? shortWord(row.state) : ''
  const where = row.next?.what === 'visit' && row.visitPlace ? row.visitPlace : row.place
  const parts = [
    row.told === 'failed' ? html`<span class="chip bad">no notice went out</span>` : html``,
    state === '' ? html`` : html`<span class="chip ${row.state}">${state}</span>`,
    where === '' ? html`` : html`<b>${said(where)}</b>`,
    row.takenBy === undefined ? html`` : said(takenWords(nameOf(row.takenBy))),
    html`${doorWord(row)}`,
    row.nth > 1 ? html`${ordinal(row.nth)} request` : html``,
    row.wroteAgain ? html`wrote again` : html``,
    row.tries === 0 ? html`` : html`rang ${row.tries === 1 ? 'once' : `${row.tries} times`}`,
    row.hasNote ? html`note` : html``,
  ].filter(({ text }) => text !== '')
  return parts.map((part, index) => (index === 0 ? part : html` · ${part}`))
}

function ordinal(n: number): string {
  const ending = { one: 'st', two: 'nd', few: 'rd' } as Record<string, string>
  return `${n}${ending[ordinals.select(n)] ?? 'th'}`
}

const ordinals = new Intl.PluralRules('en', { type: 'ordinal' })

const lateMs = dayMs

function dateOrAge(row: LeadRow, look: RowsLook): Html {
  const { state, receivedAt, next } = row
  const { now } = look
  if (next !== undefined) {
    const [isOff, date] = [isCalledOff(row), shortDateIn(look, next)]
    const late = isOff || isOverdue(next, now) ? ' late' : ''
    return html`<span class="age dated waits${late}">${isOff ? `called off: ${date.replace('visit ', '')}` : date}</span>`
  }
  const untouched = daysSince(row.touchedAt, look.timeZone, now)
  if (untouched >= untouchedDays && state !== 'new' && openStates.includes(state)) {
    return html`<span class="age waits late">no date for ${plural(untouched, 'day')}</span>`
  }
  if (state === 'consultation_booked' && look.place.view !== 'booked') {
    return html`<span class="age waits late">no day yet</span>`
  }
  const words = html`<time data-since="${receivedAt}">${ageInWords(receivedAt, now)}</time>`
  if (state !== 'new') return html`<span class="age">${words}</span>`
  const late = now - receivedAt >= lateMs ? ' late' : ''
  return html`<span class="age waits${late}"><span class="unseen">waiting </span>${words}</span>`
}

/** Below the heading of its day a date is short: "3 pm" for a visit, "ring 4 pm" for a call. */
function shortDateIn({ place, now, timeZone }: RowsLook, next: Next): string {
  const [day, hour] = dayAndHour(next.at, now, timeZone)
  const isBelowDay = isByDay(place.view) && (day === 'today' || !isOverdue(next, now))
  if (!isBelowDay) return shortDate(next, now, timeZone)
  return next.what === 'ring' ? `ring ${hour}` : hour
}

const shortDoors: Record<LeadRow['door'], string> = {
  form: '',
  json: 'by a program',
  mcp: 'by an agent',
  cli: 'by command',
  webmcp: 'by an agent',
}

function doorWord({ door, agent }: LeadRow): string {
  return agent === '' ? shortDoors[door] : 'by an agent'
}

function contactButton(row: LeadRow): Html {
  const { name, phone, email, reference, state, above } = row
  // The first row of the same person (`above`) has the button already.
  const isRepeated = above !== undefined && canReach(above) && above.phone === phone
  if (!canReach(row) || isRepeated) return html`<span class="round none"></span>`
  const [call] = callLinks(phone)
  if (call === undefined) {
    return html`<a class="round quiet" href="${replyLink(email, reference)}" aria-label="Mail ${inert(name)}">@</a>`
  }
  const extension = call.extension && `, ext. ${call.extension}`
  const quiet = openStates.includes(state) ? '' : ' quiet'
  return html`<a class="round${quiet}" href="${call.href}" aria-label="Call ${inert(name)}${extension}">${icon('call')}</a>`
}

export type ListLook = RowsLook & { isAllTicked: boolean }

export function heldRows(rows: readonly LeadRow[], state: 'held' | 'spam', look: ListLook): Html {
  const { place, isAllTicked } = look
  const other = listPath(isAllTicked ? place : { ...place, tick: 'all' })
  const bulk = movesFrom[state].map(
    (to) =>
      html`<button type="submit" name="to" value="${to}" class="quiet">${moveLabel(state, to)}</button>`,
  )
  return html`<p class="small soft">${whatPressingDoes[state]}</p>
<form class="held" method="post" action="${paths.moves}">${placeFields(place)}
<p class="ticked"><a href="${other}">${isAllTicked ? 'Tick none' : 'Tick all'}</a> <span>Ticked:</span> ${bulk}</p>
${leadRows(rows, {
  ...look,
  around: (row) => ({ before: tick(row, isAllTicked), after: reasonsAndButtons(row, state) }),
})}</form>
`
}

const whatPressingDoes = {
  held: 'You were not told of these. Release makes one a new request; Spam puts it aside.',
  spam: 'You put these aside. Not spam makes one a new request again.',
}

function tick(row: LeadRow, isTicked: boolean): Html {
  return html`<label class="tick"><input type="checkbox" name="lead" value="${toTicked(row)}" aria-label="Tick ${inert(row.name)}"${isTicked ? html` checked` : ''}></label>`
}

function reasonsAndButtons(row: LeadRow, state: State): Html {
  const buttons = movesFrom[state].map((to) => {
    const label = moveLabel(state, to)
    return html`<button type="submit" class="quiet" name="only" value="${to}.${toTicked(row)}" aria-label="${label}: ${inert(row.name)}">${label}</button>`
  })
  const why = row.whyHeld.join('; ') || 'you marked it as spam'
  return html`<div class="why"><p>${capital(why)}.</p><p>${buttons}</p></div>`
}
