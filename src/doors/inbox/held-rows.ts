/**
 * The rows of held requests and of spam: why each was held, and buttons for one and for those that
 * are ticked. It is one form; a button of a row sends it to another address.
 */
import type { State } from '../../contract/states.ts'
import { movesFrom } from '../../contract/states.ts'
import type { LeadRow } from '../../desk/rows.ts'
import { html } from '../../html.ts'
import type { Html } from '../../html.ts'
import { backFields, toTicked } from './done-bar.ts'
import { moveLabel } from './lead-moves.ts'
import { leadRows } from './lead-rows.ts'
import { actPath, listPath, paths } from './paths.ts'
import type { ListPlace } from './paths.ts'
import { inert } from './said.ts'

export type HeldLook = {
  state: 'held' | 'spam'
  place: ListPlace
  isAllTicked: boolean
  now: number
}

export function heldRows(rows: readonly LeadRow[], look: HeldLook): Html {
  const { state, place, isAllTicked, now } = look
  const all = listPath(place)
  const tickAll = isAllTicked ? all : `${all}&tick=all`
  const bulk = movesFrom(state, 'owner').map(
    (to) =>
      html`<button type="submit" name="to" value="${to}" class="quiet">${moveLabel(state, to)}</button>`,
  )
  return html`<form class="held" method="post" action="${paths.moves}">${backFields(place)}
<p class="ticked"><a href="${tickAll}">${isAllTicked ? 'Tick none' : 'Tick all'}</a> <span>Ticked:</span> ${bulk}</p>
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

function reasonsAndButtons({ id, version, name, whyHeld }: LeadRow, state: State): Html {
  const buttons = movesFrom(state, 'owner').map((to) => {
    const label = moveLabel(state, to)
    const path = actPath(id, to === 'spam' ? 'spam' : 'release')
    return html`<button type="submit" class="quiet" formaction="${path}" name="version" value="${version}" aria-label="${label}: ${inert(name)}">${label}</button>`
  })
  const why = whyHeld.length === 0 ? 'you marked it' : whyHeld.join('; ')
  return html`<div class="why"><p>${why}</p><p>${buttons}</p></div>`
}
