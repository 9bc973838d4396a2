/**
 * Judges whether a lead is spam. Nothing is dropped: a suspicious lead is kept as `held`, with the
 * reasons, for the owner to release.
 */
import { hash } from 'node:crypto'
import { fieldKeys, type FieldValues } from '../contract/fields.ts'
import { dayMs } from '../time.ts'
import type { CheckedLead } from './check.ts'

export type Sign = 'trap' | 'links' | 'same-text' | 'rate'

export type Judgement = {
  state: 'new' | 'held'
  score: number
  reasons: Sign[]
}

/** The weight of each sign, for sorting. One sign is enough to hold a lead. */
const weights: Record<Sign, number> = { trap: 100, rate: 100, 'same-text': 60, links: 60 }

const inWords: Record<Sign, string> = {
  trap: 'a field that people cannot see was filled in, as machines do',
  links: 'it has more than four links',
  'same-text': 'the same text came from several senders within a day',
  rate: 'many requests came from one address in a short time',
}

/** Returns the reasons in words. A sign that this version does not know stays as it is. */
export function whyHeld({ reasons }: { reasons: readonly string[] }): string[] {
  return reasons.map((sign) => (Object.hasOwn(inWords, sign) ? inWords[sign as Sign] : sign))
}

export class Judge {
  readonly #spread = new SpreadCheck()

  judge(
    lead: CheckedLead,
    { client, overSoftLimit, nowMs }: { client: string; overSoftLimit: boolean; nowMs: number },
  ): Judgement {
    const reasons: Sign[] = []
    if (overSoftLimit) reasons.push('rate')
    if (hasManyLinks(lead)) reasons.push('links')
    if (this.#spread.hasSpread(lead.values.message, client, nowMs)) reasons.push('same-text')
    // A browser may fill in the hidden field by itself.
    if (lead.trap !== '' && !(reasons.length === 0 && looksLikeAutofill(lead.trap, lead.values))) {
      reasons.push('trap')
    }
    const score = reasons.reduce((sum, sign) => sum + weights[sign], 0)
    return { state: reasons.length === 0 ? 'new' : 'held', score, reasons }
  }

  /** Forgets a lead that was not kept, so that a retry from another address is not counted twice. */
  forget(lead: CheckedLead, client: string): void {
    this.#spread.forget(lead.values.message, client)
  }
}

/** Some links are normal: people send pictures of decks they like. */
const maxLinks = 4

/** Fields searched for links. The email address is left out: its domain may begin with www. */
const textKeys = fieldKeys.filter((key) => key !== 'email')

function hasManyLinks({ values, unlisted }: CheckedLead): boolean {
  const texts = [unlisted, ...textKeys.map((key) => values[key])]
  return texts.reduce((sum, text) => sum + (text.match(link)?.length ?? 0), 0) > maxLinks
}

/**
 * Matches a link by its slashes, its www or its ending, but not the domain of an email address. `www`
 * may follow a letter: unlisted fields are JSON, where a line break before `www` is written as \n.
 */
const link =
  /\/\/[^\s"/]{1,253}|www\.[^\s"/]{1,253}|(?<![@\w.-])[\w-]{1,63}(?:\.[\w-]{1,63}){0,4}\.(?:com|net|org|info|biz|co|io|ru|cn|xyz|top|site|online|shop|club|live|link)(?![\w-])/gi

const shortestText = 40
/** All texts are forgotten when there are so many, and also after a day. */
const mostTexts = 4096
const clientsKept = 4

/** Detects the same long text from many clients in a day. */
export class SpreadCheck {
  readonly #clientsOf = new Map<string, Set<string>>()
  #since = 0

  /** Returns true once four clients have sent the text. */
  hasSpread(text: string, client: string, nowMs: number): boolean {
    if (text.length < shortestText) return false
    if (nowMs - this.#since > dayMs || this.#clientsOf.size === mostTexts) {
      this.#clientsOf.clear()
      this.#since = nowMs
    }
    const key = hash('sha256', text)
    const clients = this.#clientsOf.get(key) ?? new Set()
    if (clients.size < clientsKept) clients.add(client)
    this.#clientsOf.set(key, clients)
    return clients.size === clientsKept
  }

  forget(text: string, client: string): void {
    this.#clientsOf.get(hash('sha256', text))?.delete(client)
  }
}

/** Browsers' autofill writes another field, part of the name, a place or a country into the honeypot. */
function looksLikeAutofill(trap: string, values: FieldValues): boolean {
  const text = fold(trap)
  const { name, email, phone, postcode } = values
  const own = [name, email, phone, postcode, ...name.split(/\s+/)].map(fold)
  return own.includes(text) || places.has(text) || knownCountries().has(text)
}

function fold(text: string): string {
  return text.trim().toLowerCase()
}

const places = new Set(
  [
    ['nsw', 'new south wales', 'vic', 'victoria', 'qld', 'queensland', 'wa', 'western australia'],
    ['sa', 'south australia', 'tas', 'tasmania', 'act', 'australian capital territory'],
    ['nt', 'northern territory', 'sydney', 'melbourne', 'brisbane', 'perth', 'adelaide', 'hobart'],
    ['darwin', 'canberra', 'newcastle', 'wollongong', 'gold coast', 'sunshine coast', 'geelong'],
    ['ballina', 'byron bay', 'lismore', 'coffs harbour', 'tweed heads', 'toowoomba', 'cairns'],
  ].flat(),
)

let countries: Set<string> | undefined

/** English names and two-letter codes of countries. The list is made when first needed: it takes 70 ms. */
function knownCountries(): Set<string> {
  if (countries !== undefined) return countries
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
  const codes = letters.flatMap((first) => letters.map((second) => first + second))
  const known = codes.filter((code) => names.of(code) !== undefined)
  countries = new Set(known.flatMap((code) => [fold(names.of(code)!), fold(code)]))
  return countries
}
