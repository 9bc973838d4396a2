/** What follows from the country of a business: its language tag, its postcodes, and an example of a phone number. */

type Country = {
  /** A whole postcode, or the part of one that names a district. */
  readonly postcode: RegExp
  /** How people are asked for one: "your postcode, four digits such as 2480". */
  readonly ask: string
  readonly postcodeExample: string
  readonly phoneExample: string
  /** The digits of a number that is dialled without its area. */
  readonly localDigits?: number
  /** "Australian numbers have 10", where all have as many digits. */
  readonly numbersHave?: string
  /** The time zone of most people there; the content of a new site has it. */
  readonly timeZone: string
  /** Who hears complaints about personal details, as a link in Markdown. */
  readonly privacyOffice?: string
  /** States and large towns, which browsers fill in. */
  readonly places?: readonly string[]
}

const fourDigits = { postcode: /^\d{4}$/, ask: 'four digits such as' }
const american = { postcode: /^\d{5}(?:[ -]?\d{4})?$/, ask: 'five digits such as' }

/** The numbers of AU, GB, US and CA are kept free for examples; those of others are the usual examples. */
const countries: Readonly<Record<string, Country>> = {
  AU: {
    timeZone: 'Australia/Sydney',
    privacyOffice: '[Office of the Australian Information Commissioner](https://www.oaic.gov.au/)',
    ...fourDigits,
    postcodeExample: '2480',
    phoneExample: '0491 570 156',
    localDigits: 8,
    numbersHave: 'Australian numbers have 10',
    places: [
      ['NSW', 'New South Wales', 'Vic', 'Victoria', 'Qld', 'Queensland', 'WA', 'Western Australia'],
      ['SA', 'South Australia', 'Tas', 'Tasmania', 'ACT', 'Australian Capital Territory', 'NT'],
      ['Northern Territory', 'Sydney', 'Melbourne', 'Brisbane', 'Perth', 'Adelaide', 'Hobart'],
      ['Darwin', 'Canberra', 'Newcastle', 'Wollongong', 'Gold Coast', 'Sunshine Coast', 'Geelong'],
      ['Ballina', 'Byron Bay', 'Lismore', 'Coffs Harbour', 'Tweed Heads', 'Toowoomba', 'Cairns'],
    ].flat(),
  },
  GB: {
    timeZone: 'Europe/London',
    privacyOffice: "[Information Commissioner's Office](https://ico.org.uk/)",
    postcode: /^[A-Z]{1,2}\d[A-Z\d]?(?: ?\d(?:[A-Z]{2})?)?$/i,
    ask: 'such as',
    postcodeExample: 'BS1 4DJ',
    phoneExample: '07700 900123',
  },
  NZ: {
    timeZone: 'Pacific/Auckland',
    privacyOffice: '[Office of the Privacy Commissioner](https://www.privacy.org.nz/)',
    ...fourDigits,
    postcodeExample: '6011',
    phoneExample: '021 123 4567',
    localDigits: 7,
  },
  IE: {
    timeZone: 'Europe/Dublin',
    privacyOffice: '[Data Protection Commission](https://www.dataprotection.ie/)',
    postcode: /^[A-Z]\d[\dW](?: ?[A-Z\d]{4})?$/i,
    ask: 'such as',
    postcodeExample: 'D02 X285',
    phoneExample: '085 012 3456',
  },
  US: {
    timeZone: 'America/New_York',
    ...american,
    postcodeExample: '94110',
    phoneExample: '(201) 555-0123',
    localDigits: 7,
    numbersHave: 'American numbers have 10',
  },
  CA: {
    timeZone: 'America/Toronto',
    privacyOffice: '[Office of the Privacy Commissioner](https://www.priv.gc.ca/)',
    postcode: /^[A-Z]\d[A-Z](?: ?\d[A-Z]\d)?$/i,
    ask: 'such as',
    postcodeExample: 'K1A 0B1',
    phoneExample: '506 555 0123',
    numbersHave: 'Canadian numbers have 10',
  },
  ZA: {
    timeZone: 'Africa/Johannesburg',
    privacyOffice: '[Information Regulator](https://inforegulator.org.za/)',
    ...fourDigits,
    postcodeExample: '8001',
    phoneExample: '071 123 4567',
    numbersHave: 'South African numbers have 10',
  },
}

const elsewhere: Country = {
  timeZone: 'Etc/UTC',
  postcode: /^(?=.*\d)[A-Z\d][A-Z\d -]{1,9}$/i,
  ask: 'such as',
  postcodeExample: '1010',
  phoneExample: '',
}

const unknown = {
  places: [],
  localDigits: undefined,
  numbersHave: undefined,
  privacyOffice: undefined,
}

export const countryCodes: readonly string[] = Object.keys(countries)

export function isKnownCountry(code: string): boolean {
  return Object.hasOwn(countries, code)
}

export function countryOf(code: string) {
  const found = isKnownCountry(code) ? countries[code]! : elsewhere
  return { ...unknown, ...found, locale: `en-${code}` }
}

/** Whether a phone can show a keypad of digits for the postcode. */
export function hasNumericPostcode(code: string): boolean {
  return /^\d+$/.test(countryOf(code).postcodeExample)
}

/**
 * A postcode as it is compared: capitals, with the blank that people leave out, as in BS1 4DJ (Britain),
 * D02 X285 (Ireland), K1A 0B1 (Canada) and 94110 1234 (United States).
 */
export function toPostcode(typed: string): string {
  const plain = typed
    .trim()
    .toUpperCase()
    .replaceAll(/[\s-]+/g, ' ')
  return plain
    .replace(/^([A-Z]{1,2}\d[A-Z\d]?)(\d[A-Z]{2})$/, '$1 $2')
    .replace(/^([A-Z]\d[A-Z])(\d[A-Z]\d)$/, '$1 $2')
    .replace(/^([A-Z]\d[\dW])([A-Z\d]{4})$/, '$1 $2')
    .replace(/^(\d{5})(\d{4})$/, '$1 $2')
}

/** BS1 covers BS1 4DJ, BS covers BS1, and W1 covers W1A; BS1 does not cover BS14, nor B anything of BS. */
export function covers(listed: string, postcode: string): boolean {
  if (!postcode.startsWith(listed)) return false
  const [last = '', next = ''] = [listed.at(-1), postcode[listed.length]]
  return !(/\d\d/.test(last + next) || /[A-Z]{2}/.test(last + next))
}
