/** The moves that are legal now, as buttons: each alone, or going on to the next lead. */
import type { State } from '../../contract/states.ts'
import type { WholeLead } from '../../desk/whole-lead.ts'
import { html } from '../../html.ts'
import type { Html } from '../../html.ts'
import { stateWords } from '../../lead/state-words.ts'
import { actPath } from './paths.ts'
import type { LeadAct } from './paths.ts'

/** Part of the form with the note: what is typed there is kept with a move. */
export function leadMoves({ lead, moves, undoTo }: WholeLead): Html {
  const { id, state } = lead
  const to = (act: LeadAct) => html`type="submit" formaction="${actPath(id, act)}" formnovalidate`
  const rows = moves.map((move) => {
    const label = moveLabel(state, move)
    return html`<li class="split"><button ${to('move')} name="to" value="${move}">${label}</button><button ${to('move')} name="next" value="${move}" aria-label="${label}, and next">and next</button></li>
`
  })
  const list =
    rows.length === 0
      ? ''
      : html`<ul class="moves">
${rows}</ul>
`
  const undo =
    undoTo === undefined
      ? ''
      : html`<button ${to('undo')} class="quiet undo">Undo: ${stateWords[undoTo]} again</button>
`
  if (list === '' && undo === '') return html``
  return html`<section class="next" aria-labelledby="next">
<h2 id="next">Move it on</h2>
${list}${undo}</section>
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
