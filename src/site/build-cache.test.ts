import assert from 'node:assert/strict'
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { temporaryFolder } from '../../test/support/service.ts'
import { cacheKey, openBuildCache } from './build-cache.ts'

const folder = 'node_modules/.cache/site'

test('a value is read as it was written, and a damaged one is not', (t) => {
  const name = `test-${process.pid}`
  t.after(() => globSync(`${folder}/${name}*`).forEach((file) => rmSync(file)))
  const cache = openBuildCache<{ words: string; bytes: Uint8Array }>(name, assert.fail)
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
  const name = `test-blocked-${process.pid}`
  // A folder stands where the file should be.
  mkdirSync(join(folder, `${name}.bin`), { recursive: true })
  t.after(() => globSync(`${folder}/${name}*`).forEach((path) => rmSync(path, { recursive: true })))
  const reported: string[] = []
  openBuildCache(name, (event) => reported.push(event)).write('a deck')
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
