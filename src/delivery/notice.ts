/** What there is to tell, read from the store at the moment of telling: an erased lead is told nobody. */
import type { NoticeKind } from '../contract/notices.ts'
import { timeOf } from '../store/reference.ts'
import type { State } from '../contract/states.ts'
import type { ChannelCount } from '../store/deliveries.ts'
import type { Leased } from '../store/delivery-rows.ts'
import type { Lead } from '../store/rows.ts'
import type { Span, Store } from '../store/store.ts'

export type LeadNoticeKind = Extract<NoticeKind, `lead.${string}`>

export type Notice =
  | { kind: LeadNoticeKind; lead: Lead }
  /** A few of them, and how many there are. */
  | { kind: 'leads.held' | 'leads.flood'; leads: Lead[]; total: number; span: Span }
  | {
      kind: 'leads.week'
      span: Span
      received: Partial<Record<State, number>>
      channels: ChannelCount[]
    }
  | { kind: 'delivery.dead'; channel: string; leads: Lead[]; total: number }
  | { kind: 'canary.check' }
  | { kind: 'canary.failed'; day: string; channels: string[] }
  | { kind: 'service.test' }

export type NoticeStore = Pick<
  Store,
  'findLead' | 'heldLeads' | 'countHeld' | 'countReceived' | 'countDeliveries' | 'deadBetween'
>

export type Read = { at: number; notice: Notice }

const mostShown = 20
const mostCounted = 10_000

/** `undefined`: there is nothing left to tell. */
export async function readNotice(store: NoticeStore, delivery: Leased): Promise<Read | undefined> {
  const { kind, about, leadId } = delivery
  switch (kind) {
    case 'leads.held':
    case 'leads.flood':
      return readHeld(store, kind, readSpan(about))
    case 'leads.week':
      return readWeek(store, readSpan(about))
    case 'delivery.dead':
      return readDead(store, about)
    case 'canary.check':
      // The lead itself was removed as soon as it was kept.
      return { at: timeOf(leadId), notice: { kind } }
    case 'canary.failed': {
      const [day = '', ...channels] = about.split(' ')
      return { at: dayStart(day), notice: { kind, day, channels } }
    }
    case 'service.test':
      return { at: Number(about), notice: { kind } }
    case 'lead.received':
    case 'lead.released':
    case 'lead.waiting':
    case 'lead.withdrawn':
    case 'lead.state_changed':
      return readLead(store, kind, leadId)
  }
}

async function readLead(
  store: NoticeStore,
  kind: LeadNoticeKind,
  leadId: string,
): Promise<Read | undefined> {
  const lead = await store.findLead(leadId)
  if (lead === undefined || lead.state === 'erased') return undefined
  // Somebody has seen to it meanwhile.
  if (kind === 'lead.waiting' && lead.state !== 'new') return undefined
  const isFirst = kind === 'lead.received' || kind === 'lead.waiting'
  return { at: isFirst ? lead.receivedAt : lead.stateChangedAt, notice: { kind, lead } }
}

async function readHeld(
  store: NoticeStore,
  kind: 'leads.held' | 'leads.flood',
  span: Span,
): Promise<Read | undefined> {
  const which = kind === 'leads.flood' ? 'flood' : 'all'
  const total = await store.countHeld(span, which)
  if (total === 0) return undefined
  const leads = await store.heldLeads(span, which, mostShown)
  return { at: span.before, notice: { kind, leads, total, span } }
}

async function readWeek(store: NoticeStore, span: Span): Promise<Read> {
  const received = await store.countReceived(span)
  const channels = await store.countDeliveries()
  return { at: span.before, notice: { kind: 'leads.week', span, received, channels } }
}

async function readDead(store: NoticeStore, about: string): Promise<Read | undefined> {
  const { channel, span } = readDeadAbout(about)
  const dead = await store.deadBetween(channel, span.from, span.before, mostCounted)
  // All were replayed meanwhile.
  if (dead.length === 0) return undefined
  const leads: Lead[] = []
  for (const leadId of new Set(dead.map((each) => each.leadId).filter(Boolean))) {
    if (leads.length === mostShown) break
    const lead = await store.findLead(leadId)
    if (lead !== undefined) leads.push(lead)
  }
  const notice: Notice = { kind: 'delivery.dead', channel, leads, total: dead.length }
  return { at: dead.at(-1)!.doneAt!, notice }
}

export function writeSpan({ from, before }: Span): string {
  return `${from} ${before}`
}

export function writeDeadAbout(channel: string, span: Span): string {
  return `${writeSpan(span)} ${channel}`
}

function readDeadAbout(about: string): { channel: string; span: Span } {
  return { span: readSpan(about), channel: about.split(' ').slice(2).join(' ') }
}

function readSpan(about: string): Span {
  const [from = '0', before = '0'] = about.split(' ')
  return { from: Number(from), before: Number(before) }
}

function dayStart(day: string): number {
  return Date.parse(`${day}T00:00:00Z`)
}
