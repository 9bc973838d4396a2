/** Draws the tabs Held and Spam, whose rows can be ticked and have buttons. */
import { capital } from '../../../words.ts'
import { movesFrom, type State } from '../../../contract/states.ts'
import { type LeadRow } from '../../../desk/views.ts'
import { moveLabel } from '../../../desk/words.ts'
import { html, type Html, noHtml } from '../../../html.ts'
import { toTicked } from '../act-fields.ts'
import { placeFields } from '../frame/done-bar.ts'
import { leadRows, type RowsOptions } from '../frame/rows.ts'
import { withoutControls } from '../frame/words.ts'
import { listPath, paths } from '../paths.ts'
import { allowButton } from './blocked.ts'

export type HeldState = 'held' | 'spam'

export type HeldOptions = RowsOptions & {
  isAllTicked: boolean
  /** Whether the sender is blocked. */
  isBlocked: (row: LeadRow) => boolean
}

/** For fewer rows, their own buttons are enough. */
const fewestToTick = 3

export function heldRows(
  rows: readonly LeadRow[],
  state: HeldState,
  { isAllTicked, isBlocked, ...options }: HeldOptions,
): Html {
  const { place } = options
  const other = listPath(isAllTicked ? place : { ...place, tick: 'all' })
  const hasTicks = rows.length >= fewestToTick
  const around = (row: LeadRow) => ({
    before: hasTicks ? tickBox(row, isAllTicked) : noHtml,
    after: reasonsAndButtons(row, state, isBlocked(row)),
  })
  const bar = html`<p class="ticked">
<a href="${other}">${isAllTicked ? 'Tick none' : 'Tick all'}</a>
<span>Ticked:</span>
${movesFrom[state].map((to) => tickedButton(state, to))}</p>
`
  return html`<p class="small soft">${whatPressingDoes[state]}</p>
<form class="held" method="post" action="${paths.moves}">
${placeFields(place)}
${hasTicks ? bar : ''}${leadRows(rows, { ...options, around })}</form>
`
}

const whatPressingDoes: Record<HeldState, string> = {
  held: 'Held: these look like spam. You got no notice of them. Release makes one a new request; Spam puts it aside.',
  spam: 'You put these aside, which blocked their senders. Not spam makes one a new request and allows its sender; Allow again allows the sender only.',
}

function tickedButton(state: HeldState, to: State): Html {
  return html`<button type="submit" class="quiet" name="to" value="${to}">${moveLabel(state, to)}</button>
`
}

function tickBox(row: LeadRow, isTicked: boolean): Html {
  const checked = isTicked ? html` checked` : ''
  return html`<label class="tick">
<input type="checkbox" name="lead" value="${toTicked(row)}"
  aria-label="Tick ${withoutControls(row.name)}"${checked}>
</label>
`
}

function reasonsAndButtons(row: LeadRow, state: HeldState, isBlocked: boolean): Html {
  const why = row.whyHeld.join('; ') || 'you marked it as spam'
  return html`<div class="why">
<p>${capital(why)}.</p>
<p>
${movesFrom[state].map((to) => moveOne(row, state, to))}${isBlocked && state === 'spam' ? allowButton(row.id, row.name) : ''}</p>
</div>
`
}

function moveOne(row: LeadRow, state: HeldState, to: State): Html {
  const label = moveLabel(state, to)
  return html`<button type="submit" class="quiet" name="only" value="${to}.${toTicked(row)}"
  aria-label="${label}: ${withoutControls(row.name)}">${label}</button>
`
}
