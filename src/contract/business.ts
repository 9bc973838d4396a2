/** The facts of the business, as content/business.yaml states them. */
import type { Hours } from '../time.ts'
import { capital, toPlain } from '../words.ts'
import { countryOf, covers, toPostcode } from './country.ts'
import type { NoticeKind } from './notices.ts'
import { contactPath } from './routes.ts'

export type Business = {
  readonly name: string
  readonly owner: string
  readonly summary: string
  readonly region: string
  /** Two letters, such as AU. */
  readonly country: string
  readonly state?: string
  readonly trade: Trade
  /** What people ask for: "a Consultation", "Consultations". */
  readonly asksFor: { readonly one: string; readonly many: string }
  /** The words of the form for what a request is about. */
  readonly form: { readonly label: string; readonly hint: string; readonly example: string }
  /** A sentence at the foot of every page and in what agents read, such as a limit by law. */
  readonly notice?: string
  readonly timeZone: string
  readonly areas: readonly Area[]
  readonly hours: readonly Hours[]
  /** When the day of the owner begins, if the business opens before: for the morning email and for calls. */
  readonly morning?: string
  /** A sentence that tells a sender when to expect an answer. */
  readonly answers?: string
  readonly does: readonly string[]
  readonly doesNot: readonly string[]
  readonly contact: { readonly phone: string; readonly email: string }
  /** The year in which the owner began to work here. */
  readonly since?: string
  readonly registrations: readonly Registration[]
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

/** `verb` in four forms: build, builds, built, building. */
export type Trade = {
  /** "a deck and pergola business" */
  readonly is: string
  /** What a request is about: "a new deck or pergola". */
  readonly about: string
  /** What the verb is about: "decks and pergolas". */
  readonly what?: string
  readonly verb?: readonly [base: string, third: string, past: string, ing: string]
  /** Words that people and programs search for. */
  readonly nouns: readonly string[]
  /** The type of business at schema.org; `LocalBusiness` if left out. */
  readonly kind?: string
}

/** An entry in a register that people can look up, such as an ABN or a VAT number. */
export type Registration = {
  readonly label: string
  readonly number: string
  readonly link?: string
}

export type Reply = {
  readonly title: string
  readonly text: string
  /** Offered only for somebody who can be rung. */
  readonly afterCall?: boolean
}

export type WebhookEndpoint = {
  readonly name: string
  readonly url: string
  /** The notices that it gets besides alarms; all if left out. */
  readonly events?: readonly NoticeKind[]
  /** The name of the environment variable that holds the secret. */
  readonly secret: string
}

/** What makes people ring: shown on About and at the foot of every page. */
export function papersOf(business: Business): { words: string; link?: string | undefined }[] {
  const { since, registrations, insurance } = business
  return [
    ...(since ? [{ words: `${hereSince(business)} ${since}` }] : []),
    ...registrations.map(({ label, number, link }) => ({ words: `${label} ${number}`, link })),
    ...(insurance ? [{ words: insurance }] : []),
  ]
}

function hereSince({ trade: { verb } }: Business): string {
  const [, , , doing = 'working'] = verb ?? []
  return `${capital(doing)} here since`
}

/**
 * The facts as a program reads them. Leaves out what the business does not say of itself, because the
 * output schema of MCP is derived from this.
 */
export function toBusinessInfo(business: Business, baseUrl: string) {
  const { state, since, registrations, insurance, notice, answers } = business
  const abn = registrations.find(({ label }) => label === 'ABN')?.number
  const others = registrations.filter(({ label }) => label !== 'ABN')
  return {
    name: business.name,
    owner: business.owner,
    summary: business.summary,
    region: business.region,
    ...(state && { state }),
    areas: business.areas,
    hours: business.hours,
    time_zone: business.timeZone,
    does: business.does,
    does_not: business.doesNot,
    ...(notice && { notice }),
    ...(answers && { answers }),
    ...(since && { since }),
    ...(abn && { abn }),
    ...(others.length > 0 && { registrations: others }),
    ...(insurance && { insurance }),
    contact: business.contact,
    website: `${baseUrl}/`,
    request_page: baseUrl + contactPath,
  }
}

export type Area = { readonly name: string; readonly postcodes: readonly string[] }

/** The name of the area that a typed postcode or town belongs to. */
export function areaOf(typed: string, areas: readonly Area[]): string | undefined {
  const postcode = toPostcode(typed)
  const isIn = ({ postcodes }: Area) => postcodes.some((listed) => covers(listed, postcode))
  const words = toWords(typed)
  return (areas.find(isIn) ?? areas.find((area) => hasTown(words, area)))?.name
}

/** Without listed postcodes, a postcode says nothing about who is too far away. */
export function listsPostcodes(areas: readonly Area[]): boolean {
  return areas.some(({ postcodes }) => postcodes.length > 0)
}

export type Near = Pick<Business, 'areas' | 'country' | 'state'>

/** Places that customers live in, as a browser may fill them in. */
export function placesNear({ areas, country, state }: Near): string[] {
  const towns = areas.flatMap(({ name }) => townsOf(name))
  return [...towns, ...(state ? [state] : []), ...countryOf(country).places]
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
  return ` ${toPlain(text)} `
}
