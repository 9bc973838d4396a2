/** `lead-intake events verify`: checks that no lead or event was changed outside the service. */
import { verifyEvents } from '../store/verify.ts'
import type { Break } from '../store/verify.ts'
import { withStoreToRead } from './open.ts'
import { CommandFailed, print, toJson } from './output.ts'

export async function verifyEventChains({ json }: { json?: true }): Promise<void> {
  const { leads, events, breaks } = await withStoreToRead((store) => verifyEvents(store))
  if (json) await print(toJson({ leads, events, breaks }))
  else await print(`${leads} leads, ${events} events, ${breaks.length} breaks\n`)
  failOn(breaks)
}

export function failOn(breaks: readonly Break[]): void {
  if (breaks.length === 0) return
  const lines = breaks.map(({ leadId, problem }) =>
    leadId ? `lead ${leadId}: ${problem}` : problem,
  )
  throw new CommandFailed('unwell', lines.join('\n'))
}
