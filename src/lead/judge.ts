/**
 * Looks for signs of spam in a lead. Nothing is dropped: a suspicious lead is kept as `held`, and the
 * owner can release it.
 */
import { hash } from 'node:crypto'
import { fieldKeys, fields, isOneLine } from '../contract/fields.ts'
import { dayMs, smallNumber } from '../time.ts'
import type { CheckedLead } from './check.ts'

export type Sign = 'trap' | 'links' | 'links-alone' | 'same-text' | 'rate' | 'blocked'

export type Judgement = {
  state: 'new' | 'held'
  score: number
  reasons: Sign[]
}

/** One sign is enough to hold a lead. The weights order held leads in the morning email. */
const weights: Record<Sign, number> = {
  trap: 100,
  rate: 100,
  blocked: 100,
  'same-text': 60,
  links: 60,
  // Most likely to be of a person, so it comes first.
  'links-alone': 40,
}

/** A few links are normal, because people send pictures of what they like. */
const maxLinks = 4
/** People who send several links say where they live, or how to ring them; spam does not. */
const maxLinksAlone = 2

const signWords: Record<Sign, string> = {
  trap: 'a hidden field that only machines see was filled in',
  links: `it has more than ${smallNumber(maxLinks)} links`,
  'links-alone': `it has ${smallNumber(maxLinksAlone + 1)} links or more, and neither phone nor postcode`,
  'same-text': 'the same text came from several people within a day',
  rate: 'many requests came from one address in a short time',
  blocked: 'you marked this sender as spam',
}

/** Another version may have stored a sign that this version does not know. */
export function whyHeld({ reasons }: { reasons: readonly string[] }): string[] {
  return reasons.map((sign) => (Object.hasOwn(signWords, sign) ? signWords[sign as Sign] : sign))
}

export function judgementOf(reasons: Sign[]): Judgement {
  const score = reasons.reduce((sum, sign) => sum + weights[sign], 0)
  return { state: reasons.length === 0 ? 'new' : 'held', score, reasons }
}

/** In characters. Shorter texts may be the same by chance. */
const shortestText = 40
const mostTexts = 4096
const clientsKept = 4

export class Judge {
  readonly #clientsOf = new Map<string, Set<string>>()
  readonly #isPlace: (filling: string) => boolean
  #since = 0

  /** `places`: the names of places that a browser may fill in by itself. */
  constructor(places: readonly string[]) {
    let known: Set<string> | undefined
    this.#isPlace = (filling) => {
      // The names of countries load ICU, which would make every start slower.
      known ??= new Set([...places, ...namesOfCountries()].map((place) => place.toLowerCase()))
      return known.has(filling)
    }
  }

  /** Remembers who sent the lead's text; see `forget`. */
  judge(
    lead: CheckedLead,
    { client, overSoftLimit, nowMs }: { client: string; overSoftLimit: boolean; nowMs: number },
  ): Judgement {
    const reasons: Sign[] = []
    if (overSoftLimit) reasons.push('rate')
    const linkSign = signOfLinks(lead)
    if (linkSign !== undefined) reasons.push(linkSign)
    if (this.#countSpread(lead.values.message, client, nowMs)) reasons.push('same-text')
    if (lead.trap !== '' && !(reasons.length === 0 && this.#isAutofilled(lead)))
      reasons.push('trap')
    return judgementOf(reasons)
  }

  /** Called when keeping failed; otherwise a retry from another address would count as a second sender. */
  forget({ values }: CheckedLead, client: string): void {
    this.#clientsOf.get(hash('sha256', values.message))?.delete(client)
  }

  #isAutofilled({ trap, values }: CheckedLead): boolean {
    if (trap.length > longestFilling) return false
    const filling = trap.toLowerCase()
    const own = [...lines.map(({ key }) => values[key]), ...values.name.split(/\s+/)]
    return own.some((text) => text.toLowerCase() === filling) || this.#isPlace(filling)
  }

  /** Adds the client to those who sent the text, and says whether they are many now. */
  #countSpread(text: string, client: string, nowMs: number): boolean {
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
}

/** Browsers fill in single lines. A longer text would only take time to compare. */
const lines = fields.filter(isOneLine)
const longestFilling = Math.max(...lines.map(({ maxLength }) => maxLength))

/** Countries that many customers live in or come from. */
function namesOfCountries(): string[] {
  const names = new Intl.DisplayNames('en', { type: 'region' })
  return [
    'AU',
    'NZ',
    'GB',
    'IE',
    'US',
    'CA',
    'ZA',
    'IN',
    'CN',
    'PH',
    'VN',
    'IT',
    'GR',
    'DE',
    'FJ',
  ].flatMap((code) => [code, names.of(code)!])
}

/** The email address is left out, because its domain may begin with www. */
const textKeys = fieldKeys.filter((key) => key !== 'email')

function signOfLinks({ values, unlisted }: CheckedLead): Sign | undefined {
  const texts = [unlisted, ...textKeys.map((key) => values[key])]
  const links = texts.reduce((sum, text) => sum + (text.match(link)?.length ?? 0), 0)
  if (links > maxLinks) return 'links'
  const isAlone = values.phone === '' && values.postcode === ''
  return isAlone && links > maxLinksAlone ? 'links-alone' : undefined
}

const host = String.raw`[^\s"/]{1,253}`
const endings = 'com|net|org|info|biz|co|io|ru|cn|xyz|top|site|online|shop|club|live|link'
/** Domains of email addresses do not count. */
const bareDomain = String.raw`(?<![@\w.-])[\w-]{1,63}(?:\.[\w-]{1,63}){0,4}\.(?:${endings})(?![\w-])`

/** `www` needs no word boundary: in `unlisted` (JSON) a line break before it is written as `\n`. */
const link = new RegExp(String.raw`//${host}|www\.${host}|${bareDomain}`, 'gi')
