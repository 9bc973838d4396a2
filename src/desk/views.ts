/** The tabs of the inbox, and leads as rows of a tab. */
import { areaOf, townsOf, type Area } from '../contract/business.ts'
import { statesIn, unjoinedStates, type State, type Tab } from '../contract/states.ts'
import { whyHeld } from '../lead/judge.ts'
import { personMarks } from '../lead/person-keys.ts'
import type { NoticeState } from '../store/deliveries/deliveries.ts'
import { lastWordsOfSender, type Note } from '../store/leads/notes.ts'
import { isSamePerson, personKeysIn } from '../store/leads/persons.ts'
import { messagesIn, type Lead } from '../store/leads/rows.ts'
import { dueOf, partOf, partsOfToday, type Today } from '../store/leads/today.ts'
import type { LeadFacts } from '../store/leads/views.ts'
import type { Store } from '../store/store.ts'
import { shorten, startOf } from '../words.ts'

export type View = {
  readonly label: string
  readonly states: readonly State[]
  readonly order: 'newest' | 'due'
}

export const views = {
  today: { label: 'Today', states: statesIn('today'), order: 'due' },
  /** Also new requests whose call nobody answered. */
  contacted: { label: 'Ring again', states: statesIn('contacted'), order: 'due' },
  booked: { label: 'Booked', states: statesIn('booked'), order: 'due' },
  proposals: { label: 'Proposals', states: statesIn('proposals'), order: 'due' },
  held: { label: 'Held', states: statesIn('held'), order: 'newest' },
  spam: { label: 'Spam', states: statesIn('spam'), order: 'newest' },
  done: { label: 'Done', states: statesIn('done'), order: 'newest' },
  // A joined request is on the page of the one that it is joined with.
  all: { label: 'All', states: unjoinedStates, order: 'newest' },
} as const satisfies Record<Tab | 'all', View>

export type ViewName = keyof typeof views

export const viewNames = Object.keys(views) as ViewName[]

export function isViewName(text: string): text is ViewName {
  return Object.hasOwn(views, text)
}

/** `past` is what `cursorOf` returned for the last lead of the previous page. */
export type ViewPage = { past?: string | undefined; today: Today; limit: number }

export const rowsOfPage = 50

export async function listView(
  store: Store,
  name: ViewName,
  {
    areas,
    limit = rowsOfPage,
    ...page
  }: Omit<ViewPage, 'limit'> & { areas: readonly Area[]; limit?: number },
): Promise<{ rows: LeadRow[]; nextPage: string | undefined }> {
  const leads = await readView(store, name, { ...page, limit: limit + 1 })
  const shown = leads.slice(0, limit)
  const rows = await toRows(store, shown, areas)
  const told = name === 'today' ? await withVisits(store, rows, page.today.now) : rows
  return {
    rows: arrange(told, views[name].order, page.today),
    nextPage: leads.length > limit ? cursorOf(shown.at(-1)!, page.today) : undefined,
  }
}

const mostVisits = 200

/** Somebody who is visited soon waits for nothing, though another request of theirs is new. */
async function withVisits(store: Store, rows: readonly LeadRow[], now: number): Promise<LeadRow[]> {
  const visits = await store.views.toVisit(now, mostVisits)
  return rows.map((row) => {
    if (row.date !== undefined) return row
    const keys = personKeysIn(row)
    const visit = visits.find(
      (each) => keys.includes(each.emailKey) || keys.includes(each.phoneKey),
    )
    return visit === undefined ? row : { ...row, otherVisitAt: visit.date?.at }
  })
}

/** With the order `due`, rows with a date come first. All others are gathered by person. */
function arrange(rows: readonly LeadRow[], order: View['order'], { now }: Today): LeadRow[] {
  const dated = order === 'due' ? rows.filter(({ date }) => date !== undefined) : []
  const undated = rows.filter((row) => !dated.includes(row))
  const writers = new Map<string, LeadRow[]>()
  for (const row of undated) {
    for (const mark of personMarks(row.values))
      writers.set(mark, [...(writers.get(mark) ?? []), row])
  }
  const marked = dated.map((row) => {
    const alike = personMarks(row.values).flatMap((mark) => writers.get(mark) ?? [])
    return { ...row, wroteAgain: alike.some((other) => isSamePerson(row, other)) }
  })
  // Today shows new requests and forgotten ones below headings of their own.
  const isForgotten = (row: LeadRow) => order === 'due' && partOf(row, now) === 'forgotten'
  const forgotten = undated.filter(isForgotten)
  const others = undated.filter((row) => !isForgotten(row))
  return [...marked, ...gatherPeople(others), ...gatherPeople(forgotten)]
}

export function gatherPeople(rows: readonly LeadRow[]): LeadRow[] {
  const groups: LeadRow[][] = []
  const groupOf = new Map<string, LeadRow[]>()
  for (const row of rows) {
    const marks = personMarks(row.values)
    const known = marks.map((mark) => groupOf.get(mark)).find((group) => group !== undefined)
    const group = known ?? []
    if (known === undefined) groups.push(group)
    group.push(known === undefined ? row : { ...row, above: known[0] })
    for (const mark of marks) groupOf.set(mark, group)
  }
  return groups.flat()
}

/** Has the values that order the tab, so that the next page is found even if the lead was moved. */
export function cursorOf(lead: Lead, { now }: Today): string {
  const part = partOf(lead, now)
  return `${lead.id}.${dueOf(lead)}${part === 'dated' ? '' : `.${part}`}`
}

export async function readView(
  store: Store,
  name: ViewName,
  { past, today, limit }: ViewPage,
): Promise<Lead[]> {
  const { states, order }: View = views[name]
  const [id, at, text] = past?.split('.') ?? []
  if (order === 'newest') return store.views.list({ states, past: id, limit })
  const part = partsOfToday.find((each) => each === text) ?? 'dated'
  const after = id === undefined ? undefined : { id, at: Number(at), part }
  if (name === 'today') return store.views.ofToday({ today, past: after, limit })
  return store.views.byDate(states, { past: after, limit })
}

const mostCounted = 100

export async function countOfToday(store: Store, today: Today): Promise<number> {
  return Math.min((await store.views.countDue(today, mostCounted)).today, mostCounted)
}

export async function countViews(store: Store, today: Today): Promise<Record<ViewName, number>> {
  const [counts, due] = await Promise.all([
    store.views.countStates(mostCounted),
    store.views.countDue(today, mostCounted),
  ])
  const countOf = (name: ViewName) => {
    if (name === 'today') return due.today
    const { states }: View = views[name]
    return Object.entries(counts)
      .filter(([state]) => states.includes(state as State))
      .reduce((sum, [, n]) => sum + n, name === 'contacted' ? due.tried : 0)
  }
  const entries = viewNames.map((name) => [name, Math.min(countOf(name), mostCounted)])
  return Object.fromEntries(entries) as Record<ViewName, number>
}

/** A file of all requests has the joined ones, too. */
export async function countToExport(store: Store, today: Today): Promise<Record<ViewName, number>> {
  const [counts, byState] = await Promise.all([
    countViews(store, today),
    store.views.countStates(mostCounted),
  ])
  return { ...counts, all: Object.values(byState).reduce((sum, n) => sum + n, 0) }
}

export function toCountText(count: number): string {
  return count < mostCounted ? String(count) : `${mostCounted - 1}+`
}

export type LeadRow = Lead &
  LeadFacts & {
    town: string
    /** The start of the message, or of the words with which the customer asks for another time. */
    start: string
    /** The members' notes, the newest first; '' if there are none. */
    notes: string
    /** The messages of the requests that are joined with it, the oldest first. */
    joinedMessages: readonly string[]
    whyHeld: string[]
    noticeState: NoticeState
    /** For a row with a date: whether the same person also has a request without a date on this page. */
    wroteAgain?: boolean
    /** In Today, for a row without a date: when the person's other request has a visit, from today on. */
    otherVisitAt?: number | undefined
    /** The first row of the same person, if this row stands below it. */
    above?: LeadRow | undefined
  }

export async function toRows(
  store: Store,
  leads: readonly Lead[],
  areas: readonly Area[],
): Promise<LeadRow[]> {
  const ids = leads.map(({ id }) => id)
  const [noticeStates, facts, notes, joined] = await Promise.all([
    store.deliveries.noticeStatesOf(ids),
    store.views.factsOf(ids),
    store.leads.notesWithJoined(leads),
    store.leads.joinedWith(leads),
  ])
  return leads.map((lead) => ({
    ...lead,
    town: shortPlaceOf(lead, areas),
    start: startOf(askedWords(lead, notes.get(lead.id)) || firstMessage(lead, joined)),
    whyHeld: whyHeld(lead.judgement),
    noticeState: noticeStates.get(lead.id) ?? 'none',
    notes: notesInShort(notes.get(lead.id)),
    joinedMessages: messagesIn(joined.get(lead.id)),
    ...(facts.get(lead.id) ?? {
      nth: 1,
      wonAt: undefined,
      tries: 0,
      touchedAt: lead.stateChangedAt,
    }),
  }))
}

/** What the customer wrote when asking for another time of the visit; '' if nothing. */
export function askedWords({ id, askedAt }: Lead, notes: readonly Note[] = []): string {
  if (askedAt === undefined) return ''
  return lastWordsOfSender(notes.filter(({ leadId }) => leadId === id))
}

/** Somebody who rang first may have written later. */
function firstMessage(lead: Lead, joined: ReadonlyMap<string, readonly Lead[]>): string {
  return messagesIn([lead, ...(joined.get(lead.id) ?? [])])[0] ?? ''
}

const longestNotes = 400

/** What the customer wrote to ask for another time is no note: the row says it until it is answered. */
function notesInShort(notes: readonly Note[] = []): string {
  const own = notes.filter(({ memberId }) => memberId !== 'sender')
  const words = own.toReversed().map((note) => note.words)
  return shorten(words.join(' / ').replaceAll(/\s+/g, ' '), longestNotes)
}

export function placeOfLead({ values: { postcode } }: Lead, areas: readonly Area[]): string {
  return areaOf(postcode, areas) ?? postcode
}

/** An area with several towns is called by the first: "Ballina" for "Ballina and Lennox Head". */
function shortPlaceOf({ values: { postcode } }: Lead, areas: readonly Area[]): string {
  const area = areaOf(postcode, areas)
  return area === undefined ? postcode : townsOf(area)[0]!
}
