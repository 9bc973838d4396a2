import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import test from 'node:test'
import { literalsOf } from './support/literals.ts'
import { businessRules, findWording, projectRules } from './support/wording.ts'

/** Words that name a rule in order to tell others of it. They are allowed exactly as they stand. */
const allowed = [
  { words: 'avoid language that fishes for prices', reason: 'tells agents of the rule' },
  { words: 'is no booking and gives no price', reason: 'tells agents what a request is not' },
  { words: 'no deck-maintenance language', reason: 'tells agents of the rule' },
  { words: 'restored and checked', reason: 'tells the owner of a backup, not of a deck' },
]
const allowedWords = allowed.map(({ words }) => words)

const spoken = [
  ...textsOf('content/**/*.{md,yaml}', 'public/**/*.svg'),
  ...textsOf('src/{contract,consult,delivery,discovery,doors,site}/**/*.ts', 'public/**/*.js').map(
    ({ file, text }) => ({ file, text: literalsOf(text) }),
  ),
]

test('every word said for the business keeps the wording rules [1.words]', () => {
  assert.ok(spoken.length > 20)
  const found = spoken.flatMap(({ file, text }) =>
    findWording(text, businessRules, allowedWords).map(
      ({ line, word, rule }) => `${file}:${line}: "${word}": ${rule}`,
    ),
  )
  assert.deepEqual(found, [])
})

test('documents about the software fish for nothing and claim no licence', () => {
  const found = textsOf('README.md', 'docs/*.md').flatMap(({ file, text }) =>
    findWording(text, projectRules).map(
      ({ line, word, rule }) => `${file}:${line}: "${word}": ${rule}`,
    ),
  )
  assert.deepEqual(found, [])
})

test('the rules find what they forbid, in prose and not in names', () => {
  const text = `Our team gives you a free quote at the best price.
My consultation, /consultation/ and consultation_booked.
Cleaning and re-oiling on sand. I am not a licensed builder, but fully licensed.`
  const found = findWording(text, businessRules).map(({ line, word }) => `${line} ${word}`)
  assert.deepEqual(found, [
    '1 free',
    '1 quote',
    '1 best price',
    '1 Our',
    '2 consultation',
    '3 Cleaning',
    '3 re-oiling',
    '3 fully licensed',
  ])
})

function textsOf(...patterns: string[]): { file: string; text: string }[] {
  return globSync(patterns)
    .filter((file) => !file.endsWith('.test.ts'))
    .sort()
    .map((file) => ({ file, text: readFileSync(file, 'utf8') }))
}
