/** Draws the page of one lead. */
import {
  mostOthersRead,
  noteOpened,
  otherVisits,
  readWholeLead,
  type WholeLead,
} from '../../../desk/whole-lead.ts'
import { searchLeads } from '../../../desk/search.ts'
import { listView, toRows, views } from '../../../desk/views.ts'
import { isCalledOff } from '../../../desk/row.ts'
import { shortWord, takenWords } from '../../../desk/words.ts'
import { plural } from '../../../words.ts'
import { html, type Html } from '../../../html.ts'
import { type Answer } from '../../../http/message.ts'
import { type Next } from '../../../contract/states.ts'
import { isOverdue, nextInWords, shortDate } from '../../../desk/plan.ts'
import { callLinks } from '../../../lead/contact-links.ts'
import { nextOf, type Lead } from '../../../store/leads/rows.ts'
import { inWords } from '../../../time.ts'
import { alertOf, backLink, missing, showPage, showWhole } from '../frame/answers.ts'
import { actsForm, doneBar } from '../frame/done-bar.ts'
import {
  askedFields,
  unlessReadOnly,
  endOfToday,
  type Inbox,
  type SentFields,
  type Visitor,
} from '../frame/inbox.ts'
import { leadRows, rowsOptions } from '../frame/rows.ts'
import { ageInWords, iconSheet, inert, said } from '../frame/words.ts'
import {
  actPath,
  leadIdIn,
  leadPath,
  listPath,
  readListPlace,
  rowId,
  type ListPlace,
} from '../paths.ts'
import { leadActs, submitTo } from './acts-form.ts'
import { contactBar, showsNumberAbove, leadFacts, leadOrigin, replyTexts } from './facts.ts'
import { leadStory } from './story.ts'

export async function showLead(visitor: Visitor): Promise<Answer> {
  const { inbox, ask, member, typed } = visitor
  const id = leadIdIn(ask.path)
  const whole = ask.path === leadPath(id) ? await readLead(inbox, id) : undefined
  if (whole === undefined) return showPage(visitor, missing)
  // A page that a browser prefetches (`Sec-Purpose`) does not count as opened.
  if (!whole.isOpened && ask.method === 'GET' && ask.headers['sec-purpose'] === undefined) {
    const opened = { at: inbox.now(), by: member.id }
    await unlessReadOnly(noteOpened(inbox.store, id, opened))
  }
  const place = readListPlace(askedFields(visitor))
  return showLeadPage(visitor, whole, { place, typed })
}

export type LeadLook = {
  place: ListPlace
  typed: SentFields | undefined
  status?: number
  /** Shown at the top of the page or, if `isVisit`, above the fields of the visit. */
  problem?: string
  isVisit?: boolean
  /** The visit that `problem` is about, if the member may book it all the same. */
  unsure?: Next | undefined
  /** The person's other request, whose visit the member may move. */
  otherVisit?: Lead | undefined
}

export async function showLeadPage(
  visitor: Visitor,
  whole: WholeLead,
  { place, typed, status = 200, problem = '', isVisit = false, unsure, otherVisit }: LeadLook,
): Promise<Answer> {
  const { inbox, member } = visitor
  const { business } = inbox
  const look = await rowsOptions(visitor)
  const { now, nameOf } = look
  const { lead } = whole
  const when = (at: number) => inWords(at, business.timeZone, now)
  const goesOn = (typed ?? askedFields(visitor))('go') === 'next'
  const done = problem === '' ? await doneBar(visitor, { page: lead }) : ''
  const main = html`${await sideList(visitor, { id: lead.id, place, look })}${backLink(html`<a href="${listPath(place)}#${rowId(lead.id)}">${labelOf(place)}</a>`)}${isVisit ? '' : alertOf(problem)}<div class="whole">
${heading(whole, { ...look, list: place })}${contactBar(whole, business.state)}<div class="told">
${whyHeldBox(whole)}${message(whole)}${replyTexts(whole, business.replies ?? [])}${leadFacts(whole, when)}</div>
${leadActs(whole, { ...look, when, typed, unsure, otherVisit, visitProblem: isVisit ? problem : '', place, goesOn, opening: business, isMine: lead.takenBy === member.id, mailsVisits: !!inbox.tell['lead.visit']?.length })}<div class="past">
${others(whole, { ...look, place, openId: lead.id })}${leadStory(whole, when, nameOf)}${leadOrigin(whole)}${exportAndErase(whole)}</div>
</div>
${done}${iconSheet('call', 'text', 'mail', 'map', 'move')}`
  return showWhole(visitor, { status, title: `Request ${lead.reference}`, main })
}

function labelOf({ view, s }: ListPlace): string {
  return s === undefined ? views[view].label : 'Search'
}

/** Only wide screens show this list, left of the request. */
async function sideList(
  { inbox }: Visitor,
  { id, place, look }: { id: string; place: ListPlace; look: PageLook },
): Promise<Html> {
  const { store, business, searchSeal } = inbox
  const { view, past, s } = place
  const { areas } = business
  const sought = s === undefined ? undefined : searchSeal.open(s)
  const page = { areas, past, until: endOfToday(inbox), limit: mostBeside }
  const rows =
    sought === undefined
      ? (await listView(store, view, page)).rows
      : await toRows(
          store,
          (await searchLeads(store, sought, { areas, before: past })).leads,
          areas,
        )
  if (rows.length === 0) return html``
  return html`<aside class="side" aria-label="${labelOf(place)}">
${leadRows(rows, { ...look, place, openId: id })}</aside>
`
}

const mostBeside = 25

export function readLead({ store, business }: Inbox, id: string): Promise<WholeLead | undefined> {
  return readWholeLead(store, business.areas, id)
}

export function withLead(door: (visitor: Visitor, whole: WholeLead) => Promise<Answer>) {
  return async (visitor: Visitor): Promise<Answer> => {
    const { inbox, ask } = visitor
    const whole = await readLead(inbox, leadIdIn(ask.path))
    const isThere = whole !== undefined && whole.lead.state !== 'erased'
    return isThere ? door(visitor, whole) : showPage(visitor, missing)
  }
}

function heading(whole: WholeLead, look: PageLook & { list: ListPlace }): Html {
  const { lead, place, next, notes: kept, others: rows } = whole
  const { now, timeZone, nameOf, list } = look
  const age = html`<time data-since="${lead.receivedAt}">${ageInWords(lead.receivedAt, now)}</time>`
  const since = lead.state === 'new' ? html`waiting <b>${age}</b>` : html`came in ${age} ago`
  const name = lead.state === 'erased' ? html`Erased` : said(lead.values.name)
  const [call] = callLinks(lead.values.phone)
  const visits = otherVisits(whole, now).map((other) => {
    const when = shortDate(nextOf(other)!, now, timeZone).replace('visit ', '')
    return html`<a href="${leadPath(other.id, list)}">booked ${when}</a>`
  })
  const parts = [
    html`<span class="chip ${lead.state}">${shortWord(lead.state)}</span>`,
    ...(place === '' ? [] : [html`<b>${said(place)}</b>`]),
    html`<span>${since}</span>`,
    ...visits,
    ...(lead.takenBy === undefined ? [] : [html`<span>${takenWords(nameOf(lead.takenBy))}</span>`]),
    ...(rows.length === 0 ? [] : [html`<a href="#others">wrote ${timesMore(rows.length)}</a>`]),
    ...(kept.length === 0 ? [] : [html`<a href="#notes">${plural(kept.length, 'note')}</a>`]),
  ]
  const isOff = isCalledOff(lead)
  const late = isOff || (next && isOverdue(next, now)) ? ' late' : ''
  const seen = html`<button ${submitTo(lead.id, 'plan')} form="${actsForm}" name="plan" value="seen" class="quiet">Seen</button>`
  const date =
    next &&
    html`<p class="date${late}"><span>${isOff ? html`Called off. ` : ''}${nextInWords(next, now, timeZone)}${next.what === 'visit' && lead.visitPlace ? html`<br>${said(lead.visitPlace)}` : ''}</span>${isOff ? seen : ''}</p>
`
  const number = html`<p class="number"><a href="${call?.href ?? ''}">${said(lead.values.phone)}</a></p>
`
  return html`<header><h1>${name}</h1>
${showsNumberAbove(lead) ? number : ''}<p class="under">${parts.map((part) => html`${part} `)}</p>
${date ?? ''}</header>
`
}

function timesMore(count: number): string {
  return count === 1 ? 'once more' : count >= mostOthersRead ? 'many times' : `${count} times more`
}

function whyHeldBox({ lead, whyHeld }: WholeLead): Html {
  if (lead.state !== 'held') return html``
  return html`<p class="why"><strong>Held, because</strong> ${whyHeld.join('; ') || 'it looked like spam'}. You were not told of it. Release makes it a new request and tells you of it. Spam puts it aside.</p>
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
  const [start, rest] = foldText(inert(lead.values.message))
  const folded = html`<details class="rest"><summary>The rest of the message</summary><p class="said message" dir="auto">${rest}</p></details>
`
  return html`<h2 class="unseen">Message</h2>
<p class="said message" dir="auto">${start}</p>
${rest === '' ? '' : folded}`
}

/** The rest of a long message is folded, so that the buttons below need little scrolling. */
const longestShown = 1_200

function foldText(text: string): [start: string, rest: string] {
  if (text.length <= longestShown) return [text, '']
  const blank = text.lastIndexOf(' ', longestShown)
  const at = blank > longestShown / 2 ? blank : longestShown
  return [`${text.slice(0, at)} …`, text.slice(at).trimStart()]
}

type PageLook = Awaited<ReturnType<typeof rowsOptions>>

function others({ others: rows }: WholeLead, look: Parameters<typeof leadRows>[1]): Html {
  if (rows.length === 0) return html``
  const list = (some: typeof rows) => leadRows(some, look)
  const more = rows.slice(mostOthers)
  const folded = html`<details><summary>${more.length} more</summary>${list(more)}</details>
`
  return html`<section aria-labelledby="others">
<h2 id="others">Same email or phone</h2>
${list(rows.slice(0, mostOthers))}${more.length === 0 ? '' : folded}</section>
`
}

const mostOthers = 3

function exportAndErase({ lead }: WholeLead): Html {
  if (lead.state === 'erased') return html``
  return html`<p class="pair"><a class="button quiet" href="${actPath(lead.id, 'export')}">Export this person</a><a class="button quiet danger" href="${actPath(lead.id, 'erase')}">Erase for good …</a></p>
`
}
