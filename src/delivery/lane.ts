/**
 * One channel's deliveries: leased a few at a time, oldest first, and sent side by side. Nothing is
 * polled for: a commit wakes the lane, and a timer goes to the next due time.
 */
import { errorFacts } from '../log.ts'
import type { Leased, Ending, NewDelivery } from '../store/delivery-rows.ts'
import { outcomeOf } from './channel.ts'
import type { DeliveryChannel, Sent } from './channel.ts'
import { failuresUntilDown, mostLeases, nextDelayMs, restMs } from './schedule.ts'
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
    const leased = await store.leaseDeliveries({
      channel: channel.name,
      now: now(),
      leaseUntil: now() + channel.timeoutMs + leaseSlackMs,
      limit: free,
    })
    if (stopped) await Promise.all(leased.map(giveBack))
    else for (const each of leased) start(each)
    if (leased.length > 0) lookAgain = true
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

  function start(leased: Leased): void {
    const ending = new AbortController()
    const delivering = deliver(leased, ending)
      // The lease runs out, and then it is tried again.
      .catch(storeTrouble)
      .finally(() => {
        underWay.delete(delivering)
        wake()
      })
    underWay.set(delivering, ending)
  }

  async function deliver(leased: Leased, ending: AbortController): Promise<void> {
    const at = now()
    const startedAt = performance.now()
    const deadline = setTimeout(() => ending.abort('timed-out'), channel.timeoutMs)
    const sent = await send(leased, ending.signal).finally(() => clearTimeout(deadline))
    const ms = Math.round(performance.now() - startedAt)
    if (sent.kind !== 'delivered' && ending.signal.reason === 'stopping') {
      return giveBack(leased)
    }
    countFailures(sent)
    const end = toEnding(leased, sent)
    const outcome = outcomeOf(sent)
    tellLog(leased, end, { outcome, answer: sent.answer, ms })
    const follows = whatFollows(leased, end)
    const note = { at, outcome, answer: sent.answer, ms }
    await store.finishDelivery(leased, { ending: end, at: now(), note }, follows)
    if (sent.kind === 'delivered' && wasDown) await hurry()
  }

  /** Whatever goes wrong here must not keep a delivery from being marked. */
  function whatFollows(leased: Leased, { kind }: Ending): NewDelivery[] {
    if (kind !== 'delivered' && kind !== 'dead') return []
    try {
      return parts.whatFollows(leased, kind, now())
    } catch (error) {
      log.error('delivery.fault', { delivery: leased.id, ...errorFacts(error) })
      return []
    }
  }

  /** It may have gone out all the same; to tell twice is better than never. */
  function giveBack(leased: Leased): Promise<void> {
    const at = now()
    return store.finishDelivery(leased, { ending: { kind: 'untried', dueAt: at }, at })
  }

  async function send(leased: Leased, signal: AbortSignal): Promise<Sent> {
    if (leased.attempts > mostLeases) return { kind: 'refused', answer: 'never ended' }
    const read = await parts.readNotice(leased)
    if (read === undefined) return { kind: 'dropped', answer: 'nothing left to tell' }
    try {
      return await channel.send({ id: messageId(leased), ...read }, signal)
    } catch (error) {
      // A fault of ours, which must not stop the lane.
      log.error('delivery.fault', { delivery: leased.id, ...errorFacts(error) })
      return { kind: 'failed', outcome: 'failed', answer: 'fault', channelFault: false }
    }
  }

  function countFailures(sent: Sent): void {
    if (sent.kind === 'delivered' || sent.kind === 'refused') failures = 0
    if (sent.kind !== 'failed' || !sent.channelFault) return
    failures += 1
    if (isDown()) wasDown = true
    restsUntil = now() + restMs(failures)
  }

  function toEnding(leased: Leased, sent: Sent): Ending {
    if (sent.kind === 'delivered' || sent.kind === 'dropped') return { kind: sent.kind }
    if (sent.kind === 'refused') return { kind: 'dead' }
    const delay = nextDelayMs(leased.attempts, random, sent.retryAfterMs)
    if (delay === undefined) return { kind: 'dead' }
    return { kind: 'again', dueAt: now() + delay, channelFault: sent.channelFault }
  }

  function tellLog(
    { id, attempts }: Leased,
    { kind }: Ending,
    facts: { outcome: string; answer: string; ms: number },
  ): void {
    const line = { delivery: id, attempt: attempts, ...facts }
    if (kind === 'dead') log.error('delivery.dead', line)
    else if (kind === 'again') log.warn('delivery.failed', line)
    else log.info(`delivery.${kind}`, line)
  }

  /** In slices, so that no lead waits behind one long statement. */
  async function hurry(): Promise<void> {
    wasDown = false
    while ((await store.retryPutOff(channel.name, hurriedTogether)) === hurriedTogether);
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
function messageId({ id, channel }: Leased): string {
  return id.slice(0, -channel.length - 1).replaceAll(/[^\w-]/g, '-')
}
