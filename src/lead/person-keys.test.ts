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

test('the first key of a lead is that of its first number; complete further numbers have keys, too', () => {
  const keysOf = createPersonKeys(Buffer.alloc(32, 7))
  const keyOf = (phone: string) => keysOf({ email: '', phone })[0]
  const both = keysOf({ email: '', phone: '0491 570 156 (0900-1700), 0491/570/006' })
  assert.deepEqual(both, ['0491 570 156', '0491 570 006'].map(keyOf))
  assert.deepEqual(keysOf({ email: '', phone: 'ask at 5' }), [])
})
