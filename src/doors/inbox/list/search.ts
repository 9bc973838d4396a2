/** Shows what a search finds. Its words are encrypted in the address, so that no address names a person. */
import {
  foundWords,
  isTooShort,
  longestSought,
  mostTerms,
  searchLeads,
  type FoundLeads,
} from '../../../desk/search.ts'
import { countViews, gatherPeople, toRows, type LeadRow } from '../../../desk/views.ts'
import { html, type Html, noHtml } from '../../../html.ts'
import { type Answer } from '../../../http/message.ts'
import { startOf } from '../../../words.ts'
import { goTo, showWhole } from '../frame/answers.ts'
import {
  askedFields,
  todayIn,
  sentFields,
  type Caller,
  type SignedInCaller,
} from '../frame/inbox.ts'
import { leadRows, rowsOptions } from '../frame/rows.ts'
import { iconSheet, said } from '../frame/words.ts'
import { listPath, paths, readListPlace } from '../paths.ts'
import { pageLinks, viewTabs } from './tabs.ts'

export function sealSearch(caller: Caller): Answer {
  const sought = sentFields(caller)('q').trim().slice(0, longestSought)
  return goTo(sought === '' ? paths.search : listPath({ s: caller.inbox.searchSeal.close(sought) }))
}

export async function showResults(caller: SignedInCaller): Promise<Answer> {
  const { inbox } = caller
  const { store, business, taker } = inbox
  const place = readListPlace(askedFields(caller))
  const sought = inbox.searchSeal.open(place.s ?? '')
  // The address has no words, was made with another secret, or was cut when it was copied.
  if (sought === undefined) return askForWords(caller)
  if (isTooShort(sought)) return askForMore(caller, sought)
  const isLater = place.past !== undefined
  const [found, counts] = await Promise.all([
    searchLeads(store, sought, {
      areas: business.areas,
      before: place.past,
      keysOf: taker.keysOf,
    }),
    countViews(store, todayIn(inbox)),
  ])
  const rows = await toFoundRows(caller, found, sought)
  const options = { ...(await rowsOptions(caller)), place }
  const main = html`<h1 class="unseen">Search</h1>
${viewTabs(counts, undefined)}${summary(sought, found, isLater)}
${rows.length === 0 ? nothingFound(found, isLater) : leadRows(rows, options)}
${pageLinks(place, found.nextPage, found.isWhole ? undefined : 'Search older ones')}${iconSheet('call')}`
  return showWhole(caller, { title: 'Search', main, sought })
}

/** Without scripts, a phone shows the field only here. */
function askForWords(caller: SignedInCaller): Promise<Answer> {
  return showUnclear(caller, '', html`<p class="empty">${whatToType}</p>`)
}

function askForMore(caller: SignedInCaller, sought: string): Promise<Answer> {
  const words = html`<p class="empty" role="status">Type at least two letters.</p>`
  return showUnclear(caller, sought, words)
}

async function showUnclear(caller: SignedInCaller, sought: string, words: Html): Promise<Answer> {
  const counts = await countViews(caller.inbox.store, todayIn(caller.inbox))
  const main = html`<h1 class="unseen">Search</h1>
${viewTabs(counts, undefined)}${words}
`
  return showWhole(caller, { title: 'Search', main, sought })
}

const whatToType =
  'You can search for words of a name, a place or a message, for your notes, for some digits of a phone number, for a part of an email, or for a reference. Each word may be cut short.'

/** A row shows the note or the joined message that has the words, instead of its own message. */
async function toFoundRows(
  { inbox: { store, business } }: SignedInCaller,
  found: FoundLeads,
  sought: string,
): Promise<LeadRow[]> {
  const rows = await toRows(store, found.leads, business.areas)
  const words = await foundWords(store, { rows, where: found.where }, sought)
  const shown = rows.map((row) => ({
    ...row,
    start: startOf(words.get(row.id) ?? '') || row.start,
  }))
  return gatherPeople(shown)
}

function summary(sought: string, found: FoundLeads, isLater: boolean): Html {
  const cut = found.isCut ? `. Only the first ${mostTerms} words count` : ''
  const older = found.isWhole ? '' : '. Older requests were not searched'
  return html`<p class="found">
<span role="status">${countFound(found, isLater)} for <b>${said(sought)}</b>${cut}${older}</span>
<a href="${paths.list}">Clear</a>
</p>
`
}

function countFound({ leads, nextPage }: FoundLeads, isLater: boolean): string {
  if (leads.length === 0) return 'Nothing found'
  if (isLater) return `${leads.length} more`
  if (nextPage !== undefined) return `The newest ${leads.length}`
  return leads.length === 1 ? '1 request' : `${leads.length} requests`
}

function nothingFound({ isWhole }: FoundLeads, isLater: boolean): Html {
  if (!isWhole) return noHtml
  if (isLater) {
    return html`<p class="empty">That was the last page.</p>
`
  }
  return html`<div class="empty">
<p>No request matches. Try fewer letters, or another word.</p>
<p>${whatToType}</p>
</div>
`
}
