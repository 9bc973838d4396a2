/** The bar that says what was just done and offers to undo it. */
import { isState } from '../../../contract/states.ts'
import { reportOf, type DoneWhat, type DoneReport } from '../../../desk/done.ts'
import { html, type Html, noHtml } from '../../../html.ts'
import { withCookies, type Answer } from '../../../http/message.ts'
import { type Lead } from '../../../store/leads/rows.ts'
import { sends, writeOnPage } from '../act-fields.ts'
import { actPath, isLeadId, paths, type ListPlace } from '../paths.ts'
import { mailsVisits, type Caller, type Inbox } from './inbox.ts'
import { said } from './words.ts'

export type Done = { what: DoneWhat; leadIds: readonly string[]; missed?: number }

export function doneCookie({ cookies }: Inbox, done: Done): string {
  const { what, leadIds, missed = 0 } = done
  return cookies.done.set([what, missed, ...leadIds].join('~'))
}

/** What a member sends ends the bar of the act before, so that Undo is always about the last press. */
export function endBar({ inbox: { cookies }, ask }: Caller, answer: Answer): Answer {
  const isShown = cookies.done.read(ask) !== undefined && !cookies.done.isIn(answer.cookies)
  return isShown ? withCookies(answer, [cookies.done.clear()]) : answer
}

/** The bar of an undo is shown on one page only. */
export function endUndone({ inbox: { cookies }, ask }: Caller): string[] {
  return readDone(cookies.done.read(ask) ?? '')?.what === 'undone' ? [cookies.done.clear()] : []
}

function readDone(text: string): Required<Done> | undefined {
  const [what = '', missed = '', ...leadIds] = text.split('~')
  if (!isDoneWhat(what) || !leadIds.every(isLeadId)) return undefined
  return { what, leadIds, missed: Number(missed) || 0 }
}

function isDoneWhat(text: string): text is DoneWhat {
  return ['undone', 'planned', 'corrected'].includes(text) || isState(text)
}

/** The id of the form with the moves, dates and notes of a lead's page. */
export const actsForm = 'acts'

type ShownOn = { place: ListPlace } | { page: Lead }

/** On the page of a lead, only an act on that lead has a bar: Undo must not change somebody else's request. */
export async function doneBar({ inbox, ask }: Caller, on: ShownOn): Promise<Html> {
  const { cookies, store, business, now } = inbox
  const done = readDone(cookies.done.read(ask) ?? '')
  if (done === undefined) return noHtml
  const leads = await store.leads.findMany(done.leadIds)
  if ('page' in on && !leads.some((lead) => isOn(on.page, lead))) return noHtml
  const events = await store.leads.eventsOf(leads)
  const emails = await Promise.all(leads.map(({ id }) => visitEmailsOf(inbox, done.what, id)))
  const changed = leads.map((lead, index) => ({
    lead,
    events: events[index] ?? [],
    visitEmails: emails[index] ?? [],
  }))
  const options = { now: now(), timeZone: business.timeZone, mailsVisits: mailsVisits(inbox) }
  const report = reportOf(done.what, changed, options)
  if (report === undefined && done.missed === 0) return noHtml
  const words = html`${report ? reportWords(report) : ''}${missedWords(done.missed)}`
  const undo = undoForm(report?.undoable ?? [], on)
  return html`<div class="done" role="status"><p>${words}</p>${undo}</div>
`
}

/** Only who calls a visit off is told who hears of it. */
async function visitEmailsOf({ store }: Inbox, what: DoneWhat, id: string) {
  return what === 'contacted' ? store.deliveries.visitEmailsOf(id) : []
}

function isOn({ id }: Lead, lead: Lead): boolean {
  return lead.id === id || lead.joinedTo === id
}

function reportWords({ what, name, more, upNext }: DoneReport): Html {
  const next = upNext === '' ? '' : `${upNext} `
  return html`${what}${whoWords(what, name, more)}. ${next}`
}

/** "Won: Robin", "Back to booked: Robin", "Marked as spam: 24 requests". */
function whoWords(what: string, name: string, more: number): Html {
  if (what === 'Erased for good') return noHtml
  if (name === '') return html`: ${more + 1} requests`
  return html`: ${said(name)}${more === 0 ? '' : ` (and ${more} more)`}`
}

function missedWords(missed: number): string {
  if (missed === 0) return ''
  return missed === 1
    ? 'One was left as it is: it has changed meanwhile, or cannot go there.'
    : `${missed} were left as they are: they have changed meanwhile, or cannot go there.`
}

function undoForm(leads: readonly Lead[], on: ShownOn): Html {
  if (leads.length === 0) return noHtml
  if ('place' in on) return undoOnList(leads, on.place)
  return on.page.state === 'erased' ? undoOnList(leads) : undoOnPage(leads[0]!, on.page)
}

/** On a lead's page, Undo belongs to the form with the note field, so that a typed note is stored, too. */
function undoOnPage(lead: Lead, { id }: Lead): Html {
  return html`<button type="submit"
  form="${actsForm}" formaction="${actPath(id, 'undo')}" formnovalidate
  ${sends('of', lead)}>Undo</button>`
}

function undoOnList(leads: readonly Lead[], place?: ListPlace): Html {
  const each = leads.map(
    (one) => html`<input type="hidden" name="lead" value="${writeOnPage(one)}">`,
  )
  return html`<form method="post" action="${paths.moves}">
<input type="hidden" ${sends('to', 'undo')}>
${each}${place ? placeFields(place) : ''}
<button type="submit">Undo</button>
</form>`
}

export function placeFields({ view, past = '', s = '' }: ListPlace): Html {
  const search = html`<input type="hidden" name="s" value="${s}">`
  return html`<input type="hidden" name="view" value="${view}">
<input type="hidden" name="past" value="${past}">
${s === '' ? '' : search}`
}
