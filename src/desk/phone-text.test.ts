import assert from 'node:assert/strict'
import test from 'node:test'
import { groupPhone } from './phone-text.ts'

test('one number is grouped the same however it was typed; other texts stay', () => {
  const mobile = ['0491570158', '+61491570158', '+61 491 570 158', '0491-570-158', '(0491) 570158']
  assert.deepEqual(new Set(mobile.map(groupPhone)), new Set(['0491 570 158']))
  assert.equal(groupPhone('(02) 5550 0100'), '02 5550 0100')
  assert.equal(groupPhone('1300123456'), '1300 123 456')
  for (const typed of [
    '0491570158 after 5',
    '02 5550 7788 / 0491 570 110',
    '+49 30 1234567',
    '',
    '12',
  ]) {
    assert.equal(groupPhone(typed), typed)
  }
})
