/** Draws rows of leads: of a tab, of a search, and beside an open request. */
import {
  groupRows,
  type RowMark,
  type RowButton,
  type RowGroup,
  type ShownRow,
  type When,
} from '../../../desk/row.ts'
import { groupByDays } from '../../../desk/days.ts'
import { type LeadRow } from '../../../desk/views.ts'
import { createNameOf, type NameOf } from '../../../desk/words.ts'
import { html, type Html, noHtml } from '../../../html.ts'
import { type Hours } from '../../../time.ts'
import { startOf } from '../../../words.ts'
import { actPath, leadPath, rowId, type ListPlace } from '../paths.ts'
import { writeOnPage } from '../act-fields.ts'
import { placeFields } from './done-bar.ts'
import { type SignedInCaller } from './inbox.ts'
import { ageInWords, icon, withoutControls, said } from './words.ts'

export type RowsOptions = {
  now: number
  timeZone: string
  place: ListPlace
  nameOf: NameOf
  /** The id of the open lead, if the rows are shown on its page. */
  openId?: string
  /** The id of the newest lead that the member has seen. Newer rows are marked. */
  since?: string
  /** Adds the id and the version of each lead, which keyboard.js needs to move it. */
  canMove?: boolean
  /** The opening hours, if the rows stand below the days of two weeks, with those that are free. */
  freeDays?: readonly Hours[] | undefined
  /** What stands after the link of a row. */
  after?: (row: LeadRow) => Html
}

export async function rowsOptions({ inbox, member }: SignedInCaller) {
  const { access, business, now } = inbox
  const members = await access.store.listMembers()
  const nameOf = createNameOf(members, member)
  const hasColleagues = members.length > 1
  return { now: now(), timeZone: business.timeZone, nameOf, hasColleagues }
}

/** A page with these rows also needs `iconSheet('call')`. */
export function leadRows(rows: readonly LeadRow[], options: RowsOptions): Html {
  const { place, since } = options
  const shown = { ...options, view: place.view, seen: since }
  const { freeDays } = options
  const groups = freeDays ? groupByDays(rows, shown, freeDays) : groupRows(rows, shown)
  return html`${groups.map((group) => rowGroup(group, options))}`
}

function rowGroup({ heading, rows, without }: RowGroup, options: RowsOptions): Html {
  const words = without === undefined ? heading : `${heading}, ${without}`
  if (without !== undefined && rows.length === 0) {
    return html`<p class="day ${without}">${words}</p>
`
  }
  const above = html`<h2 class="day">${words}</h2>
`
  return html`${heading === '' ? '' : above}<ul class="sheet leads">
${rows.map((shown) => leadRow(shown, options))}</ul>
`
}

function leadRow(shown: ShownRow, options: RowsOptions): Html {
  const { row } = shown
  const { place, openId, after } = options
  const current = row.id === openId ? html` aria-current="page"` : ''
  return html`<li ${rowAttributes(shown, options)}>
<a class="open" href="${leadPath(row.id, place)}"${current}>
<span class="who">${said(shown.name)}</span>
${whenWords(shown.when, options)}
<span class="what">${shown.message === '' ? html`<i>No message</i>` : said(shown.message)}</span>
${smallPrint(shown)}<span class="paper">${said(row.values.phone || row.values.email)}</span>
${row.joinedMessages.map((words) => html`<span class="paper">Also: ${said(startOf(words))}</span>`)}
${row.notes === '' ? '' : html`<span class="paper">Note: ${said(row.notes)}</span>`}
</a>
${contactButton(shown, options)}${after?.(row) ?? ''}</li>
`
}

function rowAttributes({ row, isSamePerson, isFresh }: ShownRow, options: RowsOptions): Html {
  const { openId, canMove = false } = options
  const names = ['lead', isSamePerson && 'same', isFresh && 'fresh'].filter(Boolean)
  // The link from a request back to the list leads to this id.
  const id = openId === undefined ? html` id="${rowId(row.id)}"` : ''
  const version = canMove ? html` data-lead="${writeOnPage(row)}"` : ''
  return html`class="${names.join(' ')}"${id}${version}`
}

/** The small print is one line on a phone. At a desk each part has its own column. */
function smallPrint({ where, marks }: ShownRow): Html {
  if (where === '' && marks.length === 0) return noHtml
  const place = html`<span class="where">${said(where)}</span>`
  const words = html`<span class="more">${joinedMarks(marks)}</span>`
  const between = where === '' || marks.length === 0 ? '' : html`<i class="dash"> · </i>`
  return html`<span class="fine">${where === '' ? '' : place}${between}${marks.length === 0 ? '' : words}</span>
`
}

function whenWords(when: When, { now }: RowsOptions): Html {
  const names = [
    'age',
    when.kind === 'date' && 'dated',
    when.isWaiting && 'waits',
    when.isLate && 'late',
  ].filter(Boolean)
  return html`<span class="${names.join(' ')}">${whenText(when, now)}</span>`
}

function whenText(when: When, now: number): Html {
  if (when.kind !== 'age') return html`${when.words}`
  const age = html`<time data-since="${when.since}">${ageInWords(when.since, now)}</time>`
  if (!when.isWaiting) return age
  return html`<span${when.isLate ? '' : html` class="unseen"`}>waiting </span>${age}`
}

function joinedMarks(all: readonly RowMark[]): Html[] {
  return all.map((mark, index) => html`${index === 0 ? '' : ' · '}${markWords(mark)}`)
}

function markWords(mark: RowMark): Html {
  switch (mark.kind) {
    case 'warning':
      return html`<span class="chip bad">${mark.words}</span>`
    case 'state':
      return html`<span class="chip ${mark.state}">${mark.words}</span>`
    case 'person':
      return said(mark.words)
    case 'plain':
      return html`${mark.words}`
  }
}

function contactButton({ row, button }: ShownRow, options: RowsOptions): Html {
  switch (button.kind) {
    case 'seen':
      // The page of the open request has a button of its own.
      return options.openId === undefined ? seenButton(row, options.place) : noButton
    case 'call':
      return callButton(row, button)
    case 'mail':
      return html`<a class="round quiet" href="${button.href}"
  aria-label="Email ${withoutControls(row.values.name)}">@</a>
`
    case 'none':
      return noButton
  }
}

function callButton({ values: { name } }: LeadRow, button: RowButton & { kind: 'call' }): Html {
  const extension = button.extension && `, ext. ${button.extension}`
  return html`<a class="round${button.isQuiet ? ' quiet' : ''}" href="${button.href}"
  aria-label="Call ${withoutControls(name)}${extension}">${icon('call')}</a>
`
}

/** Keeps the room of a button, so that the texts of all rows end at the same line. */
const noButton = html`<span class="round none"></span>
`

function seenButton({ id, values: { name } }: LeadRow, place: ListPlace): Html {
  return html`<form class="seen" method="post" action="${actPath(id, 'plan')}">
${placeFields(place)}
<button type="submit" class="quiet" name="plan" value="seen"
  aria-label="Seen: ${withoutControls(name)}">Seen</button>
</form>
`
}
