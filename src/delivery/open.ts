/** Finds out who is told of leads, and loads what that takes; where it is nobody, nothing is loaded. */
import { planChannels, createChannelsFor } from './channel-plan.ts'
import type { Delivery, DeliveryParts } from './delivery.ts'

export async function openDelivery(parts: DeliveryParts): Promise<Delivery> {
  const plans = planChannels(parts.settings, parts.business)
  if (plans.length === 0) {
    const note =
      'Neither SMTP_URL nor a webhook is set: leads are kept, but nobody is told of them.'
    parts.log.warn('delivery.nobody', { note })
    return silence
  }
  const { startDelivery } = await import('./delivery.ts')
  return startDelivery(parts, { plans, channelsFor: createChannelsFor(plans) })
}

const silence: Delivery = {
  channelsFor: () => [],
  onKept() {},
  wake() {},
  start() {},
  dutiesDone: async () => {},
  settled: async () => {},
  stop: async () => {},
}
