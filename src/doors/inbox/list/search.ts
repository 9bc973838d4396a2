/** /inbox/search: what is sought is posted and comes back sealed, so that no address names a person. */
import { toRows } from '../../../desk/rows.ts'
import { searchLeads, type Found } from '../../../desk/search.ts'
import { countViews } from '../../../desk/views.ts'
import { html, type Html } from '../../../html.ts'
import { type Answer, type Ask } from '../../../http/message.ts'
import { goTo, showPage } from '../frame/answers.ts'
import { sentFields } from '../frame/forms.ts'
import { iconSheet } from '../frame/icons.ts'
import { type Inbox, type Visitor } from '../frame/inbox.ts'
import { said } from '../frame/words.ts'
import { isLeadId, paths } from '../paths.ts'
import { searchForm, viewTabs } from './list.ts'
import { leadRows } from './rows.ts'

/** The field of the page holds no more. */
const longestSought = 400

export function sealSearch({ searchSeal }: Inbox, ask: Ask): Answer {
  const sought = sentFields(ask)('q').trim().slice(0, longestSought)
  return goTo(sought === '' ? paths.list : resultsPath(searchSeal.close(sought)))
}

export async function showResults(inbox: Inbox, ask: Ask, visit: Visitor): Promise<Answer> {
  const { store, areas } = inbox.desk
  const query = new URLSearchParams(ask.query)
  const sealed = query.get('s') ?? ''
  const sought = inbox.searchSeal.open(sealed)
  // Made by another installation, or cut off in the clipboard.
  if (sought === undefined) return goTo(paths.list)
  const before = query.get('past') ?? ''
  const page = isLeadId(before) ? { before } : {}
  const isLater = 'before' in page
  const [found, counts] = await Promise.all([
    searchLeads(store, sought, { ...page, areas }),
    countViews(store),
  ])
  const rows = await toRows(store, found.leads, areas)
  const look = { now: inbox.now(), view: 'all', withStates: true } as const
  const list = rows.length === 0 ? nothing(isLater) : leadRows(rows, look)
  const main = html`<h1 class="unseen">Search</h1>
${searchForm(sought)}${viewTabs(counts, undefined)}${summary(sought, found, isLater)}${list}${pageLinks(sealed, found, isLater)}${iconSheet('call')}`
  return showPage(inbox, ask, { title: 'Search', main, visit })
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
