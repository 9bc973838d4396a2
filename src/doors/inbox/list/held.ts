/** Draws the tabs Held and Spam, whose rows have buttons. */
import { capital } from '../../../words.ts'
import { movesFrom, type State } from '../../../contract/states.ts'
import { type LeadRow } from '../../../desk/views.ts'
import { moveLabel } from '../../../desk/words.ts'
import { html, type Html, noHtml } from '../../../html.ts'
import { writeOnPage } from '../act-fields.ts'
import { placeFields } from '../frame/done-bar.ts'
import { leadRows, type RowsOptions } from '../frame/rows.ts'
import { withoutControls } from '../frame/words.ts'
import { paths } from '../paths.ts'

export type HeldState = 'held' | 'spam'

export function heldRows(rows: readonly LeadRow[], state: HeldState, options: RowsOptions): Html {
  const after = (row: LeadRow) => reasonAndButtons(row, state)
  return html`<p class="small soft">${whatPressingDoes[state]}</p>
<form class="held" method="post" action="${paths.moves}">
${placeFields(options.place)}
${leadRows(rows, { ...options, after })}${state === 'held' ? allAreSpam(rows) : ''}</form>
`
}

const whatPressingDoes: Record<HeldState, string> = {
  held: 'These look like spam. You got no notice of them. Release makes one a new request; Spam puts it aside.',
  spam: 'You put these aside, which blocked their senders. Not spam makes one a new request and allows its sender.',
}

/** Whoever has released what is real can put all others aside at once. */
function allAreSpam(rows: readonly LeadRow[]): Html {
  if (rows.length < 2) return noHtml
  const each = rows.map(
    (row) => html`<input type="hidden" name="lead" value="${writeOnPage(row)}">
`,
  )
  return html`${each}<p class="all">
<button type="submit" class="quiet" name="to" value="spam">All ${rows.length} are spam</button>
</p>
`
}

function reasonAndButtons(row: LeadRow, state: HeldState): Html {
  const why = row.whyHeld.join('; ') || 'you marked it as spam'
  return html`<div class="why">
<p>${capital(why)}.</p>
<p>
${movesFrom[state].map((to) => moveOne(row, state, to))}</p>
</div>
`
}

function moveOne(row: LeadRow, state: HeldState, to: State): Html {
  const label = moveLabel(state, to)
  return html`<button type="submit" class="quiet" name="only" value="${to}.${writeOnPage(row)}"
  aria-label="${label}: ${withoutControls(row.values.name)}">${label}</button>
`
}
