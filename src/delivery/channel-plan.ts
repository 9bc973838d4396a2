/**
 * Who is notified of what: the channels that the settings and business.yaml name, and the notices
 * each of them gets. Opens none of them.
 */
import type { Settings } from '../config.ts'
import type { Business } from '../contract/business.ts'
import { alarms, senderMail } from '../contract/notices.ts'
import type { ChannelsFor, NoticeKind } from '../contract/notices.ts'
import { toDeliveryId } from '../store/delivery-id.ts'
import type { NewDelivery } from '../store/delivery-rows.ts'
import type { Store } from '../store/store.ts'
import type { MailServerSettings } from './mail/smtp.ts'

/** The name of the channel, as it stands in the database. */
export const ownerMail = 'mail'
/** Begins the ids under which the notes of the last day are remembered. */
export const notePrefix = `${senderMail} `
const settingsWebhook = 'webhook'

export type ChannelPlan = { name: string; wants: (kind: NoticeKind) => boolean } & (
  | { way: 'owner-mail'; server: MailServerSettings; perHour: number; to: string }
  | { way: 'sender-mail'; server: MailServerSettings; perHour: number }
  | WebhookPlan
)

/** `secret` is the name of the environment variable that holds it. */
export type WebhookPlan = { way: 'webhook'; name: string; url: string; secret: string }

export type ChannelSettings = Pick<
  Settings,
  | 'SMTP_URL'
  | 'SMTP_TLS'
  | 'OWNER_EMAIL'
  | 'MAIL_FROM'
  | 'CONFIRM_TO_SENDER'
  | 'LETTERS_PER_HOUR'
  | 'WEBHOOK_URL'
>

/** Mail to the owner comes first: the first channel that wants a reminder gets it. */
export function planChannels(
  settings: ChannelSettings,
  business: Pick<Business, 'name' | 'webhooks'>,
): ChannelPlan[] {
  const [owner, ...sender] = planMail(settings, business)
  return [...(owner ? [owner] : []), ...planWebhooks(settings, business), ...sender]
}

function planMail(settings: ChannelSettings, { name }: Pick<Business, 'name'>): ChannelPlan[] {
  const { SMTP_URL: url, SMTP_TLS: tls, OWNER_EMAIL: to, CONFIRM_TO_SENDER: confirm } = settings
  if (url === undefined || to === undefined) return []
  const perHour = settings.LETTERS_PER_HOUR
  const server = { url, tls, from: { name, address: settings.MAIL_FROM ?? to } }
  const owner: ChannelPlan = {
    way: 'owner-mail',
    name: ownerMail,
    server,
    perHour,
    to,
    // The owner moves leads himself.
    wants: (kind) => kind !== 'lead.state_changed',
  }
  if (confirm === 'off') return [owner]
  const wants = (kind: NoticeKind) => kind === 'lead.received'
  return [owner, { way: 'sender-mail', name: senderMail, server, perHour, wants }]
}

function planWebhooks(
  { WEBHOOK_URL }: ChannelSettings,
  { webhooks = [] }: Pick<Business, 'webhooks'>,
): ChannelPlan[] {
  const named = webhooks.map(({ name, url, secret, events }): ChannelPlan => {
    const wants = (kind: NoticeKind) => (events ?? [kind]).includes(kind) || alarms.includes(kind)
    return { way: 'webhook', name: `${settingsWebhook}-${name}`, url, secret, wants }
  })
  if (WEBHOOK_URL === undefined) return named
  const fromSettings = { name: settingsWebhook, url: WEBHOOK_URL, secret: 'WEBHOOK_SECRET' }
  return [{ way: 'webhook', ...fromSettings, wants: () => true }, ...named]
}

/** Cached for each kind, since every lead asks. */
export function createChannelsFor(plans: readonly ChannelPlan[]): ChannelsFor {
  const cache = new Map<NoticeKind, readonly string[]>()
  return (kind) => {
    let names = cache.get(kind)
    if (names === undefined) {
      names = plans.filter(({ wants }) => wants(kind)).map(({ name }) => name)
      cache.set(kind, names)
    }
    return names
  }
}

/** Deliveries of a notice that is not about one lead. With the same name it is added once. */
export function toEach(
  channels: readonly string[],
  { name, ...notice }: Pick<NewDelivery, 'kind' | 'about' | 'dueAt'> & { name: string },
): NewDelivery[] {
  return channels.map((channel) => ({
    id: toDeliveryId(name, channel),
    leadId: '',
    channel,
    ...notice,
  }))
}

/** The store, but a lead that is moved through it notifies the channels that want to know. */
export function notifyOfMoves<S extends Pick<Store, 'moveLead'>>(
  store: S,
  channelsFor: ChannelsFor,
  wake: () => void = () => {},
): S {
  return {
    ...store,
    async moveLead(lead, move) {
      const moved = await store.moveLead(lead, move, channelsFor)
      if (moved.kind === 'moved') wake()
      return moved
    },
  }
}
