/** The moves that are legal now, as buttons: each alone, or going on to the next lead. */
import type { State } from '../../contract/states.ts'
import type { ViewName } from '../../desk/views.ts'
import type { WholeLead } from '../../desk/whole-lead.ts'
import { html } from '../../html.ts'
import type { Html } from '../../html.ts'
import { stateWords } from '../../lead/state-words.ts'
import { actPath } from './paths.ts'

export function leadMoves({ lead, moves, undoTo }: WholeLead, view: ViewName): Html {
  const { id, eventHead, state } = lead
  const about = html`<input type="hidden" name="head" value="${eventHead}"><input type="hidden" name="view" value="${view}">`
  const rows = moves.map((to) => {
    const label = moveLabel(state, to)
    return html`<li class="split"><button type="submit" name="to" value="${to}">${label}</button><button type="submit" name="next" value="${to}" aria-label="${label}, and next">and next</button></li>
`
  })
  const move =
    rows.length === 0
      ? ''
      : html`<form method="post" action="${actPath(id, 'move')}">${about}<ul class="moves">
${rows}</ul></form>
`
  const undo =
    undoTo === undefined
      ? ''
      : html`<form method="post" action="${actPath(id, 'undo')}">${about}<button type="submit" class="quiet">Undo: ${stateWords[undoTo]} again</button></form>
`
  if (move === '' && undo === '') return html``
  return html`<section class="next" aria-labelledby="next">
<h2 id="next">Move it on</h2>
${move}${undo}</section>
`
}

const labels: Record<State, string> = {
  new: 'New',
  contacted: 'Contacted',
  consultation_booked: 'Booked',
  won: 'Won',
  lost: 'Lost',
  not_suitable: 'Not suitable',
  held: 'Held',
  spam: 'Spam',
  withdrawn: 'Withdrawn',
  erased: 'Erased',
}

const order: readonly State[] = ['new', 'contacted', 'consultation_booked']

/** Past the last of them for every state that ends it. */
const rank = (state: State) => (order.includes(state) ? order.indexOf(state) : order.length)

export function moveLabel(from: State, to: State): string {
  if (from === 'held' && to === 'new') return 'Release'
  if (from === 'spam' && to === 'new') return 'Not spam'
  const isBack = order.includes(to) && rank(from) > rank(to)
  return isBack ? `Back to ${labels[to].toLowerCase()}` : labels[to]
}
