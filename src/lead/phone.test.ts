import assert from 'node:assert/strict'
import test from 'node:test'
import { callLinks, textLink } from './contact-links.ts'
import { readPhones } from './phone.ts'

/** What people write; then the links to call, the link to text, and the digits that search knows. */
const table: [text: string, calls: string[], sms: string, digits: string[]][] = [
  ['0491 570 006', ['0491570006'], '0491570006', ['0491570006']],
  ['0491 570 006 after 5pm', ['0491570006'], '0491570006', ['0491570006']],
  ['0491 570 006 5pm-7.30pm', ['0491570006'], '0491570006', ['0491570006']],
  ['after 5 0491570006', ['0491570006'], '0491570006', ['0491570006']],
  ['9-5 (0491) 570-006', ['0491570006'], '0491570006', ['0491570006']],
  ['0491 570 006 (0900-1700)', ['0491570006'], '0491570006', ['0491570006', '09001700']],
  ['+61 (0)491 570 156', ['+61491570156'], '+61491570156', ['0491570156']],
  ['61 491 570 156', ['+61491570156'], '+61491570156', ['0491570156']],
  ['0011 61 491 570 156', ['+61491570156'], '+61491570156', ['0491570156']],
  ['０４９１　５７０　００６', ['0491570006'], '0491570006', ['0491570006']],
  ['call the office (02) 5550 7788 ext 4', ['0255507788 ext. 4'], '', ['0255507788']],
  ['(02) 5550 7788, extension: 12', ['0255507788 ext. 12'], '', ['0255507788']],
  ['1300 975 707 x12', ['1300975707 ext. 12'], '', ['1300975707']],
  ['13 11 14', ['131114'], '', ['131114']],
  ['5550 7788 6pm', ['55507788'], '', ['55507788']],
  ['0491 570 006 / 0491 570 110', ['0491570006', '0491570110'], '0491570006', both('006', '110')],
  ['0491 570 006 0491 570 110', ['0491570006', '0491570110'], '0491570006', both('006', '110')],
  ['0491570006 or 0491570006', ['0491570006'], '0491570006', both('006', '006')],
  [
    '02 5550 7788 or +61 491 570 110',
    ['0255507788', '+61491570110'],
    '+61491570110',
    ['0255507788', '0491570110'],
  ],
  ['5550 7788/9', ['55507788'], '', ['55507788']],
  ['+44 (0)20 7946 0018 5pm', ['+442079460018'], '', ['442079460018']],
  ['0011 44 20 7946 0018', ['+442079460018'], '', ['0011442079460018']],
  ['+49 (0)30 1234567', ['+49301234567'], '', ['49301234567']],
  ['+49 30/1234567', ['+49301234567'], '', ['49301234567']],
  ['0491 570 06', [], '', ['049157006']],
  ['0491 570 0061', [], '', ['04915700061']],
  ['the number is on my letterhead', [], '', []],
  ['', [], '', []],
]

function both(...ends: string[]): string[] {
  return ends.map((end) => `0491570${end}`)
}

test('a phone text gives each number whole, without hours, extensions and (0)', () => {
  for (const [text, calls, sms, digits] of table) {
    const called = callLinks(text).map(({ href, extension }) =>
      [href.replace('tel:', ''), ...(extension ? [`ext. ${extension}`] : [])].join(' '),
    )
    assert.deepEqual(called, calls, text)
    assert.equal(textLink(text), sms && `sms:${sms}`, text)
    const numbers = readPhones(text).map((phone) => phone.digits)
    assert.deepEqual(
      numbers.filter(({ length }) => length >= 3),
      digits,
      text,
    )
  }
})

test('sixteen times the text costs about sixteen times as much, whatever it is', () => {
  const hostile = ['1 (', '+61 ', '04', '0 2 ', '1300 ', '5pm ', '00', 'x1 ', '+', '(0)', '4 . ']
  for (const part of hostile) {
    const short = cpuOf(part.repeat(2_000 / part.length))
    const long = cpuOf(part.repeat(32_000 / part.length))
    // A quadratic reader takes 256 times as long.
    assert.ok(long < 100 * Math.max(short, 20), `${part}: ${short} and ${long} us`)
  }
})

/** The least of some tries, in microseconds. */
function cpuOf(text: string): number {
  const tries = Array.from({ length: 9 }, () => {
    const before = process.cpuUsage()
    readPhones(text)
    const { user, system } = process.cpuUsage(before)
    return user + system
  })
  return Math.min(...tries)
}
