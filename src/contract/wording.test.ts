import assert from 'node:assert/strict'
import test from 'node:test'
import { areaOf } from './business.ts'
import { countryOf, toPostcode } from './country.ts'
import { messageField, phoneField, postcodeField } from './fields.ts'
import { wordsOf } from './wording.ts'

const bristol = {
  country: 'GB',
  asksFor: { one: 'an inspection', many: 'inspections' },
  form: { label: 'Your boiler', hint: '', example: 'It drips.' },
  areas: [{ name: 'Clifton', postcodes: ['BS8'] }],
  contact: { phone: '0117 496 0456', email: 'jo@example.com' },
}

test('sentences of the program say what a business is asked for, and keep its identifiers', () => {
  const say = wordsOf(bristol)
  const sentences = {
    'Send a Consultation request.': 'Send an inspection request.',
    'Your Consultation is booked.': 'Your inspection is booked.',
    'Consultation requests': 'Inspection requests',
    '# Request a Consultation': '# Request an inspection',
    'Sent. Consultations are free.': 'Sent. Inspections are free.',
    'Call submit_consultation_lead or submitConsultationLead.':
      'Call submit_consultation_lead or submitConsultationLead.',
  }
  assert.deepEqual(Object.keys(sentences).map(say), Object.values(sentences))
  assert.equal(say(phoneField).example, '07700 900123')
  assert.equal(say(postcodeField).example, 'BS8')
  const { label, example } = say(messageField)
  assert.deepEqual([label, example], ['Your boiler', 'It drips.'])
})

test('a postcode belongs to the area that lists its beginning, however it is typed', () => {
  const areas = [
    { name: 'Centre', postcodes: ['BS1', 'W1', 'D02', 'K1A', '94110', '2480'] },
    { name: 'South', postcodes: ['BS14', 'CF'] },
  ]
  const found: Record<string, string | undefined> = {
    'BS1 4DJ': 'Centre',
    bs14dj: 'Centre',
    BS1: 'Centre',
    'BS14 0AA': 'South',
    bs140aa: 'South',
    'BS2 0AA': undefined,
    'W1A 1AA': 'Centre',
    'CF10 1EP': 'South',
    'C1 1AA': undefined,
    d02x285: 'Centre',
    'D04 X285': undefined,
    k1a0b1: 'Centre',
    '94110-1234': 'Centre',
    '94111': undefined,
    '2480': 'Centre',
    '24801': undefined,
  }
  for (const [typed, area] of Object.entries(found)) assert.equal(areaOf(typed, areas), area, typed)
})

test('a town is found without its macrons and accents, and with them', () => {
  const areas = [
    { name: 'Kāpiti Coast', postcodes: [] },
    { name: 'Dún Laoghaire', postcodes: [] },
  ]
  for (const typed of ['Kapiti Coast', 'KĀPITI COAST', 'Ka\u0304piti coast, 12 Main Road']) {
    assert.equal(areaOf(typed, areas), 'Kāpiti Coast', typed)
  }
  assert.equal(areaOf('dun laoghaire', areas), 'Dún Laoghaire')
  assert.equal(areaOf('Dunedin', areas), undefined)
})

test('each country tells its postcodes from other words', () => {
  const known: Record<string, { are: string[]; areNot: string[] }> = {
    AU: { are: ['2480', '0800'], areNot: ['248', '24800', 'BS1'] },
    GB: {
      are: ['BS1 4DJ', 'm11ae', 'EC1A 1BB', 'SW1A2AA', 'BS1'],
      areNot: ['2480', 'BS', 'Bristol'],
    },
    NZ: { are: ['6011', '0110'], areNot: ['601', 'Petone'] },
    IE: { are: ['D02 X285', 'd6wxy00', 'A65'], areNot: ['2480', 'Cork'] },
    US: { are: ['94110', '94110-1234'], areNot: ['9411', 'CA'] },
    CA: { are: ['K1A 0B1', 'm5v2t6', 'M5V'], areNot: ['94110'] },
    ZA: { are: ['8001', '0002'], areNot: ['80011'] },
    DE: { are: ['10115'], areNot: ['Berlin'] },
  }
  for (const [country, { are, areNot }] of Object.entries(known)) {
    const { postcode } = countryOf(country)
    const isOne = (typed: string) => postcode.test(toPostcode(typed))
    assert.deepEqual(
      are.filter((typed) => !isOne(typed)),
      [],
      country,
    )
    assert.deepEqual(areNot.filter(isOne), [], country)
  }
})
