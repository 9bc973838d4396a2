import assert from 'node:assert/strict'
import test from 'node:test'
import { valuesOf } from '../../test/support/leads.ts'
import { countryOf, covers, toPostcode } from '../contract/country.ts'
import { foreignCountryOf, readNumbersOf, readPhones } from '../contract/phone.ts'
import { hasTerm, readSearch } from '../desk/search.ts'
import { searchTextOf } from '../store/leads/search-text.ts'
import { callLinks, groupPhone, textLink } from './contact-links.ts'
import { createPersonKeys } from './person-keys.ts'

/** Other files are tested in the same process, so the country is the usual one again at once. */
function ofCountry(country: string, check: () => void): void {
  readNumbersOf(country)
  try {
    check()
  } finally {
    readNumbersOf('AU')
  }
}

/** Twenty numbers of each country, without the 0: mobiles first, then landlines. Films have the last ones. */
const numbers: Record<string, { code: string; trunk: string; mobiles: string; landlines: string }> =
  {
    AU: {
      code: '61',
      trunk: '0',
      mobiles:
        '491570006 491570156 491570110 412345678 400123456 432109876 455512345 466123987 478901234 488777666',
      landlines:
        '255500100 266291234 266861234 299990000 298765432 370101234 398765432 733334444 891112222 755501234',
    },
    GB: {
      code: '44',
      trunk: '0',
      mobiles:
        '7700900123 7700900999 7400123456 7911123456 7812345678 7712345678 7512345678 7812999888 7975777666 7956123123',
      landlines:
        '1174960456 1174960999 2079460018 2079460999 1214960123 1314960123 1614960123 1632960123 2890180123 2920180123',
    },
    NZ: {
      code: '64',
      trunk: '0',
      mobiles:
        '211234567 212345678 221234567 272345678 273456789 274567890 279876543 204123456 21123456 2101234567',
      landlines:
        '44991234 43851234 48012345 93031234 95201234 33791234 33651234 78381234 67571234 63491234',
    },
    IE: {
      code: '353',
      trunk: '0',
      mobiles:
        '850123456 851234567 861234567 862345678 871234567 872345678 891234567 892345678 831234567 838765432',
      landlines:
        '16771234 14971234 12861234 214271234 214961234 91561234 61411234 51871234 567721234 419831234',
    },
    US: {
      code: '1',
      trunk: '',
      mobiles:
        '2015550123 2125550123 3105550123 4155550123 5125550123 6175550123 7025550123 8085550123 9175550123 2065550123',
      landlines:
        '3035550123 4045550123 5035550123 6025550123 7135550123 8185550123 9195550123 3125550123 2145550123 9725550123',
    },
    ZA: {
      code: '27',
      trunk: '0',
      mobiles:
        '711234567 721234567 731234567 741234567 761234567 781234567 791234567 821234567 831234567 841234567',
      landlines:
        '214241234 214611234 216851234 114831234 117831234 123421234 313041234 315631234 413651234 514471234',
    },
  }

const spacedIn = (digits: string) => digits.replaceAll(/(\d{3})(?=\d{4,})/g, '$1 ')

function spellingsOf(number: string, { code, trunk }: { code: string; trunk: string }): string[] {
  return [
    trunk + number,
    spacedIn(trunk + number),
    `(${(trunk + number).slice(0, 3)}) ${number.slice(3 - trunk.length)}`,
    `+${code}${number}`,
    `+${code} ${trunk && `(${trunk})`}${spacedIn(number)} after 5 pm`,
  ]
}

test('the numbers of six countries are read, dialled, found and matched, however they are typed [search.words]', () => {
  const keysOf = createPersonKeys(Buffer.alloc(32, 7))
  for (const [country, row] of Object.entries(numbers))
    ofCountry(country, () => {
      const landlines = row.landlines.split(' ')
      const all = [...row.mobiles.split(' '), ...landlines]
      assert.equal(new Set(all).size, 20)
      for (const number of all) {
        const [plain, ...others] = spellingsOf(number, row)
        const [phone] = readPhones(plain!)
        assert.equal(phone?.dialled, plain, `${country} ${number}`)
        assert.equal(groupPhone(plain!).replaceAll(/\D/g, ''), plain)
        const isLandline = landlines.includes(number) && country !== 'US'
        assert.equal(textLink(plain!) === '', isLandline, `${country} ${number} takes texts`)
        for (const typed of [plain!, ...others]) {
          assert.deepEqual(
            keysOf({ email: '', phone: typed }),
            keysOf({ email: '', phone: plain! }),
            typed,
          )
          const [call, ...more] = callLinks(typed)
          assert.ok([`tel:${plain}`, `tel:+${row.code}${number}`].includes(call!.href), typed)
          assert.equal(more.length, 0, typed)
          const kept = searchTextOf({
            reference: '',
            values: valuesOf({ phone: typed }),
            unlisted: '',
          })
          for (const sought of spellingsOf(number, row).slice(0, 4)) {
            const isFound = readSearch(sought).every((term) => hasTerm(kept, term, 'as it says'))
            assert.ok(isFound, `${country}: ${typed} is found by ${sought}`)
          }
        }
      }
    })
})

test('a country that shares a code has the groups of its first country', () => {
  ofCountry('CA', () => assert.equal(groupPhone('4165550123'), '(416) 555-0123'))
})

test('the number of a business is told from one of another country', () => {
  for (const [country, { trunk, mobiles, landlines }] of Object.entries(numbers)) {
    const own = `${mobiles} ${landlines}`.split(' ').map((number) => trunk + number)
    const foreign = own.filter((number) => foreignCountryOf(number, country) !== undefined)
    assert.deepEqual(foreign, [], country)
  }
  assert.equal(foreignCountryOf('0491 570 006', 'NZ'), 'AU')
  assert.equal(foreignCountryOf('+64 4 499 1234', 'GB'), 'NZ')
  assert.equal(foreignCountryOf('1300 DECKS', 'AU'), undefined)
  assert.equal(foreignCountryOf('+44 117 496 0456', 'GB'), undefined)
})

test('two numbers, digits of full width, O for 0, a missing zero and a number abroad are read anywhere', () => {
  const called = (text: string) => callLinks(text).map(({ href }) => href.slice(4))
  ofCountry('GB', () => {
    assert.deepEqual(called('0117 496 0456 or 07700 900123 after 6pm'), [
      '01174960456',
      '07700900123',
    ])
    assert.deepEqual(called('０７７００ ９００１２３'), ['07700900123'])
    assert.deepEqual(called('O77OO 900123'), ['07700900123'])
    assert.deepEqual(called('7400 123456'), ['+447400123456'])
    assert.deepEqual(called('0061 491 570 006, 0491 570 006'), ['+61491570006'])
    assert.deepEqual(called('960456'), [])
  })
  ofCountry('DE', () =>
    assert.deepEqual(called('030 1234567 / 0151 23456789'), ['0301234567', '015123456789']),
  )
  ofCountry('XX', () =>
    assert.deepEqual(called('+44 7400 123456, 0491 570 006'), ['+447400123456']),
  )
})

const postcodes: Record<string, string> = {
  AU: '2480 2478 2479 2481 2482 2470 2000 3000 4000 5000 6000 7000 0800 2600 0200 9999 3999 4870 6230 2010',
  GB: 'BS1 4DJ|bs14dj|BS14 8JH|B1 1AA|M1 1AE|W1A 0AX|EC1A 1BB|SW1A 2AA|CR2 6XH|DN55 1PT|G2 1AL|L1 8JQ|N1 9GU|SE1 9GF|BT1 5GS|CF10 1EP|EH1 1YZ|OX1 3BG|CB2 1TN|BA1 1LZ',
  NZ: '6011 6012 6021 6022 6035 5010 5011 5018 0110 0610 1010 2022 3110 3204 4110 4410 7010 8011 9016 9810',
  IE: 'D02 X285|D02X285|d6w f8h9|A65 F4E2|A94 X2Y3|C15 P7K8|E21 R9T0|F12 A3B4|H91 E2K3|K67 D5E6|N37 V8W9|P31 X2Y1|R14 H6J7|T12 A1B2|V94 C3D4|W23 F5G6|X91 H7K8|Y35 N9P0|D04 T1V2|A41 C2D3',
  US: '94110 10001 60601 90210 33101 02108 98101 30301 75201 20001 94110-1234 10001-0001 60601-2345 94103 11201 78701 97201 80202 48201 55401',
  ZA: '8001 8005 7925 7700 2000 2196 0001 0181 4001 4319 6001 9301 3201 5201 1200 0700 2571 8301 7530 7600',
}

test('twenty postcodes of each of six countries are read, and a listed one covers its own', () => {
  for (const [country, list] of Object.entries(postcodes)) {
    const all = list.split(list.includes('|') ? '|' : ' ')
    assert.equal(all.length, 20)
    const { postcode } = countryOf(country)
    for (const typed of all) {
      assert.match(toPostcode(typed), postcode, `${country} ${typed}`)
      assert.ok(covers(toPostcode(typed), toPostcode(` ${typed.toLowerCase()} `)), typed)
    }
    assert.doesNotMatch(toPostcode('my street'), postcode)
  }
  assert.ok(covers('BS1', toPostcode('bs14dj')) && !covers('BS1', toPostcode('BS14 8JH')))
})
