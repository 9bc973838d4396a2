/** Many people at once: connections that keep posting distinct leads, every other one as a form. */
import { setTimeout as sleep } from 'node:timers/promises'
import { patienceMs, until } from './until.ts'
import {
  formRequest,
  isUnavailable,
  jsonRequest,
  openWire,
  type Wire,
  type WireAnswer,
} from './wire.ts'

export type Load = {
  /** What was answered as received: reference by email, '' where a form was thanked. */
  acknowledged: Map<string, string>
  /** Emails of the leads whose connection went before the answer. */
  unanswered: string[]
  counts: {
    sent: number
    acknowledged: number
    /** 503 with Retry-After. */
    unavailable: number
    /** The connection was refused. */
    refused: number
  }
  /** Any other answer. */
  unexpected: string[]
  /** Resolves when the requests under way have ended. */
  stop(): Promise<void>
}

export type LoadOptions = {
  /** Called for every connection: a restarted service listens on another port. */
  port: () => number
  /** Makes the leads of this load distinct from others. */
  label: string
  connections?: number
  /** Pause of a connection between two leads. */
  pauseMs?: number
}

const mostLeads = 500_000
/** Ends a load whose test has gone wrong. A trial of hundreds of kills may take hours on a busy machine. */
const longestSilenceMs = 2 * patienceMs

export function startLoad({ port, label, connections = 32, pauseMs = 0 }: LoadOptions): Load {
  const acknowledged = new Map<string, string>()
  const counts = { sent: 0, acknowledged: 0, unavailable: 0, refused: 0 }
  const unanswered: string[] = []
  const unexpected: string[] = []
  let acknowledgedAt = performance.now()
  const ending = new AbortController()
  const senders = Array.from({ length: connections }, keepSending)

  return {
    acknowledged,
    unanswered,
    counts,
    unexpected,
    async stop() {
      ending.abort()
      await Promise.all(senders)
    },
  }

  async function keepSending(): Promise<void> {
    let wire: Wire | undefined
    while (!ending.signal.aborted && counts.sent < mostLeads && !isSilent()) {
      try {
        if (wire?.isOpen() !== true) wire = await openWire(port())
      } catch {
        counts.refused += 1
        await sleep(50)
        continue
      }
      await sendOne(wire)
      if (pauseMs > 0) await sleep(pauseMs)
    }
    wire?.close()
  }

  function isSilent(): boolean {
    return performance.now() - acknowledgedAt > longestSilenceMs
  }

  async function sendOne(wire: Wire): Promise<void> {
    const number = (counts.sent += 1)
    const asForm = number % 2 === 0
    const lead = { name_1: 'Robin Example', email_1: `${label}-${number}@example.com` }
    try {
      const answer = await wire.ask(asForm ? formRequest(lead) : jsonRequest(lead))
      if (answer.headers['connection'] === 'close') wire.close()
      count(answer, lead.email_1)
    } catch {
      unanswered.push(lead.email_1)
    }
  }

  function count(answer: WireAnswer, email: string): void {
    const reference = receivedReference(answer)
    if (reference !== undefined) {
      acknowledged.set(email, reference)
      counts.acknowledged += 1
      acknowledgedAt = performance.now()
    } else if (isUnavailable(answer)) counts.unavailable += 1
    else unexpected.push(`${answer.status} ${answer.headers['location'] ?? answer.body}`)
  }
}

export async function acknowledgedMore(load: Load, count: number): Promise<void> {
  const goal = load.counts.acknowledged + count
  await until(() => load.counts.acknowledged >= goal, `${count} more leads were acknowledged`)
}

/** `undefined`: the answer does not say that a lead was received. '' where it names none. */
export function receivedReference(answer: WireAnswer): string | undefined {
  if (answer.status === 303 && answer.headers['location'] === '/thanks/') return ''
  if (answer.status !== 200) return undefined
  const said = JSON.parse(answer.body) as { ok: boolean; reference: string }
  return said.ok ? said.reference : undefined
}

export function median(numbers: ArrayLike<number>): number {
  return quantile(numbers, 0.5)
}

/** `share` from 0 to 1. */
export function quantile(numbers: ArrayLike<number>, share: number): number {
  const sorted = Float64Array.from(numbers).sort()
  if (sorted.length === 0) return Number.NaN
  const at = share * (sorted.length - 1)
  const low = sorted[Math.floor(at)]!
  const high = sorted[Math.ceil(at)]!
  return low + (high - low) * (at - Math.floor(at))
}
