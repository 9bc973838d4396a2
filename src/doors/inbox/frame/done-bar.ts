/** The bar that says what was just done and offers to undo it. */
import { stateWords, isState, type State } from '../../../contract/states.ts'
import { html, type Html } from '../../../html.ts'
import { undoableMove } from '../../../lead/life.ts'
import { type Act } from '../../../desk/acts.ts'
import { shortDate } from '../../../desk/plan.ts'
import { capital } from '../../../desk/words.ts'
import { type LeadEvent } from '../../../store/leads/events.ts'
import { nextOf, type Lead } from '../../../store/leads/rows.ts'
import { actPath, isLeadId, paths, type ListPlace } from '../paths.ts'
import { type Caller, type Inbox } from './inbox.ts'
import { said } from './words.ts'

export type Done = {
  what: State | 'planned' | 'undone'
  leadIds: readonly string[]
  missed?: number
}

export function doneCookie({ cookies }: Inbox, done: Done): string[] {
  const { what, leadIds, missed = 0 } = done
  return cookies.done.set([what, missed, ...leadIds].join('~'))
}

/** The bar "Taken back" is shown on one page only. */
export function endUndone({ inbox: { cookies }, ask }: Caller): string[] {
  return readDone(cookies.done.read(ask) ?? '')?.what === 'undone' ? cookies.done.clear() : []
}

function readDone(text: string): Required<Done> | undefined {
  const [what = '', missed = '', ...leadIds] = text.split('~')
  if ((what !== 'undone' && what !== 'planned' && !isState(what)) || !leadIds.every(isLeadId))
    return undefined
  return { what, leadIds, missed: Number(missed) || 0 }
}

/** The id of the form with the moves, dates and notes of a lead's page. */
export const actsForm = 'acts'

type ShownOn = { place: ListPlace } | { page: Lead }

export async function doneBar({ inbox, ask }: Caller, on: ShownOn): Promise<Html> {
  const { cookies, store } = inbox
  const done = readDone(cookies.done.read(ask) ?? '')
  if (done === undefined) return html``
  const { what, missed } = done
  const leads = await store.findLeads(done.leadIds)
  // Booking a visit may also mark other requests of the person as contacted.
  const states = what === 'consultation_booked' ? [what, 'contacted'] : [what]
  const asDone = isState(what) ? leads.filter(({ state }) => states.includes(state)) : leads
  // All leads of the act have changed their state since.
  if (asDone.length === 0 && missed === 0) return html``
  const isMove = what !== 'undone' && asDone.length > 0
  const events = isMove ? await store.eventsOf(asDone) : []
  const isRelease = events[0]?.at(-1)?.kind === 'lead.released'
  const undoable = asDone.filter(({ state }, index) => {
    const last = undoableMove(events[index] ?? [])
    // Undo must not take back a move that somebody made after the date was set.
    return last !== undefined && (what !== 'planned' || last.from === state)
  })
  const isDate = what === 'planned' || (what === 'consultation_booked' && asDone.some(nextOf))
  const words = isDate ? dateWords(inbox, asDone, events) : inWords(what, asDone, isRelease)
  return html`<div class="done" role="status"><p>${words}${missedWords(missed)}</p>${undoForm(undoable, on)}</div>
`
}

function dateWords(
  { now, business }: Inbox,
  leads: readonly Lead[],
  [events = []]: readonly (readonly LeadEvent[])[],
): Html {
  const lead = leads.find(nextOf) ?? leads[0]
  if (lead === undefined) return html``
  const next = nextOf(lead)
  const noDate = events.at(-1)?.kind === 'lead.tried' ? 'no answer, noted' : 'the date is removed'
  const date = next ? shortDate(next, now(), business.timeZone) : noDate
  const more = leads.length === 1 ? '' : ` (and ${leads.length - 1} more)`
  return html`${capital(date)}: ${said(lead.values.name)}${more}. `
}

function inWords(what: Done['what'], leads: readonly Lead[], isRelease: boolean): Html {
  const [lead] = leads
  if (lead === undefined) return html``
  if (what === 'erased') return html`Erased for good. `
  const who = leads.length === 1 ? said(lead.values.name) : html`${leads.length} requests`
  if (what === 'undone') return html`Taken back, ${stateWords[lead.state]} again: ${who}. `
  const done = isRelease ? 'Released' : `Marked ${stateWords[lead.state]}`
  return html`${done}: ${who}. `
}

function missedWords(missed: number): string {
  if (missed === 0) return ''
  return missed === 1
    ? 'One was left as it is: it has changed meanwhile, or cannot go there.'
    : `${missed} were left as they are: they have changed meanwhile, or cannot go there.`
}

/** On a lead's page, Undo belongs to the form with the note field, so that a typed note is stored, too. */
function undoForm(leads: readonly Lead[], on: ShownOn): Html {
  const [lead] = leads
  if (lead === undefined) return html``
  // `data-other`: the button changes another lead than that of the page, so no key presses it.
  const other = 'page' in on && (leads.length > 1 || lead.id !== on.page.id)
  const about = html` data-other="${other ? 'yes' : 'no'}"`
  if ('page' in on && on.page.state !== 'erased') {
    return html`<button type="submit"${about} form="${actsForm}" formaction="${actPath(on.page.id, 'undo')}" formnovalidate name="of" value="${leads.map(toTicked).join(' ')}">Undo</button>`
  }
  const each = leads.map((one) => html`<input type="hidden" name="lead" value="${toTicked(one)}">`)
  const place = 'place' in on ? placeFields(on.place) : ''
  return html`<form method="post" action="${paths.moves}"><input type="hidden" name="to" value="undo">${each}${place}<button type="submit"${about}>Undo</button></form>`
}

export function placeFields({ view, by, past = '', s = '' }: ListPlace): Html {
  const search = s === '' ? '' : html`<input type="hidden" name="s" value="${s}">`
  const order = by === undefined ? '' : html`<input type="hidden" name="by" value="${by}">`
  return html`<input type="hidden" name="view" value="${view}"><input type="hidden" name="past" value="${past}">${order}${search}`
}

export function toTicked({ id, version }: Pick<Lead, 'id' | 'version'>): string {
  return `${id}.${version}`
}

export type Ticked = Pick<Act, 'leadId' | 'version'>

export function readTicked(text: string): Ticked | undefined {
  const [leadId = '', version = ''] = text.split('.')
  return isLeadId(leadId) ? { leadId, version: readVersion(version) } : undefined
}

/** An invalid version becomes 0, which no lead has, so that the act is refused. */
export function readVersion(text: string): number | undefined {
  if (text === '') return undefined
  return /^\d{1,9}$/.test(text) ? Number(text) : 0
}
