/** Shows the tabs of the inbox, and tells their script what has changed since. */
import { overdueAt } from '../../../contract/visit.ts'
import { sumInWords } from '../../../desk/plan.ts'
import {
  countOfToday,
  countViews,
  listView,
  rowsOfPage,
  views,
  type LeadRow,
  type ViewName,
} from '../../../desk/views.ts'
import { html, noHtml, type Html } from '../../../html.ts'
import { type Answer } from '../../../http/message.ts'
import { inFullWords } from '../../../time.ts'
import { scriptAnswer, showWhole } from '../frame/answers.ts'
import { doneBar } from '../frame/done-bar.ts'
import { askedFields, todayIn, type Inbox, type SignedInCaller } from '../frame/inbox.ts'
import { leadRows, rowsOptions, type RowsOptions } from '../frame/rows.ts'
import { backupWarning, iconSheet, noticeWarning } from '../frame/words.ts'
import { isLeadId, listPath, readListPlace, type ListPlace } from '../paths.ts'
import { allowedBar, blockedElsewhere } from './blocked.ts'
import { heldRows, type HeldState } from './held.ts'
import { pageLinks, viewTabs } from './tabs.ts'

export async function showList(caller: SignedInCaller): Promise<Answer> {
  const { inbox, typed } = caller
  const asked = askedFields(caller)
  const place = readListPlace(asked)
  const today = todayIn(inbox)
  const { rows, nextPage } = await readRows(caller, place)
  const counts = await countViews(inbox.store, today)
  const warnings = await Promise.all([noticeWarning(inbox), backupWarning(inbox)])
  const spam = await spamParts(caller, place)
  const options = {
    ...(await rowsOptions(caller)),
    place,
    since: asked('since'),
    freeDays: freeDaysOf(inbox, place, nextPage),
  }
  const { now, timeZone } = options
  const { label } = views[place.view]
  const [newest] = await inbox.store.views.list({ limit: 1 })
  const main = html`<h1 class="unseen">${label}</h1>
<p class="paper">${inFullWords(now, timeZone)}</p>
${await doneBar(caller, { place })}${spam.bar}
${warnings}${viewTabs(counts, place.view)}
<p class="news" role="status"
  data-newest="${newest?.id ?? ''}"
  data-until="${trueUntil(rows, now, today.until)}"
  data-today="${counts.today}"></p>
${rowsOfView(rows, options)}${pageLinks(place, nextPage)}${spam.below}${iconSheet('call')}`
  return showWhole(caller, { title: label, main, sought: typed?.('q') ?? '' })
}

/** On a part of the visits, a day could look free that is not. */
function freeDaysOf({ business }: Inbox, { view, past }: ListPlace, next: string | undefined) {
  const isWhole = view === 'booked' && past === undefined && next === undefined
  return isWhole ? business.hours : undefined
}

async function spamParts(caller: SignedInCaller, { view, past }: ListPlace) {
  if (view !== 'spam') return { bar: '', below: '' }
  return {
    bar: await allowedBar(caller),
    below: past === undefined ? await blockedElsewhere(caller) : '',
  }
}

/** Half of the usual rows, because a row with buttons is twice as high. */
const rowsWithButtons = rowsOfPage / 2

function readRows({ inbox }: SignedInCaller, { view, past }: ListPlace) {
  const limit = hasButtons(view) ? rowsWithButtons : rowsOfPage
  const page = { areas: inbox.business.areas, past, limit, today: todayIn(inbox) }
  return listView(inbox.store, view, page)
}

function hasButtons(view: ViewName): view is HeldState {
  return view === 'held' || view === 'spam'
}

/** From this time on the list is out of date, because a date has passed or a new day has begun. */
function trueUntil(rows: readonly LeadRow[], now: number, endOfDay: number): number {
  const dates = rows.flatMap(({ date }) => (date === undefined ? [] : [overdueAt(date)]))
  return Math.min(endOfDay, ...dates.filter((at) => at > now))
}

function rowsOfView(rows: readonly LeadRow[], options: RowsOptions): Html {
  const { view, past } = options.place
  if (rows.length === 0 && options.freeDays === undefined) {
    const isLater = view === 'booked' || past !== undefined
    const words = isLater ? 'That was the last page.' : emptyViews[view]
    return html`<p class="empty">${words}</p>
`
  }
  if (hasButtons(view)) return heldRows(rows, view, options)
  return html`${view === 'proposals' ? sumOut(rows) : ''}${leadRows(rows, { ...options, canMove: true })}`
}

/** What the proposals on the page come to. */
function sumOut(rows: readonly LeadRow[]): Html {
  const sum = rows.reduce((all, { proposalSum = 0 }) => all + proposalSum, 0)
  if (sum === 0) return noHtml
  return html`<p class="small soft">${rows.length} out, ${sumInWords(sum)}</p>
`
}

/** Booked shows its free days instead. */
const emptyViews: Record<Exclude<ViewName, 'booked'>, string> = {
  today:
    'Nobody is waiting for you. New requests come here, and those whose date has come, the longest wait first.',
  contacted:
    'There is nobody to ring again. Whom you have spoken to, or tried to reach, stands here until a visit is booked.',
  proposals:
    'No proposal is out. Mark a request as Proposal sent, and it appears here under the day to follow up.',
  held: 'Nothing is held. What looks like spam waits here until you decide; nothing is thrown away.',
  spam: 'No spam. What you mark as spam is kept here, in case it was not.',
  done: 'Nothing is finished yet. Won, lost, not suitable and withdrawn requests are kept here.',
  all: 'No request has come in yet. The first one will appear here.',
}

/** Tells live.js how many new requests the page lacks (`count`), where they are (`to`), and whether it is out of date (`isOld`). */
export async function countNew(caller: SignedInCaller): Promise<Answer> {
  const asked = askedFields(caller)
  const since = isLeadId(asked('since')) ? asked('since') : ''
  const { store, now } = caller.inbox
  const [found, today] = await Promise.all([
    store.views.list({ states: ['new'], order: 'oldest', past: since, limit: mostNews }),
    countOfToday(store, todayIn(caller.inbox)),
  ])
  const until = Number(asked('until')) || Number.POSITIVE_INFINITY
  const isOld = now() >= until || asked('today') !== String(today)
  const place = newsPlace(since, today)
  return scriptAnswer(200, { count: found.length, isOld, to: listPath({ ...place, since }) })
}

const mostNews = 99

/** The page of Today that has the requests after `since`: where one page is too short, the page that begins with them. */
function newsPlace(since: string, today: number): ListPlace {
  const isShort = since === '' || today <= rowsOfPage
  return { view: 'today', past: isShort ? undefined : `${since}.0.undated` }
}
