import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import test from 'node:test'
import { exampleKey, isExampleKey, isUnguessable } from './idempotency-key.ts'

test('a UUID and long random text cannot be guessed', () => {
  const keys = [
    randomUUID(),
    randomUUID().toUpperCase(),
    '019a85d0-6c00-7f6e-8ad2-7b0c93e85f1d',
    '01ARZ3NDEKTSV4RRFFQ69G5FAV',
    'V1StGXR8_Z5jdHi6B-myTw',
    '9f86d081884c7d659a2feaa0c55ad015',
    'key_live_4eC39HqLyjWDarjtT1zdp7dc',
  ]
  for (const key of keys) assert.ok(isUnguessable(key), key)
  // All but a few: one that looks like words is the client's own, which is safe.
  const made = Array.from({ length: 1_000 }, () => randomBytes(16).toString('base64url'))
  assert.ok(made.filter(isUnguessable).length > 950)
})

test('words, numbers, dates and placeholders can be guessed', () => {
  const keys = [
    '1',
    'k-1',
    'robin@example.com',
    'consultation-request-2026-11-15',
    'my-consultation-request-for-robin-example',
    'lead-2026-11-15T09:00:00.000Z',
    '20261115090000000000000001',
    'consultationrequestofrobin',
    'a1a1a1a1a1a1a1a1a1a1a1a1a1',
    '00000000-0000-0000-0000-000000000000',
    'ffffffff-ffff-ffff-ffff-ffffffffffff',
    'V1StGXR8_Z5jdHi6B-myT',
    `${randomUUID()} `,
    '',
  ]
  for (const key of keys) assert.ok(!isUnguessable(key), key)
})

test('the example is known in capitals, too', () => {
  assert.ok(isExampleKey(exampleKey.toUpperCase()))
  assert.ok(!isExampleKey(randomUUID()))
})
