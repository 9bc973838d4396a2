/** `lead-intake events verify`: was a lead or its story changed behind the back of the service? */
import { verifyEvents } from '../store/verify.ts'
import { withStore } from './open.ts'
import { CommandFailed, print, toJson } from './output.ts'

export async function verifyEventChains({ json }: { json?: true }): Promise<void> {
  const { leads, events, breaks } = await withStore((store) => verifyEvents(store))
  if (json) await print(toJson({ leads, events, breaks }))
  else await print(`${leads} leads, ${events} events, ${breaks.length} breaks\n`)
  if (breaks.length === 0) return
  throw new CommandFailed(
    'unwell',
    breaks.map(({ leadId, problem }) => `lead ${leadId}: ${problem}`).join('\n'),
  )
}
