/** /inbox/: the requests of one tab, a page at a time. */
import { type LeadRow } from '../../../desk/rows.ts'
import {
  countViews,
  listView,
  toCountText,
  viewNames,
  views,
  type ViewName,
} from '../../../desk/views.ts'
import { html, type Html } from '../../../html.ts'
import { type Answer, type Ask } from '../../../http/message.ts'
import { showPage } from '../frame/answers.ts'
import { backupWarning } from '../frame/backups.ts'
import { doneBar } from '../frame/done-bar.ts'
import { iconSheet } from '../frame/icons.ts'
import { type Inbox, type Visitor } from '../frame/inbox.ts'
import { exportPath, listPath, paths, readListPlace, type ListPlace } from '../paths.ts'
import { heldRows, leadRows } from './rows.ts'

export async function showList(inbox: Inbox, ask: Ask, visit: Visitor): Promise<Answer> {
  const query = new URLSearchParams(ask.query)
  const place = readListPlace((name) => query.get(name) ?? '')
  const { view, past } = place
  const { store, areas } = inbox.desk
  const [{ rows, next }, counts, warning] = await Promise.all([
    listView(store, view, {
      areas,
      ...(past && { past }),
      ...(hasButtons(view) && { limit: rowsWithButtons }),
    }),
    countViews(store),
    backupWarning(inbox),
  ])
  const { label } = views[view]
  const look = { place, isAllTicked: query.get('tick') === 'all', now: inbox.now() }
  const list = rows.length === 0 ? nothing(place) : rowsOf(rows, look)
  const sought = visit.typed?.('q') ?? ''
  const main = html`<h1 class="unseen">${label}</h1>
${await doneBar(inbox, ask, { place })}${warning}${searchForm(sought)}${viewTabs(counts, view)}${list}${pageLinks(place, next)}${iconSheet('call')}`
  return showPage(inbox, ask, { title: label, main, visit })
}

/** Such rows are twice as high, and as heavy. */
const rowsWithButtons = 25

function hasButtons(view: ViewName): view is 'held' | 'spam' {
  return view === 'held' || view === 'spam'
}

type Look = { place: ListPlace; isAllTicked: boolean; now: number }

function rowsOf(rows: readonly LeadRow[], look: Look): Html {
  const { view } = look.place
  if (hasButtons(view)) return heldRows(rows, { ...look, state: view })
  const withStates = view === 'all' || view === 'done'
  return leadRows(rows, { now: look.now, view, withStates, canMove: true })
}

function nothing({ view, past }: ListPlace): Html {
  const words = past === undefined ? emptyViews[view] : 'There is nothing further on.'
  return html`<p class="empty">${words}</p>
`
}

const emptyViews: Record<ViewName, string> = {
  todo: 'Nobody is waiting for you. New requests come here, those who wait longest first.',
  new: 'No new requests just now. Everyone who wrote has been seen to.',
  contacted: 'Nobody stands between a first talk and a date just now.',
  booked: 'No Consultation is booked. Mark a request as booked, and you find it here.',
  held: 'Nothing is held. What looks like spam waits here until you decide; nothing is thrown away.',
  spam: 'No spam. What you mark as spam is kept here, in case it was none.',
  done: 'Nothing is finished yet. Won, lost, not suitable and withdrawn requests rest here.',
  all: 'No request has come in yet. The first one will stand here.',
}

function pageLinks({ view, past }: ListPlace, next: string | undefined): Html {
  const first =
    past === undefined
      ? ''
      : html`<a class="button quiet" href="${listPath({ view })}">From the start</a>`
  const further = views[view].order === 'oldest' ? 'Later' : 'Earlier'
  const more =
    next === undefined
      ? ''
      : html`<a class="button quiet" rel="next" href="${listPath({ view, past: next })}">${further}</a>`
  return html`<p class="paging">${first}<a class="button plain" href="${exportPath(view)}">Export</a>${more}</p>
`
}

/** What is sought is posted, so that it is in no address. */
export function searchForm(sought: string): Html {
  return html`<form class="search" role="search" method="post" action="${paths.search}">
<label class="unseen" for="q">Search</label>
<input type="search" id="q" name="q" value="${sought}" placeholder="Name, phone, words" autocomplete="off" maxlength="400" enterkeyhint="search">
<button type="submit" class="quiet">Search</button>
</form>
`
}

/** The tabs, with how many leads each has. `here`: `undefined` among the results of a search. */
export function viewTabs(counts: Record<ViewName, number>, here: ViewName | undefined): Html {
  const tabs = viewNames.map((name) => {
    const current = name === here ? html` aria-current="page"` : ''
    const count =
      counts[name] === 0 ? '' : html` <span class="count">${toCountText(counts[name])}</span>`
    return html`<li><a href="${listPath({ view: name })}"${current}>${views[name].label}${count}</a></li>
`
  })
  return html`<nav class="tabs" aria-label="Requests"><ul>
${tabs}</ul></nav>
`
}
