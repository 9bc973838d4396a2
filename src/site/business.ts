/** Reads and checks content/business.yaml. */
import type { Business, Registration } from '../contract/business.ts'
import { countryOf, toPostcode } from '../contract/country.ts'
import { isEmail, messageField } from '../contract/fields.ts'
import { noticeKinds } from '../contract/notices.ts'
import { isCountry } from '../contract/phone.ts'
import { consultation } from '../contract/wording.ts'
import { days, type Hours } from '../time.ts'
import {
  andThen,
  check,
  listOf,
  matching,
  oneOf,
  optional,
  readShaped,
  shape,
  prose,
  type ShapeCheck,
} from './yaml.ts'

export function readBusiness(file: string): Business {
  const found = readShaped(file, (value, at) => shapeIn(countryIn(value))(value, at)) as Written
  const { abn, areas, hours, registrations = [], ...rest } = found
  const isAlways = hours === 'always'
  const own = {
    ...(found.country === undefined ? former : plain),
    ...(isAlways && { morning: plainMorning }),
    ...rest,
  }
  return {
    ...(own as Omit<Business, Rewritten>),
    areas: areas.map(({ name, postcodes = [] }) => ({
      name,
      postcodes: postcodes.map(toPostcode),
    })),
    hours: isAlways ? [{ days, opens: '00:00', closes: '23:59' }] : hours,
    registrations: [...(abn ? [{ label: 'ABN', number: abn }] : []), ...registrations],
  }
}

type Rewritten = 'areas' | 'hours' | 'registrations'

/** The file as it is written. */
type Written = Partial<Omit<Business, Rewritten>> & {
  abn?: string
  areas: { name: string; postcodes?: string[] }[]
  hours: 'always' | Hours[]
  registrations?: Registration[]
}

/** What a file with a `country` may leave out. */
const plain = {
  asksFor: consultation,
  form: {
    label: 'Your message',
    hint: 'What it is about, and where: whatever you know so far. A few words will do.',
    example: 'Please ring me about some work at my place.',
  },
}

const plainMorning = '07:00'

/** A file without `country` was written when every site was that of a deck builder, and says the same as then. */
const former = {
  ...plain,
  country: 'AU',
  trade: {
    is: 'a deck and pergola business',
    about: 'a new deck or pergola',
    what: 'decks and pergolas',
    verb: ['build', 'builds', 'built', 'building'],
    nouns: ['deck', 'pergola'],
    kind: 'HomeAndConstructionBusiness',
  },
  form: {
    label: messageField.label,
    hint: 'Where it goes, roughly how big, steps, shade: whatever you know so far. A few words will do.',
    example: messageField.example,
  },
  notice: 'I am not a licensed builder, and I take no Class 2 or apartment head-contracts.',
} as const satisfies Partial<Business>

/** The keys that a file without `country` lacks. */
export const newKeys = ['country', 'trade', 'form', 'notice'] as const

function countryIn(value: unknown): string | undefined {
  const { country } = (value ?? {}) as { country?: unknown }
  return typeof country === 'string' ? country : undefined
}

const yesOrNo = check('must be true or false', (value) => typeof value === 'boolean')
const email = check('must be an email address', (value) => {
  return typeof value === 'string' && isEmail(value)
})
/** Four digits are enough, because some phone numbers have letters, such as 1300 DECKS. */
const phone = matching(/^(?:\D*\d){4}/, "must be a phone number such as '0491 570 006', in quotes")
const time = matching(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'must be a time such as "07:00", in quotes')
const country = check(
  'must be the two capital letters of a country: GB for Britain, AU, NZ, IE, US, CA, ZA or another one',
  (value) => typeof value === 'string' && isCountry(value),
)
const day = oneOf(days)
const label = matching(/^[a-z][a-z0-9-]{0,30}$/, 'must be short: small letters, digits, hyphens')
const address = matching(/^https?:\/\/\S+$/, 'must be an address such as https://example.com/leads')
const variable = matching(/^[A-Z][A-Z0-9_]*$/, 'must be a name such as CRM_WEBHOOK_SECRET')
const event = oneOf(noticeKinds)
const year = matching(/^\d{4}$/, 'must be a year of four digits, in quotes')
const abn = matching(/^\d{2}(?: ?\d{3}){3}$/, 'must be an ABN of 11 digits, in quotes')
const timeZone = check('must be a time zone such as Australia/Sydney', (value) => {
  try {
    return typeof value === 'string' && Boolean(new Intl.DateTimeFormat('en', { timeZone: value }))
  } catch {
    return false
  }
})

/** Four forms, because English verbs are irregular. */
const verb = andThen(listOf(prose), (forms: string[], at) => {
  const what = 'must have four forms, such as [build, builds, built, building]'
  return forms.length === 4 ? [] : [{ at, what }]
})
const kind = matching(/^[A-Z][A-Za-z]+$/, 'must be a type of schema.org, such as Plumber')
const trade = shape({
  is: prose,
  about: prose,
  what: optional(prose),
  verb: optional(verb),
  nouns: listOf(prose),
  kind: optional(kind),
})
const registration = shape({ label: prose, number: prose, link: optional(address) })
const openings = listOf(openHours(shape({ days: listOf(day), opens: time, closes: time })))

/** `in`: the country, whose postcodes are expected. A file without one needs no trade. */
function shapeIn(code: string | undefined): ShapeCheck {
  return shape({
    ...entries,
    trade: code === undefined ? optional(trade) : trade,
    areas: listOf(shape({ name: prose, postcodes: optional(listOf(postcodeIn(code))) })),
  } satisfies Record<keyof Business | 'abn', ShapeCheck>)
}

/** Also takes the letters of a British area, such as BS. */
function postcodeIn(code: string | undefined): ShapeCheck {
  const { postcode, ask, postcodeExample } = countryOf(code ?? 'AU')
  const where = code === undefined ? ', or "country" is missing, such as country: GB' : ''
  return check(`must be a postcode, ${ask} ${postcodeExample}, in quotes${where}`, (value) => {
    if (typeof value !== 'string') return false
    return postcode.test(toPostcode(value)) || (code === 'GB' && /^[A-Z]{1,2}$/i.test(value))
  })
}

const entries = {
  name: prose,
  owner: prose,
  summary: prose,
  region: prose,
  country: optional(country),
  state: optional(prose),
  asksFor: optional(shape({ one: prose, many: prose })),
  form: optional(shape({ label: prose, hint: prose, example: prose })),
  notice: optional(prose),
  timeZone,
  hours: (value: unknown, at: readonly (string | number)[]) => {
    const what = 'must be a list of days and times, such as those at which you answer, or: always'
    if (value === 'always') return []
    return typeof value === 'string' ? [{ at, what }] : openings(value, at)
  },
  morning: optional(time),
  answers: optional(prose),
  does: listOf(prose),
  doesNot: listOf(prose),
  contact: shape({ phone, email }),
  since: optional(year),
  abn: optional(abn),
  registrations: optional(listOf(registration)),
  insurance: optional(prose),
  privacy: shape({ email }),
  security: shape({ email }),
  crawlers: shape({ search: yesOrNo, aiInput: yesOrNo, aiTrain: yesOrNo }),
  replies: optional(listOf(shape({ title: prose, text: prose, afterCall: optional(yesOrNo) }))),
  webhooks: optional(
    namedOnce(
      shape({ name: label, url: address, events: optional(listOf(event)), secret: variable }),
    ),
  ),
}

function openHours(each: ShapeCheck): ShapeCheck {
  return andThen(each, ({ opens, closes }: { opens: string; closes: string }, at) => {
    const what = 'must be later than opens, and before midnight'
    return closes > opens ? [] : [{ at: [...at, 'closes'], what }]
  })
}

/** If two webhooks had the same name, one of them would get the deliveries of both. */
function namedOnce(each: ShapeCheck): ShapeCheck {
  return andThen(listOf(each), (webhooks: { name: string }[], at) => {
    const names = webhooks.map(({ name }) => name)
    return names.flatMap((name, index) => {
      const first = names.indexOf(name)
      const what = `is taken by entry ${first + 1}: each webhook needs its own`
      return first === index ? [] : [{ at: [...at, index, 'name'], what }]
    })
  })
}
