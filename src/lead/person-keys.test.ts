import assert from 'node:assert/strict'
import test from 'node:test'
import { createPersonKeys, personMarks } from './person-keys.ts'

/** The number that each text was known by before further numbers and spellings were read. */
const known: [phone: string, digits: string][] = [
  ['0491 570 006', '0491570006'],
  ['+61 (0)491 570 006 after 5pm', '0491570006'],
  ['0491 570 006 (0900-1700)', '0491570006'],
  ['0491 570 006 / 0491 570 110', '0491570006'],
  ['0491 570 0061', '04915700061'],
  ['02/55500100', '55500100'],
  ['5550 7788/9', '55507788'],
  ['0491 570 006²', '0491570006'],
  ['0491570\u200b006', '0491570'],
  ['+49 30/1234567', '49301234567'],
  ['5550 0100 #4', '55500100'],
]

test('a number that could be read before has the same key, so who is blocked stays blocked [spam.blocked]', () => {
  for (const [phone, digits] of known) {
    assert.deepEqual(personMarks({ email: '', phone }), [`p ${digits}`], phone)
  }
  const keysOf = createPersonKeys(Buffer.alloc(32, 7))
  assert.deepEqual(keysOf({ email: 'Robin@example.com', phone: '0491 570 006' }), [
    'e6dfc2afc2c57bbcd5324e4ae3f7be6fc',
    'pa8306f94bda36a2b5e08acca1e38a66a',
  ])
})

/** By these spellings, each Australian number has always been known in its national form. */
function spellingsOf(number: string): string[] {
  const [a, b, c] = [number.slice(0, 3), number.slice(3, 6), number.slice(6)]
  const [area, p, q] = [number.slice(0, 1), number.slice(1, 5), number.slice(5)]
  const national = [`0${number}`, `0${a} ${b} ${c}`, `(0${area}) ${p}-${q}`, `0${a}.${b}\u2013${c}`]
  const withCode = ['+61', '61', '0061 ', '0011 61 ', '+ 61 ', '61 (0)'].map(
    (code) => code + number,
  )
  return [
    ...national,
    ...withCode,
    ...national.flatMap((each) => [`${each} after 5pm`, `${each} (0900-1700)`, `${each} ext 4`]),
    `+61 (0)${a} ${b} ${c}`,
    `9-5 (0${a}) ${b}-${c}`,
    `after 5 0${number}`,
    `0${a} ${b} ${c} / 0491 570 110`,
    `0${number} or 02 5550 0100`,
    `ph: 0${a} ${b} ${c}`,
    `0${a} ${b} ${c} 5pm-7.30pm`,
    `0${[...number].join(' ')}`,
    `0${a} ${b} ${c}\u00b2`,
  ]
}

test('hundreds of spellings of Australian numbers have the key that they always had [spam.blocked]', () => {
  const numbers =
    '491570006 412345678 400000000 455512345 487654321 255500100 398765432 733334444 891112222 370101234'
  for (const number of [...numbers.split(' '), '591570006', '900123456']) {
    for (const phone of spellingsOf(number)) {
      assert.deepEqual(personMarks({ email: '', phone }), [`p 0${number}`], phone)
    }
  }
  const asTyped = '255500100 398765432 1300975707 1800123456 131114 611300975707 55500100 049157000'
  for (const phone of asTyped.split(' ')) {
    assert.equal(personMarks({ email: '', phone })[0], `p ${phone}`)
  }
})

test('the first key of a lead is that of its first number; complete further numbers have keys, too', () => {
  const keysOf = createPersonKeys(Buffer.alloc(32, 7))
  const keyOf = (phone: string) => keysOf({ email: '', phone })[0]
  const both = keysOf({ email: '', phone: '0491 570 156 (0900-1700), 0491/570/006' })
  assert.deepEqual(both, ['0491 570 156', '0491 570 006'].map(keyOf))
  assert.deepEqual(keysOf({ email: '', phone: 'ask at 5' }), [])
})
