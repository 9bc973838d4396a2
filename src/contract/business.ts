/** What is true of the business. The facts themselves are the owner's, in content/business.yaml. */
import type { NoticeKind } from './notices.ts'

export type Business = {
  readonly name: string
  /** The owner's first name: he speaks for himself. */
  readonly owner: string
  /** One sentence. */
  readonly summary: string
  /** As in "the Northern Rivers of New South Wales". */
  readonly region: string
  /** Short, as in "NSW". */
  readonly state: string
  /** IANA name, as in "Australia/Sydney". */
  readonly timeZone: string
  readonly areas: readonly Area[]
  readonly hours: readonly Hours[]
  readonly does: readonly string[]
  readonly doesNot: readonly string[]
  readonly contact: { readonly phone: string; readonly email: string }
  /** Who answers for personal details, and to whom a complaint goes. */
  readonly privacy: { readonly email: string }
  /** For reports of a weakness in the site. */
  readonly security: { readonly email: string }
  /** What crawlers may do with the words of the site (Content-Signal). */
  readonly crawlers: {
    readonly search: boolean
    readonly aiInput: boolean
    readonly aiTrain: boolean
  }
  /** Programs that are told of leads, beside the one of WEBHOOK_URL. */
  readonly webhooks?: readonly WebhookEndpoint[]
}

export type WebhookEndpoint = {
  /** Short: it names the channel. */
  readonly name: string
  readonly url: string
  /** Left out: all of them. */
  readonly events?: readonly NoticeKind[]
  /** Name of the environment variable that holds the secret. */
  readonly secret: string
}

export type Area = { readonly name: string; readonly postcodes: readonly string[] }

/** Times as "07:00", in the time zone of the business. */
export type Hours = {
  readonly days: readonly Day[]
  readonly opens: string
  readonly closes: string
}

export const days = [
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
  'Sunday',
] as const

export type Day = (typeof days)[number]
