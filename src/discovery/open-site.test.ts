import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { dirname, join, resolve, sep } from 'node:path'
import test from 'node:test'
import { makers } from './open-site.ts'

test('the cache of the site knows every module that pages and documents are made by', () => {
  const found = new Set<string>()
  for (const entry of ['src/site/content.ts', 'src/discovery/documents.ts', 'src/site/site.ts']) {
    follow(resolve(entry), found)
  }
  const forgotten = [...found].filter(
    (file) => !makers.some((maker) => file === maker || file.startsWith(maker + sep)),
  )
  assert.ok(found.size > 20)
  assert.deepEqual(forgotten, [])
})

function follow(file: string, found: Set<string>): void {
  if (found.has(file)) return
  found.add(file)
  const source = readFileSync(file, 'utf8')
  // Types make nothing.
  for (const [, name] of source.matchAll(/^import \{[^}]*\} from '(\.[^']+)'/gm)) {
    follow(join(dirname(file), name!), found)
  }
}
