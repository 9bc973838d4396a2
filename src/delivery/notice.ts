/** A notice is read from the store only when it is sent, so it has no details of a lead erased meanwhile. */
import { ownerMail, readByPeople, type NoticeKind } from '../contract/notices.ts'
import type { RetainedCounts } from '../contract/states.ts'
import {
  isCalledOff,
  newsOf,
  toDate,
  visitOf,
  type VisitEmail,
  type VisitNews,
} from '../contract/visit.ts'
import { isStale } from '../lead/life.ts'
import {
  aboutAsking,
  aboutBackup,
  aboutDead,
  aboutDisk,
  aboutSpan,
  aboutToday,
  aboutVisit,
  type Span,
} from '../store/deliveries/about.ts'
import { toDeliveryId, type Delivery, type NewDelivery } from '../store/deliveries/rows.ts'
import { dataOf } from '../store/leads/events.ts'
import { lastWordsOfSender } from '../store/leads/notes.ts'
import type { Lead } from '../store/leads/rows.ts'
import { partOf, type PartOfToday } from '../store/leads/today.ts'
import type { Store } from '../store/store.ts'
import { workdayOf, type OpeningHours, type Workday } from './workday.ts'

export type LeadNoticeKind = Extract<NoticeKind, `lead.${string}`>

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

export type Notice =
  /**
   * `nth`: 3 for the third request of the same email or phone number; always 1 outside the owner's mail.
   * `asking`: what the customer wrote to ask for another time; '' outside the owner's mail.
   */
  | { kind: LeadNoticeKind; lead: Lead; nth: number; asking: string }
  /** `said`: what the address knows once the email is sent. */
  | { kind: 'lead.visit'; lead: Lead; news: VisitNews; said: VisitEmail }
  | {
      kind: 'leads.today'
      work: TodaysWork
      /** `unlike`: ids of leads that are held for their sender, but may be of the person whom spam named. */
      held: SomeLeads & { unlike: ReadonlySet<string> }
      /** The leads that retention erases within a week, or from `erasesFrom` on. */
      leaving: Partial<RetainedCounts>
      /** While retention only counts. */
      erasesFrom: number | undefined
      span: Span
    }
  | { kind: 'leads.gathered'; total: number }
  | ({ kind: 'delivery.dead'; channel: string } & SomeLeads)
  | { kind: 'disk.low'; freeMib: number; machine: string }
  /** `madeAt`: 0 if there is no backup. */
  | { kind: 'backup.late'; madeAt: number; machine: string }
  | { kind: 'service.test' }

export type NoticeOf<Kind extends Notice['kind']> = Extract<Notice, { kind: Kind }>

/** `at`: when the thing happened that the notice is about, not when the notice is sent. */
export type DatedNotice = { at: number; notice: Notice }

/** A delivery with the same `name` and channel is added only once. */
export function toEach(
  channels: readonly string[],
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

/** Returns `undefined` if nothing is left to say: a notice may have waited for days. */
export async function readNotice(
  store: Store,
  delivery: Delivery,
  now: number,
  opening: OpeningHours,
): Promise<DatedNotice | undefined> {
  const { kind, about, channel } = delivery
  switch (kind) {
    case 'leads.today':
      return readTodaysNotice(store, about, opening)
    case 'leads.gathered':
      return readGatheredNotice(store, channel, aboutSpan.read(about))
    case 'delivery.dead':
      return readDeadNotice(store, aboutDead.read(about))
    case 'disk.low': {
      const { at, ...disk } = aboutDisk.read(about)
      return { at, notice: { kind, ...disk } }
    }
    case 'backup.late': {
      const { at, ...backup } = aboutBackup.read(about)
      return { at, notice: { kind, ...backup } }
    }
    case 'lead.received':
    case 'lead.released':
    case 'lead.withdrawn':
    case 'lead.state_changed':
    case 'lead.asked':
      return readLeadNotice(store, kind, delivery)
    case 'lead.visit':
      return readVisitNotice(store, delivery, now)
  }
}

async function readGatheredNotice(
  store: Store,
  channel: string,
  span: Span,
): Promise<DatedNotice | undefined> {
  const total = await store.deliveries.countGathered(channel, span)
  return total === 0 ? undefined : { at: span.before, notice: { kind: 'leads.gathered', total } }
}

async function readVisitNotice(
  store: Store,
  { leadId, about }: Delivery,
  now: number,
): Promise<DatedNotice | undefined> {
  const lead = await store.leads.find(leadId)
  const kind = 'lead.visit'
  if (lead === undefined || isStale(lead, { kind, about }, true)) return undefined
  const { answers } = aboutVisit.read(about)
  const news = newsOf(lead, await store.deliveries.visitEmailsOf(leadId), { now, answers })
  if (news === undefined) return undefined
  const isOff = news.kind === 'off'
  const { at, place } = isOff ? news.before : news.visit
  const said = { to: lead.emailKey, at, place, isOff, answers }
  return { at: lead.stateChangedAt, notice: { kind, lead, news, said } }
}

async function readLeadNotice(
  store: Store,
  kind: LeadNoticeKind,
  { leadId, channel, about }: Delivery,
): Promise<DatedNotice | undefined> {
  const lead = await store.leads.find(leadId)
  const isForPeople = readByPeople.includes(channel)
  if (lead === undefined || isStale(lead, { kind, about }, isForPeople)) return undefined
  const at = happenedAt(lead, kind)
  if (channel !== ownerMail) return { at, notice: { kind, lead, nth: 1, asking: '' } }
  if (lead.state === 'erased') {
    const erased = await withErasedVisit(store, lead)
    return { at, notice: { kind, lead: erased, nth: 1, asking: '' } }
  }
  const facts = await store.views.factsOf([leadId])
  const asking = kind === 'lead.asked' ? await wordsOf(store, lead, about) : ''
  return { at, notice: { kind, lead, nth: facts.get(leadId)?.nth ?? 1, asking } }
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
async function wordsOf(store: Store, lead: Lead, about: string): Promise<string> {
  const notes = await store.leads.notesOf([lead])
  // A delivery of an earlier version does not say which note it is.
  if (about === '') return lastWordsOfSender(notes)
  const { number: asked } = aboutAsking.read(about)
  return notes.find(({ number }) => number === asked)?.words ?? ''
}

async function readTodaysNotice(
  store: Store,
  about: string,
  opening: OpeningHours,
): Promise<DatedNotice | undefined> {
  const { leaving = {}, erasesFrom, ...span } = aboutToday.read(about)
  const work = await readWork(store, workdayOf(span.before, opening), span.before)
  const held = await readHeld(store, span)
  const isIdle = [...Object.values(work), held].every(({ total }) => total === 0)
  // Retention waits so that the owner hears of it, so that alone is worth an email.
  const warns =
    erasesFrom !== undefined && Object.values<number>(leaving).some((leads) => leads > 0)
  if (isIdle && !warns) return undefined
  return { at: span.before, notice: { kind: 'leads.today', work, held, leaving, erasesFrom, span } }
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

async function readDeadNotice(
  store: Store,
  { channel, span }: { channel: string; span: Span },
): Promise<DatedNotice | undefined> {
  const dead = await store.deliveries.deadBetween(channel, span, mostCounted)
  const last = dead.at(-1)
  // Nothing is left to say: each was retried meanwhile, or erased with its lead.
  if (last?.doneAt === undefined) return undefined
  const ids = new Set(dead.map(({ leadId }) => leadId).filter(Boolean))
  const leads = await store.leads.findMany([...ids].slice(0, mostShown))
  return { at: last.doneAt, notice: { kind: 'delivery.dead', channel, leads, total: dead.length } }
}
