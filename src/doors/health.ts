/** GET /api/lead: `ok` only while a lead could be committed. */
import { jsonAnswer, withHeaders } from '../http/answer.ts'
import type { Answer, App, Ask } from '../http/message.ts'
import type { ReportFailure } from '../once-a-minute.ts'
import type { Store } from '../store/store.ts'
import { corsHeaders } from './clients.ts'
import { unavailable } from './errors.ts'

/** How long one probe answers for. */
const provenForMs = 1_000
const probeTimeoutMs = 2_000

export type HealthParts = {
  store: Pick<Store, 'probe'>
  reportFailure: ReportFailure
  now: () => number
}

export function createHealthDoor({ store, reportFailure, now }: HealthParts): App {
  // ASCII: its bytes need not be counted each time.
  const well: Answer = { ...jsonAnswer(200, { status: 'ok' }), bytes: true }
  const unwell = unavailable()
  let provenAt = Number.NEGATIVE_INFINITY
  let proving: Promise<boolean> | undefined

  return (ask) => {
    const age = now() - provenAt
    if (age >= 0 && age < provenForMs) return forOrigin(ask, well)
    proving ??= prove().finally(() => (proving = undefined))
    return proving.then((proven) => forOrigin(ask, proven ? well : unwell))
  }

  /** One commit answers all requests that come meanwhile. */
  async function prove(): Promise<boolean> {
    const startedAt = now()
    const proven = await Promise.race([
      store.probe(startedAt).then(
        () => true,
        (error: unknown) => {
          reportFailure('health.probe-failed', error)
          return false
        },
      ),
      new Promise<false>((resolve) => setTimeout(resolve, probeTimeoutMs, false).unref()),
    ])
    if (proven) provenAt = startedAt
    return proven
  }
}

function forOrigin(ask: Ask, answer: Answer): Answer {
  return withHeaders(answer, ...corsHeaders(ask))
}
