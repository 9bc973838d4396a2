import assert from 'node:assert/strict'
import test from 'node:test'
import { chooseEncoding } from './encoding.ts'

const table: readonly [accept: string | undefined, choice: string][] = [
  [undefined, 'identity'],
  ['', 'identity'],
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip, zstd', 'zstd'],
  ['gzip', 'gzip'],
  ['GZIP', 'gzip'],
  ['br;q=0.5, gzip;q=0.8', 'gzip'],
  ['br;q=0, *', 'zstd'],
  ['*', 'br'],
  ['*;q=0', 'identity'],
  ['identity', 'identity'],
  ['identity, gzip;q=0.5', 'identity'],
  ['deflate', 'identity'],
  ['br;q=nonsense, gzip', 'gzip'],
]

test('the encoding is what the client likes most, and of several the smallest', () => {
  const wrong = table.filter(([accept, choice]) => chooseEncoding(accept) !== choice)
  assert.deepEqual(wrong, [])
})
