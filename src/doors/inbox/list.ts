/** /inbox/: the requests of one tab, a page at a time. */
import type { Visit } from '../../access/sessions.ts'
import type { LeadRow } from '../../desk/rows.ts'
import { countViews, listView, views } from '../../desk/views.ts'
import type { ViewName } from '../../desk/views.ts'
import { html } from '../../html.ts'
import type { Html } from '../../html.ts'
import type { Answer, Ask } from '../../http/message.ts'
import { backupWarning } from './backups.ts'
import { doneBar } from './done-bar.ts'
import { emptyViews } from './empty-views.ts'
import type { InboxRoute } from './guard.ts'
import { heldRows } from './held-rows.ts'
import { iconSheet } from './icons.ts'
import { leadRows } from './lead-rows.ts'
import type { InboxParts } from './parts.ts'
import { exportPath, listPath, paths, readListPlace } from './paths.ts'
import type { ListPlace } from './paths.ts'
import { searchForm } from './search-form.ts'
import { viewTabs } from './view-tabs.ts'

export function listRoutes(parts: InboxParts): InboxRoute[] {
  const { desk, showPage, now } = parts
  return [{ path: paths.list, method: 'GET', who: 'member', door: show }]

  async function show(ask: Ask, visit: Visit): Promise<Answer> {
    const query = new URLSearchParams(ask.query)
    const place = readListPlace((name) => query.get(name) ?? '')
    const { view, past } = place
    const { store, areas } = desk
    const [{ rows, next }, counts, warning] = await Promise.all([
      listView(store, view, {
        areas,
        ...(past && { past }),
        ...(hasButtons(view) && { limit: rowsWithButtons }),
      }),
      countViews(store),
      backupWarning(parts),
    ])
    const { label } = views[view]
    const isAllTicked = query.get('tick') === 'all'
    const list = rows.length === 0 ? nothing(place) : rowsOf(rows, place, isAllTicked)
    const main = html`<h1 class="unseen">${label}</h1>
${await doneBar(parts, ask, { place })}${warning}${searchForm()}${viewTabs(counts, view)}${list}${pageLinks(place, next)}${iconSheet('call')}`
    return showPage(ask, { title: label, main, visit })
  }

  function rowsOf(rows: readonly LeadRow[], place: ListPlace, isAllTicked: boolean): Html {
    const { view } = place
    if (hasButtons(view)) {
      return heldRows(rows, { state: view, place, isAllTicked, now: now() })
    }
    const withStates = view === 'all' || view === 'done'
    return leadRows(rows, { now: now(), view, withStates, canMove: true })
  }
}

/** Such rows are twice as high, and as heavy. */
const rowsWithButtons = 25

function hasButtons(view: ViewName): view is 'held' | 'spam' {
  return view === 'held' || view === 'spam'
}

function nothing({ view, past }: ListPlace): Html {
  const words = past === undefined ? emptyViews[view] : 'There is nothing further on.'
  return html`<p class="empty">${words}</p>
`
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
