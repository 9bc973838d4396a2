/** Plans the channels from the settings and business.yaml, and opens them. */
import type { Settings } from '../config.ts'
import type { Business } from '../contract/business.ts'
import { alarms, ownerMail, senderMail, type NoticeKind } from '../contract/notices.ts'
import { needsTls, readWebhookSecret, webhookSecretForm } from '../contract/webhooks.ts'
import type { Store } from '../store/store.ts'
import { WrongChannelSetting, type DeliveryChannel } from './channel.ts'
import { OwnerMail, SenderMail } from './mail/mail-channels.ts'
import { MailServer, type MailServerSettings } from './mail/smtp.ts'
import { Webhook } from './webhook.ts'

export type ChannelPlan = { name: string; wants: (kind: NoticeKind) => boolean } & (
  | { way: 'owner-mail'; server: MailServerSettings; to: string }
  | { way: 'sender-mail'; server: MailServerSettings; visits: boolean }
  | WebhookPlan
)

/** `secret`: the name of the environment variable that holds the secret. */
export type WebhookPlan = { way: 'webhook'; name: string; url: string; secret: string }

export function planChannels(settings: Settings, business: Business): ChannelPlan[] {
  return [...planMail(settings, business), ...planWebhooks(settings, business)]
}

function planMail(settings: Settings, { name }: Business): ChannelPlan[] {
  const { SMTP_URL: url, OWNER_EMAIL: to } = settings
  if (url === undefined || to === undefined) return []
  const server = { url, from: { name, address: settings.MAIL_FROM ?? to } }
  const owner: ChannelPlan = {
    way: 'owner-mail',
    name: ownerMail,
    server,
    to,
    // The owner moves leads himself, so he needs no email about a move.
    wants: (kind) => kind !== 'lead.state_changed',
  }
  const confirms = settings.CONFIRM_TO_SENDER === 'on'
  const visits = settings.VISIT_TO_SENDER === 'on'
  if (!confirms && !visits) return [owner]
  const wants = (kind: NoticeKind) => confirms && kind === 'lead.received'
  return [owner, { way: 'sender-mail', name: senderMail, server, visits, wants }]
}

function planWebhooks({ WEBHOOK_URL }: Settings, { webhooks = [] }: Business): ChannelPlan[] {
  const named = webhooks.map(({ name, url, secret, events }): ChannelPlan => {
    const wants = (kind: NoticeKind) => (events ?? [kind]).includes(kind) || alarms.includes(kind)
    return { way: 'webhook', name: `webhook-${name}`, url, secret, wants }
  })
  if (WEBHOOK_URL === undefined) return named
  const fromSettings = { name: 'webhook', url: WEBHOOK_URL, secret: 'WEBHOOK_SECRET' }
  return [{ way: 'webhook', ...fromSettings, wants: () => true }, ...named]
}

export type ChannelParts = {
  plans: readonly ChannelPlan[]
  business: Business
  baseUrl: string
  secret: Buffer
  variable: (name: string) => string | undefined
  store: Store
  now: () => number
}

export function openChannels(parts: ChannelParts): DeliveryChannel[] {
  let server: MailServer | undefined
  const shareServer = (settings: MailServerSettings) => (server ??= new MailServer(settings))
  return parts.plans.map((plan) => {
    switch (plan.way) {
      case 'owner-mail':
        return new OwnerMail({ ...parts, ...plan, server: shareServer(plan.server) })
      case 'sender-mail':
        return new SenderMail({ ...parts, ...plan, server: shareServer(plan.server) })
      case 'webhook':
        return openWebhook(plan, parts)
    }
  })
}

function openWebhook({ name, url, secret }: WebhookPlan, parts: ChannelParts): Webhook {
  if (!URL.canParse(url)) throw new WrongChannelSetting(`The address of ${name} is not a URL.`)
  if (needsTls(url)) {
    throw new WrongChannelSetting(
      `The address of ${name} must begin with https:, since it carries people's details. Plain http: is for a program on this machine or in your own network.`,
    )
  }
  const key = readWebhookSecret(parts.variable(secret) ?? '')
  if (key === undefined) {
    throw new WrongChannelSetting(
      `${secret} must hold the secret of ${name}: ${webhookSecretForm}.`,
    )
  }
  return new Webhook({ name, url, key, baseUrl: parts.baseUrl, now: parts.now })
}
