/** The facts of the business, as content/business.yaml states them. */
import type { Hours } from '../time.ts'
import type { NoticeKind } from './notices.ts'

export type Business = {
  readonly name: string
  /** The owner's first name. The site speaks as the owner. */
  readonly owner: string
  /** The business in one sentence. */
  readonly summary: string
  /** The region served, such as "the Northern Rivers of New South Wales". */
  readonly region: string
  /** Abbreviation of the state, such as "NSW". */
  readonly state: string
  /** IANA name, such as "Australia/Sydney". */
  readonly timeZone: string
  readonly areas: readonly Area[]
  readonly hours: readonly Hours[]
  /** A sentence that tells a sender when to expect an answer. */
  readonly answers?: string
  readonly does: readonly string[]
  readonly doesNot: readonly string[]
  readonly contact: { readonly phone: string; readonly email: string }
  /** Australian Business Number. */
  readonly abn?: string
  /** A phrase such as "Public liability with Example Mutual, to $20 million". */
  readonly insurance?: string
  /** Address for questions and complaints about personal details. */
  readonly privacy: { readonly email: string }
  /** Address for reports of a vulnerability. */
  readonly security: { readonly email: string }
  /** Permissions for crawlers (Content-Signal). */
  readonly crawlers: {
    readonly search: boolean
    readonly aiInput: boolean
    readonly aiTrain: boolean
  }
  /** The owner's own short texts to senders; {name} and {reference} are filled in. */
  readonly replies?: readonly Reply[]
  /** Webhooks in addition to WEBHOOK_URL. */
  readonly webhooks?: readonly WebhookEndpoint[]
}

export type Reply = { readonly title: string; readonly text: string }

export type WebhookEndpoint = {
  /** The name of the channel is `webhook-` followed by this name. */
  readonly name: string
  readonly url: string
  /** Kinds of notices to send. Default: all. Alarms are sent in any case. */
  readonly events?: readonly NoticeKind[]
  /** Name of the environment variable that holds the secret. */
  readonly secret: string
}

export type Area = { readonly name: string; readonly postcodes: readonly string[] }

/** The name of the area that has this postcode, or the town that was typed in place of it. `undefined`: no area has it. */
export function areaOf(typed: string, areas: readonly Area[]): string | undefined {
  const byPostcode = areas.find(({ postcodes }) => postcodes.includes(typed))
  const words = toWords(typed)
  return (byPostcode ?? areas.find((area) => hasTown(words, area)))?.name
}

/** Whether the words name a town or a postcode of the area. "Ballina and Lennox Head" names two towns. */
function hasTown(words: string, { name, postcodes }: Area): boolean {
  const known = [...name.split(/ and |[,&/]/), ...postcodes].map(toWords)
  return known.some((town) => town.trim() !== '' && words.includes(town))
}

/** The words in lower case, with a blank before and after each, so that only whole words match. */
function toWords(text: string): string {
  return ` ${(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(' ')} `
}
