/** GET /api/lead: `ok` only while a lead could be committed. */
import { jsonAnswer, withHeaders, type Answer, type App, type Ask } from '../http/message.ts'
import type { Prove } from '../store/prove.ts'
import { corsHeaders } from './clients.ts'
import { unavailable } from './errors.ts'

/** How long one probe answers for. */
const provenForMs = 1_000

export function createHealthDoor({ prove, now }: { prove: Prove; now: () => number }): App {
  const well = jsonAnswer(200, { status: 'ok' })
  const unwell = unavailable()
  let provenAt = Number.NEGATIVE_INFINITY

  return (ask) => {
    const age = now() - provenAt
    if (age >= 0 && age < provenForMs) return forOrigin(ask, well)
    const startedAt = now()
    return prove().then((proven) => {
      if (proven) provenAt = startedAt
      return forOrigin(ask, proven ? well : unwell)
    })
  }
}

function forOrigin(ask: Ask, answer: Answer): Answer {
  return withHeaders(answer, ...corsHeaders(ask))
}
