/** What a webhook carries and how it is signed, by Standard Webhooks 1.0. */
import { secondMs } from '../time.ts'
import type { NoticeKind } from './notices.ts'
import type { State } from './states.ts'

export type WebhookPayload = {
  /** The same for every try; also in the header `webhook-id`. */
  id: string
  type: NoticeKind
  /** RFC 3339, UTC: when it happened, not when it was sent. */
  created_at: string
  data: object
}

export type LeadSummary = { id: string; reference: string; state: State; received_at: string }

/** Plain HTTP or SMTP is for a program on this machine or in its own network. */
export function needsTls(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  return protocol !== 'https:' && !localHost.test(hostname)
}

/** A name without a dot is that of a container or a machine nearby. */
const localHost =
  /^(?:[^.:]+|.+\.(?:local|internal|lan|home\.arpa)|(?:127|10|192\.168|172\.(?:1[6-9]|2\d|3[01]))\.[\d.]+|\[(?:::1|f[cd].+)\])$/

/** An endpoint that has not answered by then has failed. */
export const webhookAnswerMs = 15 * secondMs

const secretPrefix = 'whsec_'
/** Length of the key inside a secret. */
const secretBytes = { min: 24, max: 64 }

/** The form of a secret, in words. */
export const webhookSecretForm = `${secretPrefix} and ${secretBytes.min} to ${secretBytes.max} random bytes in base64`

/** The key inside a secret; `undefined`: not a webhook secret. */
export function readWebhookSecret(text: string): Buffer | undefined {
  const inner = text.startsWith(secretPrefix) ? text.slice(secretPrefix.length) : ''
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(inner)) return undefined
  const key = Buffer.from(inner, 'base64')
  return key.length >= secretBytes.min && key.length <= secretBytes.max ? key : undefined
}
