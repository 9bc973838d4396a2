/** Web Push (RFC 8030, 8291, 8292) to members' devices. One delivery notifies every device. */
import { createECDH, ECDH, hash, hkdfSync } from 'node:crypto'
import type { PushMessage, VapidKeys } from '@block65/webcrypto-web-push'
import type { Business } from '../contract/business.ts'
import { pushChannel } from '../contract/notices.ts'
import { inboxPath } from '../contract/routes.ts'
import { receiverAnswerMs } from '../contract/webhooks.ts'
import type { PushDevice } from '../store/access/store.ts'
import type { Store } from '../store/store.ts'
import { errorFacts, type Log } from '../log.ts'
import { dayMs, secondMs } from '../time.ts'
import { notForReader, tookIn, type DeliveryChannel, type Message, type Sent } from './channel.ts'
import { wordsForPhone } from './notices.ts'
import type { PhoneWords } from './phone-words.ts'
import { requestOnce, toSent } from './request.ts'

export type PushParts = {
  business: Business
  baseUrl: string
  secret: Buffer
  store: Store
  log: Log
  timeoutMs?: number | undefined
  now: () => number
}

/** `id` is made from `endpoint`, so that a subscription that is sent again replaces its device. */
export type Subscription = Pick<PushDevice, 'id' | 'endpoint' | 'p256dh' | 'auth'>

/** Messages go only to these origins, because a browser could name any address. */
const knownServices: readonly string[] = [
  'https://fcm.googleapis.com',
  'https://updates.push.services.mozilla.com',
  'https://*.push.apple.com',
  'https://*.notify.windows.com',
]

/** If a phone is off for longer than this, the push service drops the message. */
const ttlS = dayMs / secondMs
const mostOnBadge = 99
/** In characters. The addresses of the known services have a few hundred. */
const longestEndpoint = 1_000

export class Push implements DeliveryChannel {
  readonly name = pushChannel
  readonly atOnce = 4
  readonly timeoutMs: number
  readonly aboveLimit = 'gathered'
  readonly #parts: PushParts
  readonly #services: readonly string[]
  readonly #keys: VapidKeys & { publicKey: string }

  constructor(parts: PushParts, services = knownServices) {
    this.#parts = parts
    this.#services = services
    this.timeoutMs = parts.timeoutMs ?? receiverAnswerMs
    const subject = `mailto:${parts.business.contact.email}`
    this.#keys = { subject, ...deriveKeys(parts.secret) }
  }

  get publicKey(): string {
    return this.#keys.publicKey
  }

  readSubscription(given: unknown): Subscription | undefined {
    const sent = (given ?? {}) as { endpoint?: unknown; keys?: unknown }
    const { p256dh, auth } = (sent.keys ?? {}) as { p256dh?: unknown; auth?: unknown }
    const endpoint = this.#readEndpoint(sent.endpoint)
    const [point, bytes] = [readPoint(String(p256dh)), Buffer.from(String(auth), 'base64url')]
    if (endpoint === undefined || point === undefined || bytes.length !== 16) return undefined
    const id = hash('sha256', endpoint, 'base64url').slice(0, 12)
    return { id, endpoint, p256dh: point, auth: bytes.toString('base64url') }
  }

  async send({ id, deliveryId = id, notice }: Message, signal: AbortSignal): Promise<Sent> {
    const { store, business } = this.#parts
    const words = wordsForPhone(notice, business)
    if (words === undefined) return notForReader
    const took = (await store.deliveries.answersTo(deliveryId)).flatMap(tookIn)
    const devices = await store.access.listDevices()
    const left = devices.filter((device) => !took.includes(device.id))
    const message = await this.#compose(words)
    const results = await Promise.all(left.map((device) => this.#notify(device, message, signal)))
    const answer = left.map((device, index) => `${device.id}:${results[index]!.answer}`).join(' ')
    const failed = results.find(({ kind }) => kind === 'failed')
    if (failed !== undefined) return { ...failed, answer }
    if (took.length > 0 || results.some(({ kind }) => kind === 'delivered')) {
      return { kind: 'delivered', answer }
    }
    return { kind: 'dropped', answer: answer || 'no device' }
  }

  async sendTest(device: PushDevice): Promise<Sent> {
    const words = { title: 'New requests look like this', tag: 'test', path: inboxPath }
    const message = await this.#compose(words)
    return this.#notify(device, message, AbortSignal.timeout(this.timeoutMs))
  }

  /** Never throws, because the fault of one device must not keep the others from being notified. */
  async #notify(device: PushDevice, message: PushMessage, signal: AbortSignal): Promise<Sent> {
    try {
      return await this.#post(device, message, signal)
    } catch (error) {
      this.#parts.log.error('delivery.fault', { device: device.id, ...errorFacts(error) })
      return { kind: 'failed', outcome: 'failed', answer: 'fault' }
    }
  }

  /** Removes the device if nothing can be sent to it, or its push service no longer knows it or refuses our key. */
  async #post(device: PushDevice, message: PushMessage, signal: AbortSignal): Promise<Sent> {
    const { store, now } = this.#parts
    // An earlier version may have stored what is refused now.
    const checked = this.readSubscription({ endpoint: device.endpoint, keys: device })
    if (checked === undefined) {
      await store.access.removeDevice(device)
      return { kind: 'refused', answer: 'unusable' }
    }
    const { endpoint, p256dh, auth } = checked
    const subscription = { endpoint, expirationTime: null, keys: { p256dh, auth } }
    const { buildPushPayload } = await import('@block65/webcrypto-web-push')
    const { headers, body } = await buildPushPayload(message, subscription, this.#keys)
    const answer = await requestOnce({ url: endpoint, method: 'POST', headers, body }, signal)
    if ('failure' in answer) return { ...toSent(answer, now()), answer: answer.failure }
    if (![401, 403, 404, 410].includes(answer.status)) return toSent(answer, now())
    await store.access.removeDevice(device)
    return { kind: 'refused', answer: String(answer.status) }
  }

  /** Safari shows a message of this form by itself (Declarative Web Push), other browsers through sw.js. */
  async #compose({ path, ...words }: PhoneWords): Promise<PushMessage> {
    const { store, baseUrl } = this.#parts
    const { new: count } = await store.views.countStates(mostOnBadge)
    const notification = { ...words, navigate: baseUrl + path, app_badge: String(count) }
    // Safari 18.4 reads `app_badge` inside `notification`. The W3C draft has it outside.
    const data = { web_push: 8030, notification, app_badge: count }
    return { data, options: { ttl: ttlS, urgency: 'high', topic: words.tag } }
  }

  /** Returns the address as `URL` writes it, or `undefined` if it is not one of a known service. */
  #readEndpoint(given: unknown): string | undefined {
    if (typeof given !== 'string' || !URL.canParse(given)) return undefined
    const { protocol, origin, username, password, href } = new URL(given)
    // The origin of `blob:https://…` is the inner one.
    if (protocol !== 'https:' || href.length > longestEndpoint) return undefined
    if (username !== '' || password !== '') return undefined
    return this.#isKnown(origin) ? href : undefined
  }

  #isKnown(origin: string): boolean {
    return this.#services.some((service) => {
      const [start = '', end] = service.split('*')
      return end === undefined ? origin === start : origin.startsWith(start) && origin.endsWith(end)
    })
  }
}

function readPoint(text: string): string | undefined {
  try {
    const point = String(ECDH.convertKey(text, curve, 'base64url', 'base64url', 'uncompressed'))
    // The point at infinity is one byte, and no key.
    return Buffer.from(point, 'base64url').length === 65 ? point : undefined
  } catch {
    return undefined
  }
}

const curve = 'prime256v1'
/** The number of points on the curve. */
const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n

/** All nodes derive the same keys. A new secret ends all subscriptions. */
function deriveKeys(secret: Buffer): { publicKey: string; privateKey: string } {
  // 40 bytes instead of 32 make all keys almost equally likely (FIPS 186-5, A.2.1).
  const bytes = Buffer.from(hkdfSync('sha256', secret, '', 'push', 40))
  const number = (BigInt(`0x${bytes.toString('hex')}`) % (order - 1n)) + 1n
  const key = Buffer.from(number.toString(16).padStart(64, '0'), 'hex')
  const pair = createECDH(curve)
  pair.setPrivateKey(key)
  return { publicKey: pair.getPublicKey('base64url'), privateKey: key.toString('base64url') }
}
