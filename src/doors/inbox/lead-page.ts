/** The page of a lead, as it is looked at and as it answers an act that could not be done. */
import type { Visit } from '../../access/sessions.ts'
import type { ViewName } from '../../desk/views.ts'
import { views } from '../../desk/views.ts'
import type { WholeLead } from '../../desk/whole-lead.ts'
import { inWords } from '../../time.ts'
import { html } from '../../html.ts'
import type { Html } from '../../html.ts'
import type { Answer, Ask } from '../../http/message.ts'
import { stateWords } from '../../lead/state-words.ts'
import { ageInWords } from './age.ts'
import { contactBar } from './contact-bar.ts'
import { actsForm, doneBar } from './done-bar.ts'
import { iconSheet } from './icons.ts'
import { leadFacts, leadOrigin } from './lead-facts.ts'
import { leadMoves } from './lead-moves.ts'
import { leadNotes } from './lead-notes.ts'
import type { NotesLook } from './lead-notes.ts'
import { leadRows } from './lead-rows.ts'
import { createNameOf, leadStory } from './lead-story.ts'
import type { NameOf } from './lead-story.ts'
import type { InboxParts } from './parts.ts'
import { actPath, listPath } from './paths.ts'
import { inert, said } from './said.ts'

export type LeadPage = {
  whole: WholeLead
  /** The tab that it was opened from. */
  view: ViewName
  status?: number
  /** At its top: why an act was not done. */
  problem?: (nameOf: NameOf) => Html
  /** Of a note that was not kept. */
  words?: string
}

export async function showLeadPage(
  parts: InboxParts,
  ask: Ask,
  visit: Visit,
  { whole, view, status = 200, problem, words = '' }: LeadPage,
): Promise<Answer> {
  const { access, desk, showPage, timeZone, now } = parts
  const nameOf = createNameOf(await access.store.listMembers(), visit.member)
  const { lead } = whole
  const when = (at: number) => inWords(at, timeZone, now())
  const main = html`${problem ? '' : await doneBar(parts, ask, { page: lead })}<p class="back"><a href="${listPath({ view })}">${views[view].label}</a></p>
${problem?.(nameOf) ?? ''}<div class="whole">
${heading(whole, now())}${contactBar(whole, desk.state)}<div class="told">
${whyHeldBox(whole)}${message(whole)}${leadFacts(whole, when)}</div>
${acts(whole, view, { when, nameOf, words })}<div class="past">
${others(whole, now())}${leadStory(whole, when, nameOf)}${leadOrigin(whole)}${exportAndErase(whole)}</div>
</div>
${iconSheet('call', 'text', 'mail', 'map')}`
  return showPage(ask, { status, title: `Request ${lead.reference}`, main, visit })
}

export function missingLead({ showPage }: InboxParts, ask: Ask, visit: Visit): Promise<Answer> {
  const title = 'No such request'
  const main = html`<h1>${title}</h1>
<p>There is no request at this address.</p>
<p><a class="button" href="${listPath({ view: 'todo' })}">Open the inbox</a></p>
`
  return showPage(ask, { status: 404, title, main, visit })
}

function heading({ lead, place }: WholeLead, now: number): Html {
  const age = ageInWords(lead.receivedAt, now)
  const since = lead.state === 'new' ? html`waiting <b>${age}</b>` : html`came in ${age} ago`
  const name = lead.state === 'erased' ? html`Erased` : said(lead.values.name)
  return html`<header><h1>${name}</h1>
<p class="under"><span class="chip ${lead.state}">${stateWords[lead.state]}</span> ${place === '' ? '' : html`<b>${said(place)}</b> `}<span>${since}</span></p>
</header>
`
}

function whyHeldBox({ lead, whyHeld }: WholeLead): Html {
  if (lead.state !== 'held') return html``
  return html`<p class="why"><strong>Held:</strong> ${whyHeld.join('; ') || 'it looked like spam'}. Nobody was told of it. Releasing announces it as new.</p>
`
}

function message({ lead }: WholeLead): Html {
  if (lead.state === 'erased') {
    return html`<p class="empty">What was sent is erased, for good. What happened to it stays.</p>
`
  }
  if (lead.values.message === '') {
    return html`<p class="empty">No message was sent, only the details below.</p>
`
  }
  return html`<h2 class="unseen">Message</h2>
<p class="said message" dir="auto">${inert(lead.values.message)}</p>
`
}

/** One form, so that no move loses what is typed into the field of the note. */
function acts(whole: WholeLead, view: ViewName, look: NotesLook): Html {
  const { id, version, state } = whole.lead
  if (state === 'erased') return html``
  return html`<form class="acts" id="${actsForm}" method="post" action="${actPath(id, 'note')}"><input type="hidden" name="version" value="${version}"><input type="hidden" name="view" value="${view}">
${leadMoves(whole)}${leadNotes(whole, look)}</form>
`
}

function others({ others: rows }: WholeLead, now: number): Html {
  if (rows.length === 0) return html``
  const list = (some: typeof rows) => leadRows(some, { now, view: 'all', withStates: true })
  const more = rows.slice(mostOthers)
  const folded = html`<details><summary>${more.length} more</summary>${list(more)}</details>
`
  return html`<section aria-labelledby="others">
<h2 id="others">The same person wrote</h2>
${list(rows.slice(0, mostOthers))}${more.length === 0 ? '' : folded}</section>
`
}

const mostOthers = 3

function exportAndErase({ lead }: WholeLead): Html {
  if (lead.state === 'erased') return html``
  return html`<p class="pair"><a class="button quiet" href="${actPath(lead.id, 'export')}">Export this person</a><a class="button quiet danger" href="${actPath(lead.id, 'erase')}">Erase for good …</a></p>
`
}
