/**
 * The program's sentences are written in the words of the specification: a Consultation, and the
 * examples of `fields`. This puts them into the words of one business. What an owner or a customer
 * wrote never goes through it.
 */
import { capital } from '../words.ts'
import { listsPostcodes, type Business } from './business.ts'
import { countryOf } from './country.ts'
import { fields, messageField, type Field, type FieldKey } from './fields.ts'

export type Say = <T>(words: T) => T

type Worded = Pick<Business, 'asksFor' | 'country' | 'form' | 'areas' | 'contact'>

/** Also takes plain data, whose texts are put into the words of the business, however deep they are. */
export function wordsOf(business: Worded): Say {
  let say = known.get(business)
  if (say === undefined) known.set(business, (say = createSay(business)))
  return say
}

const known = new WeakMap<Worded, Say>()

export const consultation = { one: 'a Consultation', many: 'Consultations' }

function createSay(business: Worded): Say {
  const own = fieldWordsOf(business)
  const swaps = new Map<string, string>()
  for (const field of fields as readonly Field[]) {
    for (const part of ['label', 'description', 'example', 'hint'] as const) {
      const [from, to] = [field[part], own[field.key as FieldKey]?.[part]]
      if (from !== undefined && to !== undefined && to !== from) swaps.set(from, to)
    }
  }
  if (swaps.size === 0 && business.asksFor.one === consultation.one) return (words) => words
  return (words) => sayDeep(words, (text) => swaps.get(text) ?? inOwnWords(text, business.asksFor))
}

function sayDeep<T>(words: T, sayText: (text: string) => string): T {
  if (typeof words === 'string') return sayText(words) as T
  if (Array.isArray(words)) return words.map((each) => sayDeep(each as unknown, sayText)) as T
  if (typeof words !== 'object' || words === null) return words
  const entries = Object.entries(words).map(([key, value]) => [key, sayDeep(value, sayText)])
  return Object.fromEntries(entries) as T
}

const asked = /\b([Aa] )?Consultation(s)?\b/g
const sentenceStart = /(?:^|[.!?:] |\n|# )$/

function inOwnWords(text: string, { one, many }: Business['asksFor']): string {
  return text.replaceAll(asked, (_, article: string | undefined, plural, at: number) => {
    const whole = article === undefined ? nounOf(one) : one
    const words = plural === undefined ? whole : many
    return sentenceStart.test(text.slice(0, at)) ? capital(words) : words
  })
}

/** "a call-out" without its article. */
export function nounOf(one: string): string {
  return one.replace(/^an? /, '')
}

type FieldWords = Partial<Pick<Field, 'label' | 'description' | 'example' | 'hint'>>

/** What this business says in the rows of `fields`, where it has words of its own. */
function fieldWordsOf(business: Worded): Partial<Record<FieldKey, FieldWords>> {
  const { country, form, areas, contact } = business
  const { postcodeExample, phoneExample } = countryOf(country)
  return {
    phone: { example: phoneExample || contact.phone },
    postcode: listsPostcodes(areas)
      ? { example: areas.flatMap(({ postcodes }) => postcodes)[0] ?? postcodeExample }
      : townWords(areas[0]?.name ?? postcodeExample),
    message: {
      ...form,
      ...(form.label !== messageField.label && { description: 'Message / notes.' }),
    },
  }
}

/** Where no area lists postcodes, a town says more about the way there. */
function townWords(example: string): FieldWords {
  return { label: 'Town or postcode', description: 'Town or postcode.', example }
}
