/** Plans the channels from the settings and business.yaml, and opens them. */
import type { Settings } from '../config.ts'
import type { Business } from '../contract/business.ts'
import {
  channels,
  channelSettings,
  isTested,
  ownerMail,
  pushChannel,
  readerOf,
  recipientsOf,
  senderMail,
  type Channel,
  type ChannelName,
  type NoticeKind,
  type Recipients,
} from '../contract/notices.ts'
import { needsTls, readWebhookSecret, webhookSecretForm } from '../contract/webhooks.ts'
import { lazily } from '../lazily.ts'
import type { Log } from '../log.ts'
import type { Store } from '../store/store.ts'
import { WrongChannelSetting, type DeliveryChannel } from './channel.ts'
import { OwnerMail, SenderMail } from './mail/mail-channels.ts'
import { MailServer } from './mail/smtp.ts'
import { hears, sortOf } from './notices.ts'
import { Push } from './push.ts'
import { Webhook } from './webhook.ts'

export type ChannelPlan = {
  name: ChannelName
  /** The web address that the operator chose. Without TLS it must be in his own network. */
  postsTo: string | undefined
  /** Which of the notices that its reader may get. */
  wants: (kind: NoticeKind) => boolean
  open: (parts: OpenParts) => DeliveryChannel
}

export type ChannelParts = {
  settings: Settings
  business: Business
  baseUrl: string
  secret: Buffer
  variable: (name: string) => string | undefined
  store: Store
  log: Log
  now: () => number
  pushServices?: readonly string[] | undefined
  timeoutMs?: number | undefined
}

/** `mailServer` is opened once for all channels that send email. */
type OpenParts = ChannelParts & { mailServer: () => MailServer }

type Plan = (settings: Settings, business: Business) => ChannelPlan[]

const plans: Record<Channel, Plan> = {
  mail: planOwnerMail,
  sender: planSenderMail,
  webhook: planWebhooks,
  push: () => [
    {
      name: pushChannel,
      postsTo: undefined,
      wants: () => true,
      open: (parts) => new Push(parts, parts.pushServices),
    },
  ],
}

export function planChannels(settings: Settings, business: Business): ChannelPlan[] {
  const all = (Object.keys(channels) as Channel[]).flatMap((each) =>
    plans[each](settings, business),
  )
  return all.map((plan) => ({
    ...plan,
    wants: (kind) => hears(readerOf(plan.name), kind) && plan.wants(kind),
  }))
}

export function planRecipients(settings: Settings, business: Business): Recipients {
  const planned = planChannels(settings, business)
  return recipientsOf((kind) => planned.filter(({ wants }) => wants(kind)).map(({ name }) => name))
}

/** The channels that the operator sets and tests. */
export function planTested(settings: Settings, business: Business): ChannelPlan[] {
  return planChannels(settings, business).filter(({ name }) => isTested(name))
}

/** The complaint where `planTested` is empty. */
export const noChannel = `neither ${channelSettings.join(' nor ')} is set`
export const onlyPhones = `leads are kept, but only phones that a member added in the inbox are notified: ${noChannel}`

function planOwnerMail({ SMTP_URL: url, OWNER_EMAIL: to }: Settings): ChannelPlan[] {
  if (url === undefined || to === undefined) return []
  const open = (parts: OpenParts) => new OwnerMail({ ...parts, to, server: parts.mailServer() })
  return [{ name: ownerMail, postsTo: undefined, wants: () => true, open }]
}

function planSenderMail(settings: Settings): ChannelPlan[] {
  const { SMTP_URL: url, OWNER_EMAIL: owner } = settings
  const wanted: NoticeKind[] = []
  if (settings.CONFIRM_TO_SENDER === 'on') wanted.push('lead.received')
  if (settings.VISIT_TO_SENDER === 'on') wanted.push('lead.visit')
  if (url === undefined || owner === undefined || wanted.length === 0) return []
  const open = (parts: OpenParts) => new SenderMail({ ...parts, server: parts.mailServer() })
  const wants = (kind: NoticeKind) => wanted.includes(kind)
  return [{ name: senderMail, postsTo: undefined, wants, open }]
}

function planWebhooks({ WEBHOOK_URL }: Settings, { webhooks = [] }: Business): ChannelPlan[] {
  const named = webhooks.map(({ name, url, secret, events }): ChannelPlan => {
    const wanted: readonly NoticeKind[] | undefined = events
    return {
      ...planWebhook({ name: `webhook-${name}`, url, secret }),
      wants: (kind) => (wanted ?? [kind]).includes(kind) || sortOf(kind) === 'alarm',
    }
  })
  if (WEBHOOK_URL === undefined) return named
  const fromSettings = { name: 'webhook', url: WEBHOOK_URL, secret: 'WEBHOOK_SECRET' } as const
  return [planWebhook(fromSettings), ...named]
}

/** `secret`: the name of the environment variable that holds the secret. */
type WebhookPlace = { name: ChannelName; url: string; secret: string }

function planWebhook(place: WebhookPlace): ChannelPlan {
  const { name, url: postsTo } = place
  return { name, postsTo, wants: () => true, open: (parts) => openWebhook(place, parts) }
}

function openWebhook({ name, url, secret }: WebhookPlace, parts: ChannelParts): Webhook {
  const key = readWebhookSecret(parts.variable(secret) ?? '')
  if (key === undefined) {
    throw new WrongChannelSetting(
      `${secret} must hold the secret of ${name}: ${webhookSecretForm}.`,
    )
  }
  return new Webhook({ name, url, key, baseUrl: parts.baseUrl, now: parts.now })
}

function refuseWrongAddress(name: ChannelName, url: string): void {
  if (!URL.canParse(url)) throw new WrongChannelSetting(`The address of ${name} is not a URL.`)
  if (needsTls(url)) {
    throw new WrongChannelSetting(
      `The address of ${name} must begin with https:, since it carries people's details. Plain http: is for a program on this machine or in your own network.`,
    )
  }
}

export function openChannels(
  planned: readonly ChannelPlan[],
  parts: ChannelParts,
): DeliveryChannel[] {
  const mailServer = lazily(() => openMailServer(parts))
  return planned.map(({ name, postsTo, open }) => {
    if (postsTo !== undefined) refuseWrongAddress(name, postsTo)
    return open({ ...parts, mailServer })
  })
}

/** Is called only where both are set. */
function openMailServer({ settings, business: { name } }: ChannelParts): MailServer {
  const { SMTP_URL: url = '', OWNER_EMAIL: to = '' } = settings
  return new MailServer({ url, from: { name, address: settings.MAIL_FROM ?? to } })
}
