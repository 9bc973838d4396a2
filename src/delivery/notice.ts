/**
 * What a delivery tells, read from the store when it is sent. So a notice says what is true now,
 * and nothing goes out about a lead that was erased meanwhile.
 */
import type { NoticeKind } from '../contract/notices.ts'
import type { Retention } from '../contract/retention.ts'
import { dayMs } from '../durations.ts'
import { countDue } from '../lead/retention.ts'
import type { GroupCounts } from '../lead/retention.ts'
import { timeOf } from '../store/id-time.ts'
import type { State } from '../contract/states.ts'
import { aboutBackup, aboutCanary, aboutDead, aboutDisk, aboutSpan } from '../store/about.ts'
import { readBackupState } from '../store/backup-state.ts'
import type { BackupState } from '../store/backup-state.ts'
import type { ChannelCount } from '../store/deliveries.ts'
import type { Leased } from '../store/delivery-rows.ts'
import type { Lead } from '../store/rows.ts'
import type { Store } from '../store/store.ts'
import type { Span } from '../store/about.ts'

export type LeadNoticeKind = Extract<NoticeKind, `lead.${string}`>

export type Notice =
  | { kind: LeadNoticeKind; lead: Lead }
  /** The first of them, and how many there are. */
  | { kind: 'leads.held' | 'leads.flood'; leads: Lead[]; total: number; span: Span }
  | { kind: 'leads.gathered'; leads: Lead[]; total: number }
  | {
      kind: 'leads.week'
      span: Span
      received: Partial<Record<State, number>>
      channels: ChannelCount[]
      /** What is erased in the week after it; `undefined`: nothing is, by itself. */
      leaving: GroupCounts | undefined
      backup: BackupState
    }
  | { kind: 'delivery.dead'; channel: string; leads: Lead[]; total: number }
  | { kind: 'canary.check' }
  | { kind: 'canary.failed'; date: string; channels: string[] }
  | { kind: 'disk.low'; freeMib: number; machine: string }
  /** `madeAt` 0: never. */
  | { kind: 'backup.late'; madeAt: number; machine: string }
  | { kind: 'service.test' }

export type NoticeStore = Pick<
  Store,
  | 'findLead'
  | 'heldLeads'
  | 'countHeld'
  | 'countReceived'
  | 'countDeliveries'
  | 'deadBetween'
  | 'leadsIn'
  | 'agedLeads'
  | 'findOnce'
>

export type NoticeParts = {
  store: NoticeStore
  retention: Retention | undefined
  now: () => number
}

/** `at`: when it happened. */
export type DatedNotice = { at: number; notice: Notice }

const mostShown = 20
const mostCounted = 10_000
/** It stands for letters, so it shows more than one that tells of spam. */
const mostGathered = 100

/** `undefined`: there is nothing left to tell. */
export async function readNotice(
  parts: NoticeParts,
  { id, kind, about, leadId }: Leased,
): Promise<DatedNotice | undefined> {
  const { store } = parts
  switch (kind) {
    case 'leads.held':
    case 'leads.flood':
      return readHeldNotice(store, kind, aboutSpan.read(about))
    case 'leads.gathered': {
      const gathered = await store.leadsIn(id, mostGathered)
      const [newest] = gathered.leads
      return newest && { at: newest.receivedAt, notice: { kind, ...gathered } }
    }
    case 'leads.week':
      return readWeekNotice(parts, aboutSpan.read(about))
    case 'delivery.dead':
      return readDeadNotice(store, aboutDead.read(about))
    case 'canary.check':
      // The lead itself was removed as soon as it was kept.
      return { at: timeOf(leadId), notice: { kind } }
    case 'canary.failed': {
      const { date, channels } = aboutCanary.read(about)
      return { at: Date.parse(`${date}T00:00:00Z`), notice: { kind, date, channels } }
    }
    case 'disk.low': {
      const { at, freeMib, machine } = aboutDisk.read(about)
      return { at, notice: { kind, freeMib, machine } }
    }
    case 'backup.late': {
      const { at, madeAt, machine } = aboutBackup.read(about)
      return { at, notice: { kind, madeAt, machine } }
    }
    case 'lead.received':
    case 'lead.released':
    case 'lead.waiting':
    case 'lead.withdrawn':
    case 'lead.state_changed':
      return readLeadNotice(store, kind, leadId)
  }
}

async function readLeadNotice(
  store: NoticeStore,
  kind: LeadNoticeKind,
  leadId: string,
): Promise<DatedNotice | undefined> {
  const lead = await store.findLead(leadId)
  if (lead === undefined || lead.state === 'erased') return undefined
  // No reminder once the lead has moved on.
  if (kind === 'lead.waiting' && lead.state !== 'new') return undefined
  const isFirst = kind === 'lead.received' || kind === 'lead.waiting'
  return { at: isFirst ? lead.receivedAt : lead.stateChangedAt, notice: { kind, lead } }
}

async function readHeldNotice(
  store: NoticeStore,
  kind: 'leads.held' | 'leads.flood',
  span: Span,
): Promise<DatedNotice | undefined> {
  const which = kind === 'leads.flood' ? 'flood' : 'all'
  const total = await store.countHeld(span, which)
  if (total === 0) return undefined
  const leads = await store.heldLeads(span, which, mostShown)
  return { at: span.before, notice: { kind, leads, total, span } }
}

async function readWeekNotice({ store, retention }: NoticeParts, span: Span): Promise<DatedNotice> {
  const received = await store.countReceived(span)
  const channels = await store.countDeliveries()
  const leaving = retention && (await countDue(store, retention, span.before + 7 * dayMs))
  const backup = await readBackupState(store)
  const notice = { kind: 'leads.week', span, received, channels, leaving, backup } as const
  return { at: span.before, notice }
}

async function readDeadNotice(
  store: NoticeStore,
  { channel, span }: { channel: string; span: Span },
): Promise<DatedNotice | undefined> {
  const dead = await store.deadBetween(channel, span.from, span.before, mostCounted)
  const last = dead.at(-1)
  // All of them were sent again meanwhile.
  if (last?.doneAt === undefined) return undefined
  const leads: Lead[] = []
  for (const leadId of new Set(dead.map((each) => each.leadId).filter(Boolean))) {
    if (leads.length === mostShown) break
    const lead = await store.findLead(leadId)
    if (lead) leads.push(lead)
  }
  return { at: last.doneAt, notice: { kind: 'delivery.dead', channel, leads, total: dead.length } }
}
