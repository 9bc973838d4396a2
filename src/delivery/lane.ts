/**
 * One channel's deliveries: claimed a few at a time, oldest first, and sent side by side. Nothing is
 * polled for: a commit wakes the lane, and a timer goes to the next due time.
 */
import { errorFacts } from '../log.ts'
import type { Claimed, Ending, NewDelivery } from '../store/delivery-rows.ts'
import { outcomeOf } from './channel.ts'
import type { DeliveryChannel, Sent } from './channel.ts'
import { failuresUntilDown, mostClaims, nextDelayMs, restMs } from './schedule.ts'
import type { WorkerParts } from './worker.ts'

export type Lane = {
  wake(): void
  isBusy(): boolean
  settled(): Promise<void>
  stop(patienceMs: number): Promise<void>
}

/** Beyond the time a channel gives itself, for reading and marking. */
const leaseSlackMs = 30_000
/** Another process may have added something: a second node, or the operator's command. */
const lookAroundMs = 30_000
const storeTroubleMs = 5_000
const hurriedTogether = 500

export function createLane(parts: WorkerParts, channel: DeliveryChannel): Lane {
  const { store, log, now, random } = parts
  const underWay = new Map<Promise<void>, AbortController>()
  let looking: Promise<void> | undefined
  let lookAgain = false
  let stopped = false
  let timer: NodeJS.Timeout | undefined
  /** Of the channel as a whole, in a row. */
  let failures = 0
  let restsUntil = 0
  /** At a start nobody knows how long it was gone, so the first success hurries what it had put off. */
  let wasDown = true

  return { wake, isBusy, settled, stop }

  function wake(): void {
    if (stopped) return
    lookAgain = true
    looking ??= look()
      .catch(storeTrouble)
      .finally(() => {
        looking = undefined
        // Woken after the last look, before it was over.
        if (lookAgain) wake()
      })
  }

  async function look(): Promise<void> {
    while (lookAgain) {
      lookAgain = false
      await lookOnce()
    }
  }

  async function lookOnce(): Promise<void> {
    const free = (isDown() ? 1 : channel.atOnce) - underWay.size
    // Whatever ends next wakes the lane.
    if (stopped || free <= 0) return
    if (restsUntil > now()) return setTimer(restsUntil)
    const dueAt = (await store.nextDue(channel.name)) ?? Number.POSITIVE_INFINITY
    if (dueAt > now()) return setTimer(dueAt)
    const claimed = await store.claimDeliveries({
      channel: channel.name,
      now: now(),
      leaseUntil: now() + channel.timeoutMs + leaseSlackMs,
      limit: free,
    })
    if (stopped) await Promise.all(claimed.map(giveBack))
    else for (const each of claimed) start(each)
    if (claimed.length > 0) lookAgain = true
  }

  function isDown(): boolean {
    return failures >= failuresUntilDown
  }

  function setTimer(at: number): void {
    clearTimeout(timer)
    if (stopped) return
    timer = setTimeout(wake, Math.max(0, Math.min(at - now(), lookAroundMs))).unref()
  }

  function storeTrouble(error: unknown): void {
    log.error('delivery.store', { channel: channel.name, ...errorFacts(error) })
    setTimer(now() + storeTroubleMs)
  }

  function start(claimed: Claimed): void {
    const ending = new AbortController()
    const delivering = deliver(claimed, ending)
      // The lease runs out, and then it is tried again.
      .catch(storeTrouble)
      .finally(() => {
        underWay.delete(delivering)
        wake()
      })
    underWay.set(delivering, ending)
  }

  async function deliver(claimed: Claimed, ending: AbortController): Promise<void> {
    const at = now()
    const startedAt = performance.now()
    const deadline = setTimeout(() => ending.abort('timed-out'), channel.timeoutMs)
    const sent = await send(claimed, ending.signal).finally(() => clearTimeout(deadline))
    const ms = Math.round(performance.now() - startedAt)
    if (sent.kind !== 'delivered' && ending.signal.reason === 'stopping') {
      return giveBack(claimed)
    }
    countFailures(sent)
    const end = toEnding(claimed, sent)
    const outcome = outcomeOf(sent)
    tellLog(claimed, end, { outcome, said: sent.said, ms })
    const follows = whatFollows(claimed, end)
    const note = { at, outcome, said: sent.said, ms }
    await store.finishDelivery(claimed, { ending: end, at: now(), note }, follows)
    if (sent.kind === 'delivered' && wasDown) await hurry()
  }

  /** Whatever goes wrong here must not keep a delivery from being marked. */
  function whatFollows(claimed: Claimed, { kind }: Ending): NewDelivery[] {
    if (kind !== 'delivered' && kind !== 'dead') return []
    try {
      return parts.whatFollows(claimed, kind, now())
    } catch (error) {
      log.error('delivery.fault', { delivery: claimed.id, ...errorFacts(error) })
      return []
    }
  }

  /** It may have gone out all the same; to tell twice is better than never. */
  function giveBack(claimed: Claimed): Promise<void> {
    const at = now()
    return store.finishDelivery(claimed, { ending: { kind: 'untried', dueAt: at }, at })
  }

  async function send(claimed: Claimed, signal: AbortSignal): Promise<Sent> {
    if (claimed.attempts > mostClaims) return { kind: 'refused', said: 'never ended' }
    const read = await parts.readNotice(claimed)
    if (read === undefined) return { kind: 'dropped', said: 'nothing left to tell' }
    try {
      return await channel.send({ id: messageId(claimed), ...read }, signal)
    } catch (error) {
      // A fault of ours, which must not stop the lane.
      log.error('delivery.fault', { delivery: claimed.id, ...errorFacts(error) })
      return { kind: 'failed', outcome: 'failed', said: 'fault', stuck: false }
    }
  }

  function countFailures(sent: Sent): void {
    if (sent.kind === 'delivered' || sent.kind === 'refused') failures = 0
    if (sent.kind !== 'failed' || !sent.stuck) return
    failures += 1
    if (isDown()) wasDown = true
    restsUntil = now() + restMs(failures)
  }

  function toEnding(claimed: Claimed, sent: Sent): Ending {
    if (sent.kind === 'delivered' || sent.kind === 'dropped') return { kind: sent.kind }
    if (sent.kind === 'refused') return { kind: 'dead' }
    const delay = nextDelayMs(claimed.attempts, random, sent.retryAfterMs)
    if (delay === undefined) return { kind: 'dead' }
    return { kind: 'again', dueAt: now() + delay, stuck: sent.stuck }
  }

  function tellLog(
    { id, attempts }: Claimed,
    { kind }: Ending,
    facts: { outcome: string; said: string; ms: number },
  ): void {
    const line = { delivery: id, attempt: attempts, ...facts }
    if (kind === 'dead') log.error('delivery.dead', line)
    else if (kind === 'again') log.warn('delivery.failed', line)
    else log.info(`delivery.${kind}`, line)
  }

  /** In slices, so that no lead waits behind one long statement. */
  async function hurry(): Promise<void> {
    wasDown = false
    while ((await store.hurryDeliveries(channel.name, hurriedTogether)) === hurriedTogether);
  }

  function isBusy(): boolean {
    return looking !== undefined || underWay.size > 0
  }

  async function settled(): Promise<void> {
    await looking
    await Promise.all(underWay.keys())
  }

  async function stop(patienceMs: number): Promise<void> {
    stopped = true
    clearTimeout(timer)
    const impatience = setTimeout(() => {
      for (const ending of underWay.values()) ending.abort('stopping')
    }, patienceMs)
    while (isBusy()) await settled()
    clearTimeout(impatience)
  }
}

/** Without dots, which the signature of a webhook uses between its parts. */
function messageId({ id, channel }: Claimed): string {
  return id.slice(0, -channel.length - 1).replaceAll(/[^\w-]/g, '-')
}
