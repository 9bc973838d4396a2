/** The payload and the secret of a webhook, as Standard Webhooks 1.0 defines them. */
import { secondMs } from '../time.ts'
import type { NoticeKind } from './notices.ts'
import type { State } from './states.ts'

export type WebhookPayload = {
  /** Stays the same for every try; also sent in the header `webhook-id`. */
  id: string
  type: NoticeKind
  /** Time of the event, not of the try. RFC 3339, UTC. */
  created_at: string
  data: object
}

export type LeadSummary = { id: string; reference: string; state: State; received_at: string }

/** Whether the address needs TLS. Plain HTTP or SMTP is allowed only to hosts on this machine or in its own network. */
export function needsTls(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  return protocol !== 'https:' && !localHost.test(hostname)
}

/** Matches hosts of this machine or network. A name without a dot belongs to a container or a machine nearby. */
const localHost =
  /^(?:[^.:]+|.+\.(?:local|internal|lan|home\.arpa)|(?:127|10|192\.168|172\.(?:1[6-9]|2\d|3[01]))\.[\d.]+|\[(?:::1|f[cd].+)\])$/

/** A try fails if the endpoint has not answered within this time. */
export const webhookAnswerMs = 15 * secondMs

const secretPrefix = 'whsec_'
/** How many bytes the key inside a secret may have. */
const secretBytes = { min: 24, max: 64 }

export const webhookSecretForm = `${secretPrefix} and ${secretBytes.min} to ${secretBytes.max} random bytes in base64`

/** Returns the key inside a secret; `undefined` if the text is not a webhook secret. */
export function readWebhookSecret(text: string): Buffer | undefined {
  const inner = text.startsWith(secretPrefix) ? text.slice(secretPrefix.length) : ''
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(inner)) return undefined
  const key = Buffer.from(inner, 'base64')
  return key.length >= secretBytes.min && key.length <= secretBytes.max ? key : undefined
}
