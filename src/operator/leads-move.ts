/** `lead-intake leads move`: the owner moves a lead to another state. */
import { isState, states } from '../contract/states.ts'
import { planChannels, tellingFor } from '../delivery/channels.ts'
import { moveLead } from '../lead/move.ts'
import { findOne } from './leads-show.ts'
import { readBusinessOf, withStore } from './open.ts'
import { CommandFailed, print, toJson } from './output.ts'

export async function moveOneLead(
  reference: string,
  to: string,
  { json }: { json?: true },
): Promise<void> {
  if (!isState(to)) throw new CommandFailed('usage', `The states are ${states.join(', ')}.`)
  await withStore(async (store, settings) => {
    const { id } = await findOne(store, reference)
    const outcome = await moveLead(store, {
      leadId: id,
      to,
      by: 'owner',
      at: Date.now(),
      tell: tellingFor(planChannels(settings, readBusinessOf(settings))),
    })
    switch (outcome.kind) {
      case 'moved':
        return print(
          json
            ? toJson({ reference: outcome.lead.reference, from: outcome.from, to })
            : `${outcome.lead.reference}: ${outcome.from} -> ${to}\n`,
        )
      case 'illegal': {
        const allowed = outcome.allowed.length > 0 ? outcome.allowed.join(', ') : 'nowhere'
        throw new CommandFailed(
          'illegalMove',
          `It is ${outcome.from}; from there it can go to: ${allowed}.`,
        )
      }
      case 'missing':
        throw new CommandFailed('missing', 'The lead no longer exists.')
    }
  })
}
