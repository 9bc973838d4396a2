/** A notice is read from the store only when it is sent, so it has no details of a lead erased meanwhile. */
import {
  readerOf,
  type ChannelName,
  type LeadNoticeKind,
  type NoticeKind,
} from '../contract/notices.ts'
import type { RetainedCounts } from '../contract/states.ts'
import {
  isCalledOff,
  newsOf,
  toDate,
  visitOf,
  type VisitEmail,
  type VisitNews,
} from '../contract/visit.ts'
import {
  aboutAsking,
  aboutBackup,
  aboutDead,
  aboutDisk,
  aboutJoined,
  aboutSpan,
  aboutToday,
  aboutVisit,
  type Span,
} from '../store/deliveries/about.ts'
import { toDeliveryId, type Delivery, type NewDelivery } from '../store/deliveries/rows.ts'
import { dataOf } from '../store/leads/events.ts'
import { lastWordsOfSender } from '../store/leads/notes.ts'
import { messagesIn, type Lead } from '../store/leads/rows.ts'
import { partOf, type PartOfToday } from '../store/leads/today.ts'
import type { Store } from '../store/store.ts'
import { workdayOf, type OpeningHours, type Workday } from './workday.ts'

/** `total` also counts the leads that are not in `leads`. */
export type SomeLeads = { leads: Lead[]; total: number }

export type TodaysWork = {
  /**
   * The customer asks for another time, in these words. The visit still stands, so one of today is
   * also in `visits`.
   */
  asked: SomeLeads & { words: ReadonlyMap<string, string> }
  /** Visits of today. */
  visits: SomeLeads
  /** Visits on the closed days after today, because no email comes on those. */
  visitsWhileClosed: SomeLeads
  /** Visits before today of which nobody has said how they went. */
  visitsToClose: SomeLeads
  /** Calls, and proposals to follow up. */
  rings: SomeLeads
  /** New requests, the oldest first. `latest`: the newest, if not all are in `leads`. */
  fresh: SomeLeads & { latest: Lead[] }
  /** Open requests that nobody has touched for days, with the time of the last touch. */
  undated: SomeLeads & { touchedAt: ReadonlyMap<string, number> }
}

/** A notice about a request, and nothing else. */
export type RequestNoticeKind = Exclude<LeadNoticeKind, 'lead.visit'>

/**
 * `nth`: 3 for the third request of the same email or phone number; always 1 outside the owner's mail.
 * `asking`: what the customer wrote to ask for another time; '' outside the owner's mail.
 * `stays`: the request that a withdrawn one was joined with, in the owner's mail.
 */
type AboutRequest = { lead: Lead; nth: number; asking: string; stays: Lead | undefined }

type Contents = Record<RequestNoticeKind, AboutRequest> & {
  /** `said`: what the address knows once the email is sent. */
  'lead.visit': { lead: Lead; news: VisitNews; said: VisitEmail }
  'leads.today': {
    work: TodaysWork
    /** How many messages a request has, where others are joined with it. */
    messages: ReadonlyMap<string, number>
    /** `unlike`: ids of leads that are held for their sender, but may be of the person whom spam named. */
    held: SomeLeads & { unlike: ReadonlySet<string> }
    /** The leads that retention erases within a week, or from `erasesFrom` on. */
    leaving: Partial<RetainedCounts>
    /** While retention only counts. */
    erasesFrom: number | undefined
    span: Span
  }
  'leads.gathered': { total: number }
  'delivery.dead': { channel: string } & SomeLeads
  'disk.low': { freeMib: number; machine: string }
  /** `madeAt`: 0 if there is no backup. */
  'backup.late': { madeAt: number; machine: string }
  'service.test': unknown
}

export type NoticeOf<Kind extends NoticeKind> = {
  [Each in Kind]: { kind: Each } & Contents[Each]
}[Kind]

export type Notice = NoticeOf<NoticeKind>

/** `at`: when the thing happened that the notice is about, not when the notice is sent. */
export type DatedNotice<Kind extends NoticeKind = NoticeKind> = {
  at: number
  notice: NoticeOf<Kind>
}

/** What a notice is read from when its delivery is due. */
export type Reading = { store: Store; delivery: Delivery; now: number; opening: OpeningHours }

export type Found<Kind extends NoticeKind> = Promise<DatedNotice<Kind> | undefined>

/** A delivery with the same `name` and channel is added only once. */
export function toEach(
  channels: readonly ChannelName[],
  { name, ...notice }: Pick<NewDelivery, 'kind' | 'about' | 'dueAt'> & { name: string },
): NewDelivery[] {
  return channels.map((channel) => ({
    id: toDeliveryId(name, channel),
    leadId: '',
    channel,
    ...notice,
  }))
}

const mostShown = 20
const latestShown = 5
const mostCounted = 1_000

export async function readGathered({ store, delivery }: Reading): Found<'leads.gathered'> {
  const span = aboutSpan.read(delivery.about)
  const total = await store.deliveries.countGathered(delivery.channel, span)
  return total === 0 ? undefined : { at: span.before, notice: { kind: 'leads.gathered', total } }
}

export function readDiskNotice({ delivery }: Reading): DatedNotice<'disk.low'> {
  const { at, ...disk } = aboutDisk.read(delivery.about)
  return { at, notice: { kind: 'disk.low', ...disk } }
}

export function readBackup({ delivery }: Reading): DatedNotice<'backup.late'> {
  const { at, ...backup } = aboutBackup.read(delivery.about)
  return { at, notice: { kind: 'backup.late', ...backup } }
}

export async function readVisitNotice(
  { store, delivery: { leadId, about }, now }: Reading,
  lead: Lead,
): Found<'lead.visit'> {
  const { answers } = aboutVisit.read(about)
  const news = newsOf(lead, await store.deliveries.visitEmailsOf(leadId), { now, answers })
  if (news === undefined) return undefined
  const isOff = news.kind === 'off'
  const { at, place } = isOff ? news.before : news.visit
  const said = { to: lead.emailKey, at, place, isOff, answers }
  return { at: lead.stateChangedAt, notice: { kind: 'lead.visit', lead, news, said } }
}

export function readRequest<Kind extends RequestNoticeKind>(kind: Kind) {
  return async ({ store, delivery }: Reading, lead: Lead): Promise<DatedNotice<Kind>> => {
    const at = happenedAt(lead, kind)
    const read = (found: Partial<AboutRequest>) => {
      const about: AboutRequest = { lead, nth: 1, asking: '', stays: undefined, ...found }
      return { at, notice: { kind, ...about } } as DatedNotice<Kind>
    }
    if (readerOf(delivery.channel) !== 'owner') return read({})
    const stays = kind === 'lead.withdrawn' ? await findStaying(store, delivery.about) : undefined
    if (lead.state === 'erased') return read({ lead: await withErasedVisit(store, lead), stays })
    const facts = await store.views.factsOf([lead.id])
    const asking = kind === 'lead.asked' ? await askedWordsOf(store, lead, delivery.about) : ''
    return read({ nth: facts.get(lead.id)?.nth ?? 1, asking, stays })
  }
}

/** The customer may have taken the other request back, too. */
async function findStaying(store: Store, about: string): Promise<Lead | undefined> {
  if (about === '') return undefined
  const first = await store.leads.find(aboutJoined.read(about).first)
  return first && !['withdrawn', 'erased'].includes(first.state) ? first : undefined
}

/** The owner must hear which visit is off, and the lead has none any more. */
async function withErasedVisit(store: Store, lead: Lead): Promise<Lead> {
  const [events = []] = await store.leads.eventsOf([lead])
  const { was } = dataOf(events.findLast(({ kind }) => kind === 'lead.erased')!)
  const isAhead = was?.what === 'visit' && was.at > lead.stateChangedAt
  return isAhead ? { ...lead, date: toDate(was, lead) } : lead
}

function happenedAt(lead: Lead, kind: LeadNoticeKind): number {
  if (kind === 'lead.received') return lead.receivedAt
  return (kind === 'lead.asked' && lead.askedAt) || lead.stateChangedAt
}

/** The words are a note, so that the owner finds them on the page of the request. */
async function askedWordsOf(store: Store, lead: Lead, about: string): Promise<string> {
  const notes = await store.leads.notesOf([lead])
  // A delivery of an earlier version does not say which note it is.
  if (about === '') return lastWordsOfSender(notes)
  const { number: asked } = aboutAsking.read(about)
  return notes.find(({ number }) => number === asked)?.words ?? ''
}

export async function readTodayNotice({ store, delivery, opening }: Reading): Found<'leads.today'> {
  const { leaving = {}, erasesFrom, ...span } = aboutToday.read(delivery.about)
  const work = await readWork(store, workdayOf(span.before, opening), span.before)
  const held = await readHeld(store, span)
  const isIdle = [...Object.values(work), held].every(({ total }) => total === 0)
  // Retention waits so that the owner hears of it, so that alone is worth an email.
  const warns =
    erasesFrom !== undefined && Object.values<number>(leaving).some((leads) => leads > 0)
  if (isIdle && !warns) return undefined
  const messages = await messagesOfJoined(store, work)
  const notice = { kind: 'leads.today', work, messages, held, leaving, erasesFrom, span } as const
  return { at: span.before, notice }
}

async function messagesOfJoined(store: Store, work: TodaysWork): Promise<Map<string, number>> {
  const leads = [...Object.values(work), { leads: work.fresh.latest }].flatMap((some) => some.leads)
  const joined = await store.leads.joinedWith(leads)
  const counts = leads
    .filter(({ id }) => joined.has(id))
    .map((lead): [string, number] => [lead.id, messagesIn([lead, ...joined.get(lead.id)!]).length])
  return new Map(counts)
}

async function readHeld(store: Store, span: Span): Promise<NoticeOf<'leads.today'>['held']> {
  const [total, first, all] = await Promise.all([
    store.views.countHeld(span),
    store.views.heldUnlikeSpam(span, mostShown),
    store.views.held(span, mostShown),
  ])
  const unlike = new Set(first.map(({ id }) => id))
  const others = all.filter(({ id }) => !unlike.has(id))
  return { leads: [...first, ...others].slice(0, mostShown), total, unlike }
}

async function readWork(store: Store, today: Workday, now: number): Promise<TodaysWork> {
  const due = await store.views.ofToday({
    today: { now, until: today.before },
    limit: mostCounted,
  })
  const booked = await store.views.toVisit(today.before, mostCounted)
  const leads = due.filter((lead) => !isCalledOff(lead))
  const inPart = (part: PartOfToday) => leads.filter((lead) => partOf(lead, now) === part)
  const visits = leads.filter((lead) => visitOf(lead) !== undefined && lead.date!.at < today.before)
  const asked = toSome(inPart('asked'))
  const undated = toSome(inPart('forgotten'))
  const facts = await store.views.factsOf(undated.leads.map(({ id }) => id))
  const touchedAt = new Map([...facts].map(([id, each]) => [id, each.touchedAt]))
  return {
    asked: { ...asked, words: await wordsOfAsking(store, asked.leads) },
    visits: toSome(visits.filter(({ date }) => date!.at >= today.from)),
    visitsWhileClosed: toSome(booked.filter(({ date }) => date!.at < today.opensAgain)),
    visitsToClose: toSome(visits.filter(({ date }) => date!.at < today.from)),
    rings: toSome(leads.filter(({ date }) => date?.what === 'ring')),
    fresh: toOldestAndLatest(inPart('undated')),
    undated: { ...undated, touchedAt },
  }
}

async function wordsOfAsking(store: Store, leads: readonly Lead[]): Promise<Map<string, string>> {
  const notes = Map.groupBy(await store.leads.notesOf(leads), ({ leadId }) => leadId)
  return new Map([...notes].map(([id, own]) => [id, lastWordsOfSender(own)]))
}

function toSome(all: readonly Lead[]): SomeLeads {
  return { leads: all.slice(0, mostShown), total: all.length }
}

/** The request of last night is shown, however many have waited longer. */
function toOldestAndLatest(all: readonly Lead[]): TodaysWork['fresh'] {
  const total = all.length
  if (total <= mostShown) return { leads: [...all], latest: [], total }
  return { leads: all.slice(0, mostShown - latestShown), latest: all.slice(-latestShown), total }
}

export async function readDead({ store, delivery }: Reading): Found<'delivery.dead'> {
  const { channel, span } = aboutDead.read(delivery.about)
  const dead = await store.deliveries.deadBetween(channel, span, mostCounted)
  const last = dead.at(-1)
  // Nothing is left to say: each was retried meanwhile, or erased with its lead.
  if (last?.doneAt === undefined) return undefined
  const ids = new Set(dead.map(({ leadId }) => leadId).filter(Boolean))
  const leads = await store.leads.findMany([...ids].slice(0, mostShown))
  return { at: last.doneAt, notice: { kind: 'delivery.dead', channel, leads, total: dead.length } }
}
