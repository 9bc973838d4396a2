/** The facts of the business, as content/business.yaml states them. */
import type { Hours } from '../time.ts'
import type { NoticeKind } from './notices.ts'

export type Business = {
  readonly name: string
  readonly owner: string
  readonly summary: string
  readonly region: string
  readonly state: string
  readonly timeZone: string
  readonly areas: readonly Area[]
  readonly hours: readonly Hours[]
  /** A sentence that tells a sender when to expect an answer. */
  readonly answers?: string
  readonly does: readonly string[]
  readonly doesNot: readonly string[]
  readonly contact: { readonly phone: string; readonly email: string }
  /** The year in which the owner began to build here. */
  readonly since?: string
  readonly abn?: string
  readonly insurance?: string
  readonly privacy: { readonly email: string }
  readonly security: { readonly email: string }
  readonly crawlers: {
    readonly search: boolean
    readonly aiInput: boolean
    readonly aiTrain: boolean
  }
  /** The owner's texts to senders. {name} and {reference} are filled in. */
  readonly replies?: readonly Reply[]
  readonly webhooks?: readonly WebhookEndpoint[]
}

export type Reply = { readonly title: string; readonly text: string }

export type WebhookEndpoint = {
  readonly name: string
  readonly url: string
  /** The notices that it gets besides alarms; all if left out. */
  readonly events?: readonly NoticeKind[]
  /** The name of the environment variable that holds the secret. */
  readonly secret: string
}

/** What makes people ring: shown on About and at the foot of every page. */
export function papersOf({ since, abn, insurance }: Business): string[] {
  return [
    ...(since ? [`Building here since ${since}`] : []),
    ...(abn ? [`ABN ${abn}`] : []),
    ...(insurance ? [insurance] : []),
  ]
}

export type Area = { readonly name: string; readonly postcodes: readonly string[] }

export function areaOf(typed: string, areas: readonly Area[]): string | undefined {
  const byPostcode = areas.find(({ postcodes }) => postcodes.includes(typed))
  const words = toWords(typed)
  return (byPostcode ?? areas.find((area) => hasTown(words, area)))?.name
}

/** The name of an area can have several towns, for example "Ballina and Lennox Head". */
export function townsOf(areaName: string): string[] {
  return areaName.split(/ and |[,&/]/).map((town) => town.trim())
}

function hasTown(words: string, area: Area): boolean {
  let towns = townsIn.get(area)
  if (towns === undefined) {
    const known = [...townsOf(area.name), ...area.postcodes].map(toWords)
    townsIn.set(area, (towns = known.filter((town) => town.trim() !== '')))
  }
  return towns.some((town) => words.includes(town))
}

/** Made once for each area, because every lead from elsewhere is compared with all of them. */
const townsIn = new WeakMap<Area, readonly string[]>()

/** Puts a blank before and after each word, so that only whole words match. */
function toWords(text: string): string {
  return ` ${(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(' ')} `
}
