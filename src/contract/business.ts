/** The facts of the business, as content/business.yaml states them. */
import type { Hours } from '../time.ts'
import type { NoticeKind } from './notices.ts'

export type Business = {
  readonly name: string
  /** First name: the site speaks as him. */
  readonly owner: string
  /** One sentence. */
  readonly summary: string
  /** Such as "the Northern Rivers of New South Wales". */
  readonly region: string
  /** Short, such as "NSW". */
  readonly state: string
  /** IANA name, such as "Australia/Sydney". */
  readonly timeZone: string
  readonly areas: readonly Area[]
  readonly hours: readonly Hours[]
  readonly does: readonly string[]
  readonly doesNot: readonly string[]
  readonly contact: { readonly phone: string; readonly email: string }
  /** Australian Business Number. */
  readonly abn?: string
  /** Such as "Public liability with Example Mutual, to $20 million". */
  readonly insurance?: string
  /** Takes questions and complaints about personal details. */
  readonly privacy: { readonly email: string }
  /** Takes reports of a vulnerability. */
  readonly security: { readonly email: string }
  /** What crawlers may do with the content (Content-Signal). */
  readonly crawlers: {
    readonly search: boolean
    readonly aiInput: boolean
    readonly aiTrain: boolean
  }
  /** Webhooks besides the one of WEBHOOK_URL. */
  readonly webhooks?: readonly WebhookEndpoint[]
}

export type WebhookEndpoint = {
  /** Becomes part of the name of the channel. */
  readonly name: string
  readonly url: string
  /** Default: all of them. */
  readonly events?: readonly NoticeKind[]
  /** Name of the environment variable that holds the secret. */
  readonly secret: string
}

export type Area = { readonly name: string; readonly postcodes: readonly string[] }

/** The name of the area with this postcode; `undefined`: outside of all. */
export function areaOf(postcode: string, areas: readonly Area[]): string | undefined {
  return areas.find(({ postcodes }) => postcodes.includes(postcode))?.name
}
