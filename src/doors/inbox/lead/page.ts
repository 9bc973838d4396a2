/** Draws the page of one lead. */
import { doorWords } from '../../../contract/states.ts'
import { wordsOf } from '../../../contract/wording.ts'
import { choicesOf, type Choices } from '../../../desk/choices.ts'
import type { Chooser } from '../../../desk/visit-choice.ts'
import { detailForm, givenDetailsOf } from '../../../desk/details.ts'
import {
  headOf,
  messagesOf,
  type Asks,
  type Differing,
  type LeadHead,
  type HeadDate,
  type ShownMessage,
} from '../../../desk/head.ts'
import { searchLeads } from '../../../desk/search.ts'
import { listView, toRows, views, type LeadRow } from '../../../desk/views.ts'
import { noteOpened, readWholeLead, type WholeLead } from '../../../desk/whole-lead.ts'
import { html, type Html, noHtml } from '../../../html.ts'
import { type Answer } from '../../../http/message.ts'
import { type Lead } from '../../../store/leads/rows.ts'
import { inWords } from '../../../time.ts'
import { plural } from '../../../words.ts'
import { readActFields, sends, type ActFields } from '../act-fields.ts'
import { alertOf, backLink, goTo, missing, showPage, showWhole } from '../frame/answers.ts'
import { doneBar, placeFields } from '../frame/done-bar.ts'
import {
  askedFields,
  unlessReadOnly,
  todayIn,
  mailsVisits,
  sentFields,
  type Caller,
  type Inbox,
  type SignedInCaller,
} from '../frame/inbox.ts'
import { type FormDoors } from '../frame/form.ts'
import { leadRows, rowsOptions } from '../frame/rows.ts'
import { ageInWords, iconSheet, said } from '../frame/words.ts'
import {
  actPath,
  leadIdIn,
  leadPath,
  listPath,
  readListPlace,
  rowId,
  visitPath,
  type ListPlace,
} from '../paths.ts'
import {
  isBeside,
  keptNotes,
  leadActs,
  submitTo,
  visitFold,
  type ActsOptions,
  type Refusal,
} from './acts-form.ts'
import { contactBar, leadFacts, replyTexts } from './facts.ts'
import { linked } from './linked.ts'
import { photoStrip } from './photos.ts'
import { leadStory } from './story.ts'

export async function showLead(caller: SignedInCaller): Promise<Answer> {
  const { inbox, ask, member, typed } = caller
  const id = leadIdIn(ask.path)
  const whole = ask.path === leadPath(id) ? await readLead(inbox, id) : undefined
  if (whole === undefined) return showPage(caller, missing)
  const { joinedTo } = whole.lead
  if (joinedTo !== '') return goTo(leadPath(joinedTo, readListPlace(askedFields(caller))))
  // A page that a browser prefetches (`Sec-Purpose`) does not count as opened.
  if (!whole.isOpened && ask.method === 'GET' && ask.headers['sec-purpose'] === undefined) {
    const opened = { at: inbox.now(), by: member.id }
    await unlessReadOnly(noteOpened(inbox.store, id, opened))
  }
  const place = readListPlace(askedFields(caller))
  return showLeadPage(caller, whole, { place, typed: typed && readActFields(typed) })
}

export function readLead({ store, business }: Inbox, id: string): Promise<WholeLead | undefined> {
  return readWholeLead(store, business.areas, id)
}

export type LeadCaller = SignedInCaller & { readonly whole: WholeLead }

/** A form about the request that the address names. */
export function ofLead({ show, send }: FormDoors<LeadCaller>): FormDoors<SignedInCaller> {
  return { show: withLead(show), send: withLead(send) }
}

function withLead(door: (caller: LeadCaller) => Promise<Answer>) {
  return async (caller: SignedInCaller): Promise<Answer> => {
    const { inbox, ask } = caller
    const whole = await readLead(inbox, leadIdIn(ask.path))
    const isThere = whole !== undefined && whole.lead.state !== 'erased'
    return isThere ? door({ ...caller, whole }) : showPage(caller, missing)
  }
}

/** The place in the list from which the member came. */
export function placeInList(caller: Caller): ListPlace {
  return readListPlace(caller.ask.method === 'POST' ? sentFields(caller) : askedFields(caller))
}

export async function readChoices(caller: SignedInCaller, whole: WholeLead): Promise<Choices> {
  return choicesOf(whole, await chooserOf(caller, await rowsOptions(caller)))
}

type LeadOptions = {
  place: ListPlace
  typed: ActFields | undefined
  status?: number
  refusal?: Refusal
}

export async function showLeadPage(
  caller: SignedInCaller,
  whole: WholeLead,
  { place, typed, status = 200, refusal }: LeadOptions,
): Promise<Answer> {
  const { business } = caller.inbox
  const options = { ...(await rowsOptions(caller)), place, openId: whole.lead.id }
  const { now, timeZone, nameOf } = options
  const names = { nameOf, when: (at: number) => inWords(at, timeZone, now) }
  const choices = choicesOf(whole, await chooserOf(caller, options))
  const problem = refusal === undefined || isBeside(refusal, choices) ? '' : refusal.words
  const done = refusal ? '' : await doneBar(caller, { page: whole.lead })
  const acts = { choices, names, memberId: caller.member.id, place, typed, refusal }
  const head = headOf(whole, options, nameOf)
  const photos = await photoStrip(caller, whole)
  const hasPhotos = [whole.lead, ...whole.joined.map((each) => each.lead)].some(
    (lead) => lead.photos > 0,
  )
  const main = html`${await sideList(caller, options)}
${backToList(whole.lead, place)}
${alertOf(problem)}
<div class="whole ${choices.stage.replace(' ', '-')}">
${heading(whole, head, options, acts)}
${contactBar(whole, business)}
<div class="told">
${whyHeldBox(whole)}
${messages(whole, options)}${keptNotes(whole, acts, head.asks?.words)}${hasPhotos ? photos : ''}
</div>
${leadActs(whole, acts)}
<div class="past">
<div class="folds">
${hasPhotos ? '' : photos}${replyTexts(whole, choices.stage, business.replies ?? [])}
</div>
${leadFacts(whole, { when: names.when, say: wordsOf(business) }, place)}
${others(whole, options)}
${leadStory(whole, names)}
</div>
</div>
${done}
${iconSheet('call', 'text', 'mail', 'map')}`
  return showWhole(caller, { status, title: `Request ${whole.lead.reference}`, main })
}

type PageOptions = Parameters<typeof leadRows>[1]

/** More than a week of visits. */
const mostVisitsRead = 60

async function chooserOf(
  { inbox, member }: SignedInCaller,
  { now, hasColleagues }: { now: number; hasColleagues: boolean },
): Promise<Chooser> {
  const chooser = { now, opening: inbox.business, memberId: member.id, hasColleagues }
  const booked = await inbox.store.views.toVisit(now, mostVisitsRead)
  return { ...chooser, mailsVisits: mailsVisits(inbox), booked }
}

function backToList({ id }: Lead, place: ListPlace): Html {
  return backLink(html`<a href="${listPath(place)}#${rowId(id)}">${labelOf(place)}</a>`)
}

function labelOf({ view, s }: ListPlace): string {
  return s === undefined ? views[view].label : 'Search'
}

/** Only wide screens show this list, left of the request. */
async function sideList({ inbox }: SignedInCaller, options: PageOptions): Promise<Html> {
  const rows = await rowsBeside(inbox, options.place)
  if (rows.length === 0) return noHtml
  return html`<aside class="side" aria-label="${labelOf(options.place)}">
${leadRows(rows, options)}</aside>
`
}

const mostBeside = 25

async function rowsBeside(inbox: Inbox, { view, past, s }: ListPlace): Promise<LeadRow[]> {
  const { store, business, searchSeal, taker } = inbox
  const { areas } = business
  const sought = s === undefined ? undefined : searchSeal.open(s)
  if (sought === undefined) {
    const page = { areas, past, today: todayIn(inbox), limit: mostBeside }
    return (await listView(store, view, page)).rows
  }
  const { leads } = await searchLeads(store, sought, { areas, before: past, keysOf: taker.keysOf })
  return toRows(store, leads, areas)
}

/** The head is a person: name, number, where things stand, and the next date. */
function heading(
  { lead }: WholeLead,
  head: LeadHead,
  options: PageOptions,
  acts: ActsOptions,
): Html {
  const { name, numbers, date, visited } = head
  const calls = numbers.map((number) => html`<p class="number">${said(number)}</p>\n`)
  const links = headLinks(head, options)
  const linkLine = html`<p class="under links">
${links}</p>
`
  return html`<header><h1>${name === '' ? 'Erased' : said(name)}</h1>
${calls}<p class="under">
${standing(lead, head, options)}</p>
${links.length === 0 ? '' : linkLine}
${acts.choices.stage === 'visit ahead' ? visitBox(lead, head, options, acts) : dateBox(lead, date)}
${visited === '' ? '' : html`<p class="under visited">${said(visited)}</p>`}
</header>
`
}

function standing(
  lead: Lead,
  { state, town, isWaiting, taken }: LeadHead,
  { now }: PageOptions,
): Html[] {
  const age = html`<time data-since="${lead.receivedAt}">${ageInWords(lead.receivedAt, now)}</time>`
  const parts = [html`<span class="chip ${state.name}">${state.words}</span>`]
  if (taken !== '') parts.push(html`<span>${said(taken)}</span>`)
  if (town !== '') parts.push(html`<b>${said(town)}</b>`)
  parts.push(
    html`<span>${isWaiting ? html`waiting <b>${age}</b>` : html`came in ${age} ago`}</span>`,
  )
  return parts.map((part) => html`${part}\n`)
}

function headLinks({ visits, requests, sameNumber }: LeadHead, { place }: PageOptions): Html[] {
  const links = visits.map(
    ({ leadId, words }) => html`<a class="booked" href="${leadPath(leadId, place)}">${words}</a>\n`,
  )
  if (requests !== '') links.push(html`<a href="#others">${requests}</a>\n`)
  if (sameNumber !== '') {
    // The link is a flex box, which would drop the blank before the name.
    const words = html`<span>Same number: ${said(sameNumber)}</span>`
    links.push(html`<a href="#others">${words}</a>\n`)
  }
  return links
}

function dateBox({ id }: Lead, date: HeadDate | undefined): Html {
  if (date === undefined) return noHtml
  const seen = html`<button ${submitTo(id, 'plan')}
  ${sends('plan', 'seen')} class="quiet">Seen</button>
`
  return html`<p class="date${date.isLate ? ' late' : ''}">
${dateWords(date)}
${date.isCalledOff ? seen : ''}</p>
`
}

function dateWords({ words, place }: HeadDate): Html {
  return html`<span>${words}${place === '' ? '' : html`<br>${said(place)}`}</span>`
}

/** A visit that lies ahead, and what can be done with it. */
function visitBox({ id }: Lead, head: LeadHead, options: PageOptions, acts: ActsOptions): Html {
  const { visit: choice } = acts.choices
  const { date, asks } = head
  if (choice === undefined || date === undefined) return noHtml
  const callOff = html`<button ${submitTo(id, 'move')}
  ${sends('to', 'contacted')} class="quiet">Call off</button>
`
  const keep = (at: number) => html`<button ${submitTo(id, 'plan')}
  ${sends('keep', at)} class="quiet">Keep the time</button>
`
  const hint = asks ? choice.keepHint : choice.changeHint
  // A visit that is about to move is not put into a calendar.
  const toCalendar = html`<a class="button quiet" href="${visitPath(id)}">Add to calendar</a>`
  return html`<div class="date${asks ? ' asks' : ''}">
<p>${dateWords(date)}
<small class="told">${choice.emailed}</small></p>
${asks ? askedPart(asks, options) : ''}<div class="visit">
${visitFold(id, asks ? 'Another time' : 'Move', acts)}${asks ? keep(asks.visitAt) : ''}${callOff}
${asks ? '' : toCalendar}
</div>
${hint === '' ? '' : html`<small>${hint}</small>`}
</div>
`
}

/** The visit stands until a member answers. */
function askedPart({ at, words }: Asks, { now }: PageOptions): Html {
  const quoted = html`<p class="said" dir="auto">${linked(words)}</p>
<small>The customer, ${ageInWords(at, now)} ago</small>
`
  return html`<p><strong>Asks for another time</strong></p>
${words === '' ? '' : quoted}`
}

function whyHeldBox({ lead, whyHeld }: WholeLead): Html {
  if (lead.state !== 'held') return noHtml
  const why = whyHeld.join('; ') || 'it looked like spam'
  return html`<p class="why">
<strong>Held:</strong> ${why}. You got no notice of it.
Release makes it a new request and notifies you. Spam puts it aside.</p>
`
}

/** The newest words of the person come first; of many messages the oldest are folded. */
function messages(whole: WholeLead, options: PageOptions): Html {
  const { lead } = whole
  if (lead.state === 'erased') {
    return html`<p class="empty">What was sent is erased for good. Only its history is left.</p>
`
  }
  const { shown, folded } = messagesOf(whole, options)
  const dated = (message: ShownMessage) =>
    html`${messageOrigin(message)}${messageBox(message)}${joinedParts(message, whole, options)}`
  const older = html`<details class="older">
<summary>${plural(folded.length, 'older message')}</summary>
${folded.map(dated)}</details>
`
  const [newest] = shown
  const isOnlyOwn = shown.length === 1 && newest?.isOwn
  return html`<h2 class="unseen">Message</h2>
${isOnlyOwn ? messageBox(newest) : shown.map(dated)}
${folded.length === 0 ? '' : older}`
}

function noMessage({ door }: Lead): Html {
  const words =
    door === 'phone'
      ? 'Nothing was written down about what they want.'
      : 'No message was sent with this request, only the details.'
  return html`<p class="empty">${words}</p>
`
}

function messageBox(message: ShownMessage): Html {
  if (message.words === '') return noMessage(message.lead)
  const [start, rest] = foldText(message.words)
  const folded = html`<details class="rest">
<summary>The rest of the message</summary>
<p class="said message" dir="auto">${linked(rest)}</p>
</details>
`
  return html`<p class="said message" dir="auto">${linked(start)}</p>
${rest === '' ? '' : folded}`
}

/** Among several messages, each says when it came, how, and with which request. */
function messageOrigin({ lead, day, otherName }: ShownMessage): Html {
  const on = day === 'today' ? day : `on ${day}`
  const by = otherName === '' ? '' : html` by ${said(otherName)}`
  return html`<p class="from">Asked ${on}${by}, by ${doorWords[lead.door]}, ${lead.reference}</p>
`
}

/** What a joined request says otherwise, and the way to take it apart. */
function joinedParts(message: ShownMessage, { lead }: WholeLead, { place }: PageOptions): Html {
  if (message.isOwn) return noHtml
  const { id, version } = message.lead
  return html`${message.differing.map((each) => useThis(lead, each, place))}
<form class="apart" method="post" action="${actPath(id, 'move')}">
<input type="hidden" ${sends('version', version)}>
${placeFields(place)}
<button type="submit" class="plain" ${sends('to', 'new')}>Take apart</button>
</form>
`
}

/** Sends the details of the request with the one that is used instead. */
function useThis(lead: Lead, { key, text }: Differing, place: ListPlace): Html {
  const typed = { ...givenDetailsOf(lead), [key]: text }
  const fields = detailForm.map(
    (each) => html`<input type="hidden" name="${each.key}" value="${typed[each.key]}">
`,
  )
  return html`<form class="differs" method="post" action="${actPath(lead.id, 'details')}">
<input type="hidden" ${sends('version', lead.version)}>
${placeFields(place)}${fields}<span>${said(text)}</span>
<button type="submit" class="plain">Use this</button>
</form>
`
}

/** The rest of a long message is folded, so that the buttons below need little scrolling. */
const longestShown = 1_200

function foldText(text: string): [start: string, rest: string] {
  if (text.length <= longestShown) return [text, '']
  const blank = text.lastIndexOf(' ', longestShown)
  const at = blank > longestShown / 2 ? blank : longestShown
  return [`${text.slice(0, at)} …`, text.slice(at).trimStart()]
}

function others({ others: rows }: WholeLead, options: PageOptions): Html {
  if (rows.length === 0) return noHtml
  const more = rows.slice(mostOthers)
  const folded = html`<details>
<summary>${more.length} more</summary>
${leadRows(more, options)}</details>
`
  return html`<section aria-labelledby="others">
<h2 id="others">Same email or phone</h2>
${leadRows(rows.slice(0, mostOthers), options)}${more.length === 0 ? '' : folded}</section>
`
}

const mostOthers = 3
