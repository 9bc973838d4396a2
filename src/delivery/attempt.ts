/** One try of one delivery: reads what to tell, sends it, and marks what came of it. */
import { errorFacts, type Log } from '../log.ts'
import { toMessageId } from '../store/delivery-id.ts'
import type { Ending, Leased, NewDelivery } from '../store/delivery-rows.ts'
import type { Store } from '../store/store.ts'
import { outcomeOf } from './channel.ts'
import type { DeliveryChannel, Sent } from './channel.ts'
import type { FollowUp } from './by-clock/follow-up.ts'
import type { DatedNotice } from './notice.ts'
import type { PastLimit } from './letter-limit.ts'
import { mostLeases, nextDelayMs } from './schedule.ts'

export type AttemptParts = {
  store: Pick<Store, 'finishDelivery' | 'triesOf'>
  /** `undefined`: there is nothing left to tell. */
  readNotice: (leased: Leased) => Promise<DatedNotice | undefined>
  pastLimit: PastLimit
  /** What a delivery that was delivered, or died, leads to. */
  followUp: FollowUp
  log: Log
  now: () => number
  random: () => number
}

export type Attempt = { sent: Sent; at: number; ms: number }

/** Ends soon after `giveUp` is aborted, or after the time that the channel allows. */
export async function attemptDelivery(
  parts: AttemptParts,
  channel: DeliveryChannel,
  leased: Leased,
  giveUp: AbortController,
): Promise<Attempt> {
  const at = parts.now()
  const startedAt = performance.now()
  const deadline = setTimeout(() => giveUp.abort('timed-out'), channel.timeoutMs)
  const sent = await send(parts, channel, leased, giveUp.signal).finally(() =>
    clearTimeout(deadline),
  )
  return { sent, at, ms: Math.round(performance.now() - startedAt) }
}

async function send(
  { readNotice, pastLimit, log }: AttemptParts,
  channel: DeliveryChannel,
  leased: Leased,
  signal: AbortSignal,
): Promise<Sent> {
  if (leased.attempts > mostLeases) return { kind: 'refused', answer: 'never ended' }
  const notice = await readNotice(leased)
  if (notice === undefined) return { kind: 'dropped', answer: 'nothing left to tell' }
  const instead = await pastLimit(channel, leased)
  if (instead !== undefined) return instead
  try {
    return await channel.send({ id: toMessageId(leased), ...notice }, signal)
  } catch (error) {
    // A bug of ours must not stop the lane.
    log.error('delivery.fault', { delivery: leased.id, ...errorFacts(error) })
    return { kind: 'failed', outcome: 'failed', answer: 'fault', channelFault: false }
  }
}

export async function markAttempt(
  parts: AttemptParts,
  leased: Leased,
  { sent, at, ms }: Attempt,
): Promise<void> {
  const ending = await toEnding(parts, leased, sent)
  const note = { at, outcome: outcomeOf(sent), answer: sent.answer, ms }
  logEnding(parts.log, leased, ending, note)
  const follows = whatFollows(parts, leased, ending)
  await parts.store.finishDelivery(leased, { ending, at: parts.now(), note }, follows)
}

async function toEnding(parts: AttemptParts, leased: Leased, sent: Sent): Promise<Ending> {
  if (sent.kind === 'delivered' || sent.kind === 'dropped') return { kind: sent.kind }
  if (sent.kind === 'gathered') return { kind: sent.kind, into: sent.into }
  if (sent.kind === 'refused') return { kind: 'dead' }
  const { store, now, random } = parts
  const failures = 1 + (await countFailures(store, leased))
  const delay = nextDelayMs(failures, random, sent.retryAfterMs)
  if (delay === undefined) return { kind: 'dead' }
  return { kind: 'again', dueAt: now() + delay, channelFault: sent.channelFault }
}

/**
 * How many tries ended before this one, and failed. A lease during which the process died is none. By
 * number, not by time: the clock may have been wrong. After a retry by command the numbers begin anew.
 */
async function countFailures(
  store: Pick<Store, 'triesOf'>,
  { id, attempts }: Leased,
): Promise<number> {
  if (attempts === 1) return 0
  const numbers = (await store.triesOf(id)).map(({ number }) => number)
  return new Set(numbers.filter((number) => number < attempts)).size
}

function logEnding(
  log: Log,
  { id, attempts }: Leased,
  { kind }: Ending,
  { outcome, answer, ms }: { outcome: string; answer: string; ms: number },
): void {
  const facts = { delivery: id, attempt: attempts, outcome, answer, ms }
  if (kind === 'dead') log.error('delivery.dead', facts)
  else if (kind === 'again') log.warn('delivery.failed', facts)
  else log.info(`delivery.${kind}`, facts)
}

/** A bug in here must not keep the delivery from being marked. */
function whatFollows(
  { followUp, log, now }: AttemptParts,
  leased: Leased,
  { kind }: Ending,
): NewDelivery[] {
  if (kind !== 'delivered' && kind !== 'gathered' && kind !== 'dead') return []
  try {
    return followUp(leased, kind === 'dead' ? 'dead' : 'delivered', now())
  } catch (error) {
    log.error('delivery.fault', { delivery: leased.id, ...errorFacts(error) })
    return []
  }
}

/** Due again at once, and the try does not count. It may have gone out: twice is better than never. */
export async function giveBack({ store, now }: AttemptParts, leased: Leased): Promise<void> {
  const at = now()
  await store.finishDelivery(leased, { ending: { kind: 'untried', dueAt: at }, at })
}
