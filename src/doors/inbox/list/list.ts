/** The words of a search are encrypted in the address, so that no address names a person. */
import {
  countToday,
  countViews,
  gatherPeople,
  type LeadRow,
  listView,
  startOf,
  toCountText,
  toRows,
  type ViewName,
  viewNames,
  views,
} from '../../../desk/views.ts'
import { overdueAt } from '../../../desk/plan.ts'
import {
  foundNotes,
  longestSought,
  mostTerms,
  searchLeads,
  type Found,
} from '../../../desk/search.ts'
import { html, type Html } from '../../../html.ts'
import { type Answer } from '../../../http/message.ts'
import { inFullWords } from '../../../time.ts'
import { alertOf, goTo, scriptAnswer, showWhole } from '../frame/answers.ts'
import { doneBar } from '../frame/done-bar.ts'
import { askedFields, sentFields, endOfToday, type Caller, type Visitor } from '../frame/inbox.ts'
import { backupWarning, iconSheet, noticeWarning, said } from '../frame/words.ts'
import { exportPath, isLeadId, listPath, paths, readListPlace, type ListPlace } from '../paths.ts'
import { heldRows, leadRows, rowsLook, type ListLook } from './rows.ts'

export async function showList(visitor: Visitor): Promise<Answer> {
  const { inbox, typed } = visitor
  const asked = askedFields(visitor)
  const place = readListPlace(asked)
  const { view, past } = place
  const { store } = inbox
  const { areas } = inbox.business
  const until = endOfToday(inbox)
  const [{ rows, next }, counts, ...warnings] = await Promise.all([
    listView(store, view, {
      areas,
      past,
      until,
      ...(hasButtons(view) && { limit: rowsWithButtons }),
    }),
    countViews(store, until),
    noticeWarning(inbox),
    backupWarning(inbox),
  ])
  const { label } = views[view]
  const since = asked('since')
  const look = { ...(await rowsLook(visitor)), place, since, isAllTicked: asked('tick') === 'all' }
  const list = rows.length === 0 ? nothing(place) : rowsOf(rows, look)
  const sought = typed?.('q') ?? ''
  const problem = asked('tick') === 'none' ? nothingTicked : ''
  const [newest] = await store.listLeads({ limit: 1 })
  const dates = rows.flatMap((row) => (row.next === undefined ? [] : [overdueAt(row.next)]))
  // From this time on the list is out of date, because a date has passed or a new day has begun.
  const trueUntil = Math.min(until, ...dates.filter((at) => at > look.now))
  const main = html`<h1 class="unseen">${label}</h1>
<p class="paper">${inFullWords(look.now, look.timeZone)}</p>
${await doneBar(visitor, { place })}${alertOf(problem)}${warnings}${viewTabs(counts, view)}<p class="news" role="status" data-newest="${newest?.id ?? ''}" data-until="${trueUntil}" data-today="${counts.today}"></p>
${list}${pageLinks(place, next)}${iconSheet('call')}`
  return showWhole(visitor, { title: label, main, sought })
}

/** Tells live.js how many new requests the page lacks (`count`), and whether it is out of date (`isOld`). */
export async function countNew(visitor: Visitor): Promise<Answer> {
  const asked = askedFields(visitor)
  const past = isLeadId(asked('since')) ? asked('since') : ''
  const { store, now } = visitor.inbox
  const [found, today] = await Promise.all([
    store.listLeads({ states: ['new'], order: 'oldest', past, limit: mostNews }),
    countToday(store, endOfToday(visitor.inbox)),
  ])
  const until = Number(asked('until')) || Number.POSITIVE_INFINITY
  const isOld = now() >= until || asked('today') !== String(today)
  return scriptAnswer(200, { count: found.length, isOld })
}

const mostNews = 99

const nothingTicked =
  'Nothing is ticked, so nothing was changed. Tick the requests first, or press the buttons below one.'

/** Half of the usual 50, because a row with buttons is twice as high. */
const rowsWithButtons = 25

function hasButtons(view: ViewName): view is 'held' | 'spam' {
  return view === 'held' || view === 'spam'
}

function rowsOf(rows: readonly LeadRow[], look: ListLook): Html {
  const { view } = look.place
  if (hasButtons(view)) return heldRows(rows, view, look)
  return leadRows(rows, { ...look, canMove: true })
}

function nothing({ view, past }: ListPlace): Html {
  const words = past === undefined ? emptyViews[view] : 'There is nothing further on.'
  return html`<p class="empty">${words}</p>
`
}

const emptyViews: Record<ViewName, string> = {
  today:
    'Nobody is waiting for you. New requests come here, and those whose date has come, the longest wait first.',
  contacted: 'Nobody stands between a first talk and a visit just now.',
  booked: 'No Consultation is booked. Mark a request as booked, and you find it here by its day.',
  held: 'Nothing is held. What looks like spam waits here until you decide; nothing is thrown away.',
  spam: 'No spam. What you mark as spam is kept here, in case it was none.',
  done: 'Nothing is finished yet. Won, lost, not suitable and withdrawn requests rest here.',
  all: 'No request has come in yet. The first one will stand here.',
}

function pageLinks({ view, s, past }: ListPlace, next: string | undefined): Html {
  const list = { view, s }
  const first =
    past === undefined
      ? ''
      : html`<a class="button quiet" href="${listPath(list)}">From the start</a>`
  const exporting =
    s === undefined ? html`<a class="button plain" href="${exportPath(view)}">Export</a>` : ''
  const further = s === undefined && views[view].order === 'due' ? 'Next page' : 'Earlier'
  const more =
    next === undefined
      ? ''
      : html`<a class="button quiet" rel="next" href="${listPath({ ...list, past: next })}">${further}</a>`
  return html`<p class="paging">${first}${exporting}${more}</p>
`
}

const lessOften: readonly ViewName[] = ['held', 'spam', 'done', 'all']

function viewTabs(counts: Record<ViewName, number>, here: ViewName | undefined): Html {
  const dot = (words = '') =>
    counts.held === 0 ? '' : html` <span class="dot"><span class="unseen">${words}</span></span>`
  const tab = (name: ViewName) => {
    const current = name === here ? html` aria-current="page"` : ''
    const count =
      counts[name] === 0 ? '' : html` <span class="count">${toCountText(counts[name])}</span>`
    return html`<li><a href="${listPath({ view: name })}"${current}>${views[name].label}${name === 'held' ? dot() : ''}${count}</a></li>
`
  }
  const often = viewNames.filter((name) => !lessOften.includes(name))
  const isHere = here !== undefined && lessOften.includes(here)
  return html`<nav class="tabs" aria-label="Requests"><ul>
${often.map(tab)}<li><details class="menu"><summary${isHere ? html` class="here"` : ''}>${isHere ? views[here].label : html`More${dot(', some are held')}`}</summary><ul>
${lessOften.map(tab)}</ul></details></li>
</ul></nav>
`
}

export function sealSearch(caller: Caller): Answer {
  const sought = sentFields(caller)('q').trim().slice(0, longestSought)
  return goTo(sought === '' ? paths.list : listPath({ s: caller.inbox.searchSeal.close(sought) }))
}

export async function showResults(visitor: Visitor): Promise<Answer> {
  const { inbox } = visitor
  const { store } = inbox
  const { areas } = inbox.business
  const asked = askedFields(visitor)
  const place = readListPlace(asked)
  const sought = inbox.searchSeal.open(place.s ?? '')
  // The address was made with another secret, or a part of it was lost when it was copied.
  if (sought === undefined) return goTo(paths.list)
  const isLater = place.past !== undefined
  const [found, counts] = await Promise.all([
    searchLeads(store, sought, { areas, before: place.past }),
    countViews(store, endOfToday(inbox)),
  ])
  const notes = await foundNotes(store, found, sought)
  const withNotes = (await toRows(store, found.leads, areas)).map((row) => {
    const note = notes.get(row.id)
    return note === undefined ? row : { ...row, start: startOf(`Note: ${note}`) }
  })
  const rows = gatherPeople(withNotes)
  const look = await rowsLook(visitor)
  const list = rows.length === 0 ? nothingFound(isLater) : leadRows(rows, { ...look, place })
  const main = html`<h1 class="unseen">Search</h1>
${viewTabs(counts, undefined)}${summary(sought, found, isLater)}${list}${pageLinks(place, found.next)}${iconSheet('call')}`
  return showWhole(visitor, { title: 'Search', main, sought })
}

function summary(sought: string, found: Found, isLater: boolean): Html {
  const older = found.isWhole ? '' : '. Older requests were not searched'
  const cut = found.isCut ? `. Only the first ${mostTerms} words count` : ''
  return html`<p class="found"><span role="status">${foundWords(found, isLater)} for <b>${said(sought)}</b>${cut}${older}</span> <a href="${paths.list}">Clear</a></p>
`
}

function foundWords({ leads, next }: Found, isLater: boolean): string {
  if (leads.length === 0) return 'Nothing found'
  if (isLater) return `${leads.length} more`
  if (next !== undefined) return `The newest ${leads.length}`
  return leads.length === 1 ? '1 request' : `${leads.length} requests`
}

function nothingFound(isLater: boolean): Html {
  if (isLater) {
    return html`<p class="empty">There is nothing further on.</p>
`
  }
  return html`<div class="empty"><p>Nobody here goes by that. Try fewer letters, or another word.</p>
<p>You can look for words of a name, a place or a message, for your notes, for some digits of a phone number, for a part of an email, or for a reference. Each word may be cut short.</p></div>
`
}
