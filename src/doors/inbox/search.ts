/** /inbox/search: what is sought is posted and comes back sealed, so that no address names a person. */
import type { Visit } from '../../access/sessions.ts'
import { toRows } from '../../desk/rows.ts'
import { searchLeads } from '../../desk/search.ts'
import type { Found } from '../../desk/search.ts'
import { countViews } from '../../desk/views.ts'
import { html } from '../../html.ts'
import type { Html } from '../../html.ts'
import type { Answer, Ask } from '../../http/message.ts'
import { goTo } from './answers.ts'
import { sentFields } from './forms.ts'
import type { InboxRoute } from './guard.ts'
import { iconSheet } from './icons.ts'
import { leadRows } from './lead-rows.ts'
import type { InboxParts } from './parts.ts'
import { isLeadId, paths } from './paths.ts'
import { said } from './said.ts'
import { searchForm } from './search-form.ts'
import { viewTabs } from './view-tabs.ts'

/** The field of the page holds no more. */
const longestSought = 400

export function searchRoutes({ desk, searchSeal, showPage, now }: InboxParts): InboxRoute[] {
  const { store, areas } = desk
  return [
    { path: paths.search, method: 'POST', who: 'member', door: seal },
    { path: paths.search, method: 'GET', who: 'member', door: show },
  ]

  function seal(ask: Ask): Answer {
    const sought = sentFields(ask)('q').trim().slice(0, longestSought)
    return goTo(sought === '' ? paths.list : resultsPath(searchSeal.close(sought)))
  }

  async function show(ask: Ask, visit: Visit): Promise<Answer> {
    const query = new URLSearchParams(ask.query)
    const sealed = query.get('s') ?? ''
    const sought = searchSeal.open(sealed)
    // Made by another installation, or cut off in the clipboard.
    if (sought === undefined) return goTo(paths.list)
    const before = query.get('past') ?? ''
    const page = isLeadId(before) ? { before } : {}
    const [found, counts] = await Promise.all([
      searchLeads(store, sought, { ...page, areas }),
      countViews(store),
    ])
    const rows = await toRows(store, found.leads, areas)
    const list =
      rows.length === 0
        ? nothing('before' in page)
        : leadRows(rows, { now: now(), view: 'all', withStates: true })
    const main = html`<h1 class="unseen">Search</h1>
${searchForm(sought)}${viewTabs(counts, undefined)}${summary(sought, found, 'before' in page)}${list}${pageLinks(sealed, found, 'before' in page)}${iconSheet('call')}`
    return showPage(ask, { title: 'Search', main, visit })
  }
}

function resultsPath(sealed: string, past = ''): string {
  return `${paths.search}?s=${sealed}${past && `&past=${past}`}`
}

function summary(sought: string, { leads, next }: Found, isLater: boolean): Html {
  const count = leads.length === 1 ? '1 request' : `${leads.length} requests`
  const many = isLater
    ? `${leads.length} more`
    : next === undefined
      ? count
      : `The newest ${leads.length}`
  const words = leads.length === 0 ? 'Nothing found' : many
  return html`<p class="found"><span role="status">${words} for <b>${said(sought)}</b></span> <a href="${paths.list}">Clear</a></p>
`
}

function nothing(isLater: boolean): Html {
  if (isLater) {
    return html`<p class="empty">There is nothing further on.</p>
`
  }
  return html`<div class="empty"><p>Nobody here goes by that. Try fewer letters, or another word.</p>
<p>You can look for words of a name, a place or a message, for your notes, for some digits of a phone number, for a part of an email, or for a reference. The last word may be cut short.</p></div>
`
}

function pageLinks(sealed: string, { next }: Found, isLater: boolean): Html {
  const first = isLater
    ? html`<a class="button quiet" href="${resultsPath(sealed)}">From the start</a>`
    : ''
  const more =
    next === undefined
      ? ''
      : html`<a class="button quiet" rel="next" href="${resultsPath(sealed, next)}">Earlier</a>`
  return html`<p class="paging">${first}${more}</p>
`
}
