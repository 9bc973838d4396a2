import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import test from 'node:test'
import { exampleKey, isExampleKey, isUnguessable } from './idempotency-key.ts'

test('a UUID of version 4 or 7 cannot be guessed', () => {
  const keys = [
    ...Array.from({ length: 100 }, () => randomUUID()),
    randomUUID().toUpperCase(),
    '019a85d0-6c00-7f6e-8ad2-7b0c93e85f1d',
  ]
  for (const key of keys) assert.ok(isUnguessable(key), key)
})

test('a UUID that documents show, or a model makes up, can be guessed', () => {
  const keys = [
    '123e4567-e89b-12d3-a456-426614174000',
    '123e4567-e89b-42d3-a456-426614174000',
    '550e8400-e29b-41d4-a716-446655440000',
    '550E8400-E29B-41D4-A716-446655440000',
    'f47ac10b-58cc-4372-a567-0e02b2c3d479',
    '3fa85f64-5717-4562-b3fc-2c963f66afa6',
    '017f22e2-79b0-7cc3-98c4-dc0c0c07398f',
    'a1b2c3d4-e5f6-7890-abcd-ef1234567890',
    'a1b2c3d4-e5f6-4a7b-8c9d-0e1f2a3b4c5d',
    '12345678-1234-1234-1234-123456789012',
    '12345678-1234-4234-8234-123456789012',
    '11111111-1111-4111-8111-111111111111',
    '00000000-0000-0000-0000-000000000000',
    'ffffffff-ffff-ffff-ffff-ffffffffffff',
    exampleKey,
  ]
  for (const key of keys) assert.ok(!isUnguessable(key), key)
})

test('words, numbers, dates and every other text can be guessed', () => {
  const keys = [
    '1',
    'k-1',
    'robin@example.com',
    'consultation-request-2026-11-15',
    'lead-2026-11-17-robin-1',
    'robin.example+deck-2026-11-17',
    'session-1-turn-1-call-1-lead-1',
    'lead-2026-11-15T09:00:00.000Z',
    '20261115090000000000000001',
    '01ARZ3NDEKTSV4RRFFQ69G5FAV',
    'V1StGXR8_Z5jdHi6B-myTw',
    '9f86d081884c7d659a2feaa0c55ad015',
    'a1a1a1a1a1a1a1a1a1a1a1a1a1',
    // Versions 1 and 5, and another variant.
    '2c5ea4c0-4067-11e9-8bad-9b1deb4d3b7d',
    '886313e1-3b8a-5372-9b90-0c9aee199e5d',
    '9f86d081-884c-4d65-1a2f-eaa0c55ad015',
    `${randomUUID()} `,
    `{${randomUUID()}}`,
    randomUUID().replaceAll('-', ''),
    '',
  ]
  for (const key of keys) assert.ok(!isUnguessable(key), key)
})

test('the example is known in capitals, too', () => {
  assert.ok(isExampleKey(exampleKey.toUpperCase()))
  assert.ok(!isExampleKey(randomUUID()))
})
