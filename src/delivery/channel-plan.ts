/** Who is told of what: the channels that the settings and business.yaml name. Opens none of them. */
import type { Settings } from '../config.ts'
import type { Business } from '../contract/business.ts'
import { alarms } from '../contract/notices.ts'
import type { NoticeKind, ChannelsFor } from '../contract/notices.ts'
import type { NewDelivery } from '../store/delivery-rows.ts'
import type { Store } from '../store/store.ts'

/** NewIds of channels, as they stand in the database. */
export const ownerMail = 'mail'
export const senderMail = 'sender'
const settingsWebhook = 'webhook'

export type ChannelPlan = { name: string; wants: (kind: NoticeKind) => boolean } & (
  | { way: 'owner-mail' | 'sender-mail' }
  /** `secret` is the name of the variable that holds it. */
  | { way: 'webhook'; url: string; secret: string }
)

export type ChannelSettings = Pick<
  Settings,
  'SMTP_URL' | 'OWNER_EMAIL' | 'CONFIRM_TO_SENDER' | 'WEBHOOK_URL'
>

export function planChannels(
  settings: ChannelSettings,
  { webhooks = [] }: Pick<Business, 'webhooks'>,
): ChannelPlan[] {
  const plans: ChannelPlan[] = []
  if (settings.SMTP_URL) {
    // The owner moves leads himself; he need not be told.
    const wants = (kind: NoticeKind) => kind !== 'lead.state_changed'
    plans.push({ name: ownerMail, way: 'owner-mail', wants })
  }
  if (settings.WEBHOOK_URL) {
    const { WEBHOOK_URL: url } = settings
    plans.push({
      name: settingsWebhook,
      way: 'webhook',
      url,
      secret: 'WEBHOOK_SECRET',
      wants: () => true,
    })
  }
  for (const { name, url, secret, events } of webhooks) {
    const wants = (kind: NoticeKind) => (events ?? [kind]).includes(kind) || alarms.includes(kind)
    plans.push({ name: `${settingsWebhook}-${name}`, way: 'webhook', url, secret, wants })
  }
  if (settings.SMTP_URL && settings.CONFIRM_TO_SENDER === 'on') {
    const wants = (kind: NoticeKind) => kind === 'lead.received'
    plans.push({ name: senderMail, way: 'sender-mail', wants })
  }
  return plans
}

/** Found once for each kind, since every lead asks. */
export function createChannelsFor(plans: readonly ChannelPlan[]): ChannelsFor {
  const told = new Map<NoticeKind, readonly string[]>()
  return (kind) => {
    let names = told.get(kind)
    if (names === undefined) {
      names = plans.filter(({ wants }) => wants(kind)).map(({ name }) => name)
      told.set(kind, names)
    }
    return names
  }
}

/** Of something that is not about one lead. By its name it is told once, however often it is added. */
export function toEach(
  channels: readonly string[],
  { name, ...told }: Pick<NewDelivery, 'kind' | 'about' | 'dueAt'> & { name: string },
): NewDelivery[] {
  return channels.map((channel) => ({ id: `${name}/${channel}`, leadId: '', channel, ...told }))
}

/** The store, but whoever moves a lead through it tells the channels that want to know. */
export function notifyOfMoves<S extends Pick<Store, 'moveLead'>>(
  store: S,
  channelsFor: ChannelsFor,
  wake: () => void = () => {},
): S {
  return {
    ...store,
    async moveLead(lead, to, by, at) {
      const moved = await store.moveLead(lead, to, by, at, channelsFor)
      if (moved.kind === 'moved') wake()
      return moved
    },
  }
}
