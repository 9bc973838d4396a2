import assert from 'node:assert/strict'
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import test from 'node:test'
import { openMemory } from './build-cache.ts'

test('what was kept is recalled, and what a disk has damaged is not', (t) => {
  const name = `test-${process.pid}`
  t.after(() => globSync(`node_modules/.cache/site/${name}*`).forEach((file) => rmSync(file)))
  const memory = openMemory<{ words: string; bytes: Uint8Array }>(name)
  assert.deepEqual([memory.has(), memory.recall()], [false, undefined])
  const value = { words: 'a deck', bytes: new Uint8Array([1, 2, 3]) }
  memory.keep(value)
  assert.deepEqual([memory.has(), memory.recall()], [true, value])
  const [file = ''] = globSync(`node_modules/.cache/site/${name}*`)
  const damaged = readFileSync(file)
  damaged[damaged.length - 1]! ^= 1
  writeFileSync(file, damaged)
  assert.equal(memory.recall(), undefined)
})
