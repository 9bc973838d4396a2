/** Opens the channels that are planned. What a channel needs is loaded only where there is one. */
import type { Settings } from '../config.ts'
import type { Business } from '../contract/business.ts'
import { readWebhookSecret, webhookSecretForm } from '../contract/webhooks.ts'
import { createLeadIds } from '../lead/ids.ts'
import type { Store } from '../store/store.ts'
import type { ChannelPlan } from './channel-plan.ts'
import type { DeliveryChannel } from './channel.ts'
import { ChannelFault } from './fault.ts'
import { createOneTap } from './one-tap.ts'
import type { MailServer } from './mail/smtp.ts'

export type ChannelParts = {
  plans: readonly ChannelPlan[]
  settings: Settings
  business: Business
  /** Without a slash at its end. */
  baseUrl: string
  secret: Buffer
  /** The value of an environment variable. */
  variable: (name: string) => string | undefined
  store: Pick<Store, 'firstSince' | 'findOnce'>
  now: () => number
}

export async function openChannels(parts: ChannelParts): Promise<DeliveryChannel[]> {
  const { plans, settings, business } = parts
  let server: MailServer | undefined
  if (settings.SMTP_URL && settings.OWNER_EMAIL) {
    const { openMailServer } = await import('./mail/smtp.ts')
    const address = settings.MAIL_FROM ?? settings.OWNER_EMAIL
    server = openMailServer({
      url: settings.SMTP_URL,
      tls: settings.SMTP_TLS,
      from: { name: business.name, address },
    })
  }
  return Promise.all(plans.map((plan) => openChannel(plan, parts, server)))
}

async function openChannel(
  plan: ChannelPlan,
  parts: ChannelParts,
  server: MailServer | undefined,
): Promise<DeliveryChannel> {
  const { settings, business, baseUrl, secret, store, now } = parts
  switch (plan.way) {
    case 'owner-mail': {
      const { createOwnerMail } = await import('./mail/owner-mail.ts')
      const taps = createOneTap(secret)
      return createOwnerMail({
        server: server!,
        to: settings.OWNER_EMAIL!,
        business,
        baseUrl,
        tapLink: (leadId, move) => baseUrl + taps.pathFor({ leadId, move }, now()),
      })
    }
    case 'sender-mail': {
      const { createSenderMail } = await import('./mail/sender-mail.ts')
      const { tokenOf } = createLeadIds(secret)
      const mail = { server: server!, store, business, baseUrl, now }
      return createSenderMail({ ...mail, tokenOf, addressKey: secret })
    }
    case 'webhook': {
      const { createWebhook } = await import('./webhook/webhook.ts')
      const allowPrivate = settings.ALLOW_PRIVATE_WEBHOOKS === 'on'
      return createWebhook({
        name: plan.name,
        url: checkedUrl(plan, allowPrivate),
        key: keyOf(plan, parts),
        allowPrivate,
        baseUrl,
        now,
      })
    }
  }
}

type WebhookPlan = Extract<ChannelPlan, { way: 'webhook' }>

function checkedUrl({ name, url }: WebhookPlan, allowPrivate: boolean): string {
  if (!URL.canParse(url)) throw new ChannelFault(`The address of ${name} is not a URL.`)
  if (new URL(url).protocol === 'https:' || allowPrivate) return url
  throw new ChannelFault(
    `The address of ${name} must begin with https:, since it carries people's details. For a program in your own network set ALLOW_PRIVATE_WEBHOOKS=on.`,
  )
}

function keyOf({ name, secret }: WebhookPlan, { variable }: ChannelParts): Buffer {
  const key = readWebhookSecret(variable(secret) ?? '')
  if (key !== undefined) return key
  throw new ChannelFault(`${secret} must hold the secret of ${name}: ${webhookSecretForm}.`)
}
