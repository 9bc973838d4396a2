/** GET /api/lead: `ok` only while a lead could be committed. */
import { jsonAnswer, withHeaders } from '../http/answer.ts'
import type { Answer, App, Ask } from '../http/message.ts'
import type { Store } from '../store/store.ts'
import { corsHeaders } from './cors.ts'
import { unavailable } from './errors.ts'

/** How long one proof holds. */
const provenForMs = 1_000
const patienceMs = 2_000

export type HealthParts = { store: Pick<Store, 'probe'>; now: () => number }

export function createHealthDoor({ store, now }: HealthParts): App {
  const well = jsonAnswer(200, { status: 'ok' })
  const unwell = unavailable()
  let provenAt = Number.NEGATIVE_INFINITY
  let proving: Promise<boolean> | undefined

  return (ask) => {
    const age = now() - provenAt
    if (age >= 0 && age < provenForMs) return forOrigin(ask, well)
    proving ??= prove().finally(() => (proving = undefined))
    return proving.then((proven) => forOrigin(ask, proven ? well : unwell))
  }

  /** A commit of its own, for all who ask meanwhile. */
  async function prove(): Promise<boolean> {
    const startedAt = now()
    const proven = await Promise.race([
      store.probe(startedAt).then(
        () => true,
        () => false,
      ),
      new Promise<false>((resolve) => setTimeout(resolve, patienceMs, false).unref()),
    ])
    if (proven) provenAt = startedAt
    return proven
  }
}

function forOrigin(ask: Ask, answer: Answer): Answer {
  return withHeaders(answer, ...corsHeaders(ask))
}
