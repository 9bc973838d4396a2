import assert from 'node:assert/strict'
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { temporaryFolder } from '../../test/support/service.ts'
import { cacheKey, openBuildCache } from './build-cache.ts'

test('a value is read as it was written, and a damaged one is not', (t) => {
  const [folder, name] = [temporaryFolder(t), 'words']
  const cache = openBuildCache<{ words: string; bytes: Uint8Array }>(folder, name, assert.fail)
  assert.deepEqual([cache.has(), cache.read()], [false, undefined])
  const value = { words: 'a deck', bytes: new Uint8Array([1, 2, 3]) }
  cache.write(value)
  assert.deepEqual([cache.has(), cache.read()], [true, value])
  const [file = ''] = globSync(`${folder}/${name}*`)
  const damaged = readFileSync(file)
  damaged[damaged.length - 1]! ^= 1
  writeFileSync(file, damaged)
  assert.equal(cache.read(), undefined)
})

test('a value that cannot be written is reported, and nothing else happens', (t) => {
  const [folder, name] = [temporaryFolder(t), 'words']
  // A folder stands where the file should be.
  mkdirSync(join(folder, `${name}.bin`), { recursive: true })
  const reported: string[] = []
  openBuildCache(folder, name, (event) => reported.push(event)).write('a deck')
  assert.deepEqual(reported, ['site.cache-not-written'])
})

test('the key changes with any file, and with whatever else is named', (t) => {
  const inputs = temporaryFolder(t)
  const file = join(inputs, 'page.md')
  const keys = new Set<string>()
  const add = (also: string) => keys.add(cacheKey([inputs, file], [also]))
  writeFileSync(file, 'A deck')
  add('monday')
  add('monday')
  assert.equal(keys.size, 1)
  add('tuesday')
  writeFileSync(file, 'A pergola')
  add('monday')
  writeFileSync(join(inputs, 'other.md'), '')
  add('monday')
  assert.equal(keys.size, 4)
})
