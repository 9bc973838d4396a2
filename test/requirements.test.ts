import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import test from 'node:test'
import { promises, waiting } from './requirements.ts'

// Not by a trial: `npm test` shows every promise.
const sources = globSync(['test/{,app/,store/,process/}*.test.ts', 'src/**/*.test.ts']).map(
  (path) => readFileSync(path, 'utf8'),
)
const cited = new Set(
  sources
    .flatMap((source) => Array.from(source.matchAll(/ \[([\w.\-, ]+)\]['"`]/g)))
    .flatMap(([, ids]) => ids!.split(', ')),
)

test('every promise is cited by a test', () => {
  assert.deepEqual(
    Object.keys(promises).filter((id) => !cited.has(id)),
    [],
  )
})

test('no test cites a promise that is not in the list, or is not built yet', () => {
  assert.deepEqual(
    [...cited].filter((id) => !(id in promises)),
    [],
  )
  assert.deepEqual(
    Object.keys(waiting).filter((id) => id in promises),
    [],
  )
})
