/** What is done by the clock of the business: the daily canary and its check, the digests. Once each, however many nodes there are. */
import type { Business, Day } from '../../contract/business.ts'
import type { NoticeKind, ChannelsFor } from '../../contract/notices.ts'
import { dayMs, hourMs, minuteMs } from '../../durations.ts'
import { errorFacts } from '../../log.ts'
import type { Log } from '../../log.ts'
import type { Store } from '../../store/store.ts'
import { toEach } from '../channel-plan.ts'
import type { Canary } from './canary.ts'
import { localTime } from './hours.ts'
import { writeSpan } from '../notice.ts'

export type DutyParts = {
  store: Pick<Store, 'firstSince' | 'findOnce' | 'addDeliveries'>
  channelsFor: ChannelsFor
  business: Business
  canary: Canary | undefined
  digests: boolean
  log: Log
  /** Something was added for the worker. */
  wake: () => void
  now: () => number
}

export type Duties = { run(): Promise<void>; stop(): void }

/** A service that was off at the hour makes up for it within this time; later it waits for the next day. */
const lateMs = 6 * hourMs

type Duty = { name: string; minute: number; day?: Day; run: (at: number) => Promise<void> }

export function createDuties(parts: DutyParts): Duties {
  const { store, business, canary, log, now } = parts
  const digests: Duty[] = [
    { name: 'held', minute: 7 * 60, run: tellOfHeld },
    { name: 'week', minute: 7 * 60, day: 'Monday', run: tellOfWeek },
  ]
  const duties: Duty[] = [
    ...(parts.digests ? digests : []),
    ...(canary ? [{ name: 'canary', minute: 6 * 60, run: canary.send }] : []),
  ]
  let timer: NodeJS.Timeout | undefined
  return { run, stop: () => clearTimeout(timer) }

  async function run(): Promise<void> {
    clearTimeout(timer)
    for (const duty of duties) await runIfDue(duty).catch(tellLog)
    await canary?.check().catch(tellLog)
    timer = setTimeout(() => void run(), minuteMs).unref()
  }

  async function runIfDue({ name, minute, day, run: doIt }: Duty): Promise<void> {
    const at = now()
    const today = localTime(at, business.timeZone)
    const sinceMs = (today.minute - minute) * minuteMs
    if ((day !== undefined && day !== today.day) || sinceMs < 0 || sinceMs > lateMs) return
    const dueAt = Math.floor(at / minuteMs) * minuteMs - sinceMs
    const last = await store.findOnce(name)
    if ((last?.at ?? 0) >= dueAt) return
    if (await store.firstSince(name, at, { before: dueAt })) await doIt(last?.at ?? at - dayMs)
  }

  /** Since the last time. The digest itself is written when it is sent; if none is held, there is none. */
  async function tellOfHeld(from: number): Promise<void> {
    await add('leads.held', writeSpan({ from, before: now() }))
  }

  async function tellOfWeek(): Promise<void> {
    await add('leads.week', writeSpan({ from: now() - 7 * dayMs, before: now() }))
  }

  async function add(kind: NoticeKind, about: string): Promise<void> {
    const dueAt = now()
    const { date } = localTime(dueAt, business.timeZone)
    const told = { name: `${kind}-${date}`, kind, about, dueAt }
    await store.addDeliveries(toEach(parts.channelsFor(kind), told))
    parts.wake()
  }

  function tellLog(error: unknown): void {
    log.error('duty.failed', errorFacts(error))
  }
}
