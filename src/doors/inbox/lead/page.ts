/** /inbox/lead/<id>: the page of one request, also shown when an act could not be done. */
import { longestNote } from '../../../desk/acts.ts'
import { noteOpened, readWholeLead, type WholeLead } from '../../../desk/whole-lead.ts'
import { views, type ViewName } from '../../../desk/views.ts'
import { html, type Html } from '../../../html.ts'
import { type Answer } from '../../../http/message.ts'
import { stateWords } from '../../../contract/states.ts'
import { inWords } from '../../../time.ts'
import { alertOf, backLink, missing, showPage, showWhole } from '../frame/answers.ts'
import { actsForm, doneBar } from '../frame/done-bar.ts'
import { askedFields, unlessReadOnly, type Inbox, type Visitor } from '../frame/inbox.ts'
import { ageInWords, iconSheet, inert, said } from '../frame/words.ts'
import { leadRows, moveLabel } from '../list/rows.ts'
import { actPath, leadIdIn, leadPath, listPath, readListPlace, type LeadAct } from '../paths.ts'
import { contactBar, leadFacts, leadOrigin } from './facts.ts'
import { createNameOf, leadStory, type NameOf, type When } from './story.ts'

export async function showLead(visitor: Visitor): Promise<Answer> {
  const { inbox, ask, member, typed } = visitor
  const id = leadIdIn(ask.path)
  const whole = ask.path === leadPath(id) ? await readLead(inbox, id) : undefined
  if (whole === undefined) return showPage(visitor, missing)
  // A page that a browser loads ahead does not count as opened.
  if (!whole.isOpened && ask.method === 'GET' && ask.headers['sec-purpose'] === undefined) {
    const opened = { at: inbox.now(), by: member.id }
    await unlessReadOnly(noteOpened(inbox.leads, id, opened))
  }
  const { view } = readListPlace(askedFields(visitor))
  return showLeadPage(visitor, whole, { view, words: typed?.('words') ?? '' })
}

type LeadLook = {
  /** The tab that the lead was opened from. */
  view: ViewName
  /** Text of a note that was typed but not kept. */
  words: string
  status?: number
  /** Shown at the top: why an act was not done. */
  problem?: string
}

export async function showLeadPage(
  visitor: Visitor,
  whole: WholeLead,
  { view, words, status = 200, problem = '' }: LeadLook,
): Promise<Answer> {
  const { inbox, member } = visitor
  const { access, business, now } = inbox
  const nameOf = createNameOf(await access.store.listMembers(), member)
  const { lead } = whole
  const when = (at: number) => inWords(at, business.timeZone, now())
  const done = problem === '' ? await doneBar(visitor, { page: lead }) : ''
  const main = html`${done}${backLink(html`<a href="${listPath({ view })}">${views[view].label}</a>`)}${alertOf(problem)}<div class="whole">
${heading(whole, now())}${contactBar(whole, business.state)}<div class="told">
${whyHeldBox(whole)}${message(whole)}${leadFacts(whole, when)}</div>
${acts(whole, view, { when, nameOf, words })}<div class="past">
${others(whole, now())}${leadStory(whole, when, nameOf)}${leadOrigin(whole)}${exportAndErase(whole)}</div>
</div>
${iconSheet('call', 'text', 'mail', 'map')}`
  return showWhole(visitor, { status, title: `Request ${lead.reference}`, main })
}

export function readLead({ leads, business }: Inbox, id: string): Promise<WholeLead | undefined> {
  return readWholeLead(leads, business.areas, id)
}

/** A door that needs a lead which is not erased. Without one it answers 404. */
export function withLead(door: (visitor: Visitor, whole: WholeLead) => Promise<Answer>) {
  return async (visitor: Visitor): Promise<Answer> => {
    const { inbox, ask } = visitor
    const whole = await readLead(inbox, leadIdIn(ask.path))
    const isThere = whole !== undefined && whole.lead.state !== 'erased'
    return isThere ? door(visitor, whole) : showPage(visitor, missing)
  }
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

type NotesLook = { when: When; nameOf: NameOf; words: string }

/** Moves and notes share one form, so that a move does not lose a typed note. */
function acts(whole: WholeLead, view: ViewName, look: NotesLook): Html {
  const { id, version, state } = whole.lead
  if (state === 'erased') return html``
  return html`<form class="acts" id="${actsForm}" method="post" action="${actPath(id, 'note')}"><input type="hidden" name="version" value="${version}"><input type="hidden" name="view" value="${view}">
${moveButtons(whole)}${notes(whole, look)}</form>
`
}

/** Two buttons for each legal move: one stays on this page, one goes on to the next lead. */
function moveButtons({ lead, moves, undoTo }: WholeLead): Html {
  if (moves.length === 0 && undoTo === undefined) return html``
  const { id, state } = lead
  const to = (act: LeadAct) => html`type="submit" formaction="${actPath(id, act)}" formnovalidate`
  const rows = moves.map((move) => {
    const label = moveLabel(state, move)
    return html`<li class="split"><button ${to('move')} name="to" value="${move}">${label}</button><button ${to('move')} name="next" value="${move}" aria-label="${label}, and next">and next</button></li>
`
  })
  const list = html`<ul class="moves">
${rows}</ul>
`
  const undo =
    undoTo === undefined
      ? ''
      : html`<button ${to('undo')} class="quiet undo">Undo: ${stateWords[undoTo]} again</button>
`
  return html`<section class="next" aria-labelledby="next">
<h2 id="next">Move it on</h2>
${rows.length === 0 ? '' : list}${undo}</section>
`
}

function notes({ notes: kept }: WholeLead, { when, nameOf, words }: NotesLook): Html {
  const rows = kept.map(
    (note) => html`<li><p class="said" dir="auto">${inert(note.words)}</p>
<small>${nameOf(note.memberId)}, ${when(note.at)}</small></li>
`,
  )
  return html`<section class="notes" aria-labelledby="notes">
<h2 id="notes">Notes</h2>
${rows.length === 0 ? '' : html`<ul class="sheet">${rows}</ul>`}<label class="unseen" for="words">New note</label>
<textarea id="words" name="words" rows="3" maxlength="${longestNote}" placeholder="What you agreed, when to ring again" required>${words}</textarea>
<button type="submit" class="quiet">Keep the note</button>
</section>
`
}

function others({ others: rows }: WholeLead, now: number): Html {
  if (rows.length === 0) return html``
  const list = (some: typeof rows) => leadRows(some, { now, view: 'all' })
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
