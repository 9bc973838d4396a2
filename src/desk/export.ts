/** Writes leads as CSV or JSON, a page at a time, so that any number of leads takes the same memory. */
import { areaOf, type Business } from '../contract/business.ts'
import { groupPhone } from '../lead/contact-links.ts'
import { fields, type ExportFormat, type FieldKey } from '../contract/fields.ts'
import { doorWords, lostReasons, stateWords } from '../contract/states.ts'
import { isCalledOff } from '../contract/visit.ts'
import { keysToTrust } from '../lead/person-keys.ts'
import type { DetailsBefore } from '../store/leads/details.ts'
import type { LeadEvent } from '../store/leads/events.ts'
import type { Note } from '../store/leads/notes.ts'
import type { Lead } from '../store/leads/rows.ts'
import type { Today } from '../store/leads/today.ts'
import type { Store } from '../store/store.ts'
import { localTime, toTime24 } from '../time.ts'
import { asSentOf, detailForm, type DetailKey, type TypedDetails } from './details.ts'
import { todoOf } from './plan.ts'
import { cursorOf, readView, type ViewName } from './views.ts'
import { toTexts } from './whole-lead.ts'

export type Pages = AsyncIterable<Lead[]>

/** Small, because writing a page blocks the event loop. */
const pageSize = 50

export function pagesOfView(store: Store, view: ViewName, today: Today): Pages {
  if (view === 'all') return pages((last) => store.views.list({ limit: pageSize, past: last?.id }))
  return pages((last) =>
    readView(store, view, { limit: pageSize, past: last && cursorOf(last, today), today }),
  )
}

export async function pagesOfPerson(store: Store, id: string, alsoPhone: boolean): Promise<Pages> {
  const keys = keysToTrust(await store.views.personKeysOf(id), alsoPhone)
  // Without an email, nothing says which other requests are of the same person.
  if (keys.length === 0) return pages((last) => (last ? [] : store.leads.findMany([id])))
  return pages((last) => store.views.ofPerson(keys, { limit: pageSize, before: last?.id }))
}

export async function* pages(
  readAfter: (last?: Lead) => Promise<Lead[]> | Lead[],
): AsyncGenerator<Lead[]> {
  for (let last: Lead | undefined; ;) {
    const leads = await readAfter(last)
    if (leads.length === 0) return
    yield leads
    last = leads.at(-1)
  }
}

type CsvFacts = Pick<Business, 'areas' | 'timeZone'>

type ExportOptions = {
  format: ExportFormat
  /** Has no effect on CSV. */
  withEvents?: boolean
  /** Called for CSV only, so that the other formats can be written without business.yaml. */
  readBusiness: () => CsvFacts
}

export async function* writeLeads(
  store: Store,
  leads: Pages,
  { format, withEvents = false, readBusiness }: ExportOptions,
): AsyncGenerator<string> {
  const columns = format === 'csv' ? columnsFor(readBusiness()) : {}
  let isFirst = true
  if (format === 'json') yield '['
  // Excel recognises UTF-8 only by the byte order mark.
  if (format === 'csv') yield `\ufeff${toCsvRow(Object.keys(columns))}`
  for await (const page of leads) {
    let text = ''
    for (const kept of await readKept(store, page, withEvents)) {
      text +=
        format === 'csv'
          ? toCsvRow(Object.values(columns).map((cellOf) => cellOf(kept.lead, kept)))
          : toJsonText(toShownWhole(kept), format, isFirst)
      isFirst = false
    }
    yield text
  }
  if (format === 'json') yield '\n]\n'
}

/** `before`: what the details were before each correction. `events`: `undefined` if nobody asked for them. */
type KeptBeside = {
  lead: Lead
  notes: readonly Note[]
  before: readonly DetailsBefore[]
  /** The references of the requests that are joined with it, which may be of another person. */
  joined: readonly string[]
  events: readonly LeadEvent[] | undefined
}

export async function readKept(
  store: Store,
  leads: readonly Lead[],
  withEvents: boolean,
): Promise<KeptBeside[]> {
  const [notes, before, joined, events] = await Promise.all([
    store.leads.notesOf(leads),
    store.leads.detailsBeforeOf(leads),
    store.leads.referencesJoined(leads),
    withEvents ? store.leads.eventsOf(leads) : [],
  ])
  const byLead = Map.groupBy(notes, ({ leadId }) => leadId)
  return leads.map((lead, index) => ({
    lead,
    notes: byLead.get(lead.id) ?? [],
    before: before[index] ?? [],
    joined: joined.get(lead.id) ?? [],
    events: events[index],
  }))
}

function toJsonText(value: object, format: 'jsonl' | 'json', isFirst: boolean): string {
  const text = JSON.stringify(value)
  if (format === 'jsonl') return `${text}\n`
  return `${isFirst ? '' : ','}\n${text}`
}

type ColumnWriters = Record<string, (lead: Lead, kept: KeptBeside) => string>

/** CSV is written for people, because programs can read JSON. */
function columnsFor({ timeZone, areas }: CsvFacts): ColumnWriters {
  const local = (at: number) => toLocal(at, timeZone)
  const placed: ColumnWriters = {
    Name: ({ values }) => values.name,
    // Spreadsheets read ungrouped digits as a number and drop the leading 0.
    Phone: ({ values }) => groupPhone(values.phone),
    'Second phone': ({ secondPhone = '' }) => groupPhone(secondPhone),
    Email: ({ values }) => values.email,
    Street: ({ street = '' }) => street,
    Place: ({ values }) => areaOf(values.postcode, areas) ?? '',
    Postcode: ({ values }) => values.postcode,
    Message: ({ values }) => values.message,
  }
  const further = fields.filter(({ ownerLabel }) => !Object.hasOwn(placed, ownerLabel))
  return {
    Received: ({ receivedAt }) => local(receivedAt),
    ...placed,
    ...Object.fromEntries(
      further.map(({ key, ownerLabel }) => [ownerLabel, ({ values }: Lead) => values[key]]),
    ),
    State: ({ state }) => stateWords[state],
    Since: ({ stateChangedAt }) => local(stateChangedAt),
    'Lost because': ({ lostWhy }) => (lostWhy ? lostReasons[lostWhy] : ''),
    Sum: ({ proposalSum }) => String(proposalSum ?? ''),
    Next: (lead) => (isAhead(lead) ? local(lead.date!.at) : ''),
    'To do': (lead) => (isAhead(lead) ? todoOf(lead.date!, lead).what : ''),
    'Visit place': ({ visitPlace = '' }) => visitPlace,
    'Came by': ({ door, agent }) => doorWords[door] + (agent && ` (${agent})`),
    'Sent as': (_, kept) => toLines(sentInWords(kept)),
    Notes: (_, { notes }) => toLines(notes.map(({ at, words }) => `${local(at)} ${words}`)),
    // All unlisted fields share one column, because the header row is written before the leads are read.
    'Other fields': ({ unlisted }) =>
      toLines(toTexts(unlisted).map(({ name, text }) => `${name}: ${text}`)),
    Reference: ({ reference }) => reference,
    Id: ({ id }) => id,
  }
}

function isAhead(lead: Lead): boolean {
  return lead.date !== undefined && !isCalledOff(lead)
}

const toLines = (texts: readonly string[]) => texts.join('\n')

/** Writes a time as "2026-11-17 01:55", which every spreadsheet reads as a time. */
function toLocal(at: number, timeZone: string): string {
  const { date, minute } = localTime(at, timeZone)
  return `${date} ${toTime24(minute)}`
}

/** `sent_as`: what the customer sent, where the owner corrected it. */
export function toShownWhole({ lead, notes, before, joined, events }: KeptBeside) {
  const sentAs = toShownDetails(asSentOf(lead, before[0]?.details))
  const now = { ...toShown(lead), joined, sent_as: sentAs, notes: notes.map(toShownNote) }
  return { ...now, ...(events && { events: events.map((each) => toShownEvent(each, before)) }) }
}

/** The event of a correction has the details that it replaced. */
function toShownEvent({ number, at, kind, data }: LeadEvent, before: readonly DetailsBefore[]) {
  const replaced = before.find((each) => each.number === number)?.details
  const more = replaced && { before: toShownDetails(replaced) }
  return { at: toTime(at), kind, data: { ...(JSON.parse(data) as object), ...more } }
}

function toShownDetails(details: Partial<TypedDetails>): Record<string, string> {
  const given = detailForm.filter(({ key }) => details[key] !== undefined)
  return Object.fromEntries(given.map(({ key }) => [shownNames[key], details[key]!]))
}

/** "Name: Naomy". */
function sentInWords({ lead, before }: KeptBeside): string[] {
  const sent = asSentOf(lead, before[0]?.details)
  return detailForm.filter(({ key }) => sent[key]).map(({ key, label }) => `${label}: ${sent[key]}`)
}

type ShownLead = Record<string, string | number>

const fieldNames = Object.fromEntries(fields.map(({ key, name }) => [key, name])) as Record<
  FieldKey,
  string
>
const shownNames: Record<DetailKey, string> = {
  ...fieldNames,
  secondPhone: 'second_phone',
  street: 'street',
}

const parts: Record<string, (lead: Lead) => string | number> = {
  reference: (lead) => lead.reference,
  id: (lead) => lead.id,
  received_at: (lead) => toTime(lead.receivedAt),
  state: (lead) => lead.state,
  state_changed_at: (lead) => toTime(lead.stateChangedAt),
  ...Object.fromEntries(fields.map(({ name, key }) => [name, (lead: Lead) => lead.values[key]])),
  second_phone: (lead) => lead.secondPhone ?? '',
  street: (lead) => lead.street ?? '',
  lost_why: (lead) => lead.lostWhy ?? '',
  proposal_sum: (lead) => lead.proposalSum ?? '',
  next_at: (lead) => (lead.date === undefined ? '' : toTime(lead.date.at)),
  next_for: (lead) => lead.date?.what ?? '',
  visit_place: (lead) => lead.visitPlace ?? '',
  asked_at: (lead) => (lead.askedAt === undefined ? '' : toTime(lead.askedAt)),
  taken_by: (lead) => lead.takenBy ?? '',
  joined_to: (lead) => lead.joinedTo,
  unlisted: (lead) => lead.unlisted,
  botcheck: (lead) => lead.botcheck,
  score: (lead) => lead.judgement.score,
  reasons: (lead) => lead.judgement.reasons.join(' '),
  door: (lead) => lead.door,
  agent: (lead) => lead.agent,
  user_agent: (lead) => lead.userAgent,
}

export function toShown(lead: Lead): ShownLead {
  return Object.fromEntries(Object.entries(parts).map(([name, partOf]) => [name, partOf(lead)]))
}

function toShownNote({ at, memberId, words }: Note) {
  return { at: toTime(at), by: memberId, words }
}

export function toTime(ms: number): string {
  return new Date(ms).toISOString()
}

/** Writes a row by RFC 4180, in which no cell begins a formula. */
export function toCsvRow(cells: readonly (string | number)[]): string {
  return `${cells.map(toCell).join(',')}\r\n`
}

/** A cell gets a `'` before these, so that it begins no formula. `'` gets one too, so that removing one restores it. */
const risky = /^['=+\-@\t\r\n＝＋－＠]/

/** Where a formula would begin in a program that splits cells at semicolons or tabs and ignores quotes. */
const riskyInside = /(?<=[;\t\r\n])(?=["']*(?:[=+@＝＋＠]|[-－]\S))/g

function toCell(value: string | number): string {
  const text = String(value).replaceAll(riskyInside, "'")
  return `"${(risky.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`
}
