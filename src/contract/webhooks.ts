/** The promises about webhooks: TLS, the form of their secrets, and the time to answer. */
import { secondMs } from '../time.ts'

/** Plain HTTP or SMTP is allowed only to hosts on this machine or in its own network. */
export function needsTls(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  return protocol !== 'https:' && !localHosts.some((pattern) => pattern.test(hostname))
}

const localHosts = [
  // A name without a dot belongs to a container or a machine nearby.
  /^[^.:]+$/,
  /\.(?:local|internal|lan|home\.arpa)$/,
  // Loopback and private addresses (RFC 1918; RFC 4193 for IPv6).
  /^(?:127|10|192\.168|172\.(?:1[6-9]|2\d|3[01]))\.[\d.]+$/,
  /^\[(?:::1|f[cd].+)\]$/,
]

/** Whatever the service posts to must answer within this time. */
export const receiverAnswerMs = 15 * secondMs

/** The form of secrets is that of Standard Webhooks 1.0. */
const secretPrefix = 'whsec_'
const secretBytes = { min: 24, max: 64 }

export const webhookSecretForm = `${secretPrefix} and ${secretBytes.min} to ${secretBytes.max} random bytes in base64`

export function readWebhookSecret(text: string): Buffer | undefined {
  const inner = text.startsWith(secretPrefix) ? text.slice(secretPrefix.length) : ''
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(inner)) return undefined
  const key = Buffer.from(inner, 'base64')
  return key.length >= secretBytes.min && key.length <= secretBytes.max ? key : undefined
}
