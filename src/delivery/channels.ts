/** Opens the channels of a plan. */
import type { Settings } from '../config.ts'
import type { Business } from '../contract/business.ts'
import { readWebhookSecret, webhookSecretForm } from '../contract/webhooks.ts'
import { LeadIds } from '../lead/ids.ts'
import type { Store } from '../store/store.ts'
import { WrongChannelSetting } from './channel.ts'
import type { DeliveryChannel } from './channel.ts'
import type { ChannelPlan, WebhookPlan } from './channel-plan.ts'
import { createOwnerMail } from './mail/owner-mail.ts'
import { createSenderMail } from './mail/sender-mail.ts'
import { openMailServer, type MailServer, type MailServerSettings } from './mail/smtp.ts'
import { createWebhook } from './webhook/webhook.ts'

export type ChannelParts = {
  plans: readonly ChannelPlan[]
  settings: Pick<Settings, 'ALLOW_PRIVATE_WEBHOOKS'>
  business: Business
  /** Without a slash at its end. */
  baseUrl: string
  secret: Buffer
  /** The value of an environment variable. */
  variable: (name: string) => string | undefined
  store: Pick<Store, 'firstSince' | 'findOnce'>
  now: () => number
}

export function openChannels(parts: ChannelParts): DeliveryChannel[] {
  let server: MailServer | undefined
  /** The owner's mail and the sender's share one. */
  const shareServer = (settings: MailServerSettings) => (server ??= openMailServer(settings))
  return parts.plans.map((plan) => openChannel(plan, parts, shareServer))
}

function openChannel(
  plan: ChannelPlan,
  parts: ChannelParts,
  shareServer: (settings: MailServerSettings) => MailServer,
): DeliveryChannel {
  const { business, baseUrl, secret, store, now } = parts
  switch (plan.way) {
    case 'owner-mail': {
      return createOwnerMail({
        server: shareServer(plan.server),
        to: plan.to,
        perHour: plan.perHour,
        business,
        baseUrl,
        now,
      })
    }
    case 'sender-mail': {
      const leadIds = new LeadIds(secret)
      return createSenderMail({
        server: shareServer(plan.server),
        perHour: plan.perHour,
        store,
        business,
        baseUrl,
        now,
        tokenOf: (leadId) => leadIds.tokenOf(leadId),
        addressKey: secret,
      })
    }
    case 'webhook': {
      const allowPrivate = parts.settings.ALLOW_PRIVATE_WEBHOOKS === 'on'
      return createWebhook({
        name: plan.name,
        url: checkUrl(plan, allowPrivate),
        key: readKey(plan, parts),
        allowPrivate,
        baseUrl,
        now,
      })
    }
  }
}

function checkUrl({ name, url }: WebhookPlan, allowPrivate: boolean): string {
  if (!URL.canParse(url)) throw new WrongChannelSetting(`The address of ${name} is not a URL.`)
  if (new URL(url).protocol === 'https:' || allowPrivate) return url
  throw new WrongChannelSetting(
    `The address of ${name} must begin with https:, since it carries people's details. For a program in your own network set ALLOW_PRIVATE_WEBHOOKS=on.`,
  )
}

function readKey({ name, secret }: WebhookPlan, { variable }: ChannelParts): Buffer {
  const key = readWebhookSecret(variable(secret) ?? '')
  if (key !== undefined) return key
  throw new WrongChannelSetting(`${secret} must hold the secret of ${name}: ${webhookSecretForm}.`)
}
