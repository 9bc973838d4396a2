import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import test from 'node:test'
import { literalsOf } from './support/literals.ts'
import { businessRules, findWording, projectRules, says } from './support/wording.ts'

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
  const found = textsOf('README.md', 'docs/{,developers/}*.md').flatMap(({ file, text }) =>
    findWording(text, projectRules).map(
      ({ line, word, rule }) => `${file}:${line}: "${word}": ${rule}`,
    ),
  )
  assert.deepEqual(found, [])
})

test('words that are allowed as an exception are still said somewhere', () => {
  const unsaid = allowedWords.filter((words) => !spoken.some(({ text }) => says(text, words)))
  assert.deepEqual(unsaid, [])
})

test('language that fishes for prices is found, with its line', () => {
  const text = `Ask me.
Get a free quote today,
at the best price. An estimate
is cheap, affordable and within budget.
No deal and no discount without a quotation of the costs.`
  assert.deepEqual(wordsIn(text), [
    '2 free',
    '2 quote',
    '3 best price',
    '3 estimate',
    '4 cheap',
    '4 affordable',
    '4 budget',
    '5 deal',
    '5 discount',
    '5 quotation',
    '5 costs',
  ])
})

test('the first person plural is found, with its line', () => {
  assert.deepEqual(wordsIn("Our team\nand we, so call us.\nWe're here, and we’ll come."), [
    '1 Our',
    '2 we',
    '2 us',
    "3 We're",
    '3 we’ll',
  ])
})

test('a Consultation in lower case is found in prose, and not in names, paths and code', () => {
  assert.deepEqual(wordsIn('A Consultation.\nMy consultation, two consultations.'), [
    '2 consultation',
    '2 consultations',
  ])
  const names = 'consultation_booked, submit_consultation_lead, `consultation`, /consultation/'
  assert.deepEqual(wordsIn(`${names}, https://example.com/consultation, request-consultation`), [])
})

test('deck-maintenance language is found, with its line', () => {
  assert.deepEqual(wordsIn('I build on sand.\nCleaning, sanding,\nre-oiling; low maintenance.'), [
    '2 Cleaning',
    '2 sanding',
    '3 re-oiling',
    '3 maintenance',
  ])
})

test('a licensed builder may be named only to say that the business is none', () => {
  assert.deepEqual(wordsIn('Hello.\nI am a licensed\nbuilder, fully licensed.'), [
    '2 licensed builder',
    '3 fully licensed',
  ])
  const plain = 'I am not a licensed builder. Some work needs a\nlicensed builder.'
  assert.deepEqual(wordsIn(plain), [])
})

test('an exception covers its own words only, however they are broken into lines', () => {
  assert.deepEqual(wordsIn('Avoid language that\nfishes for prices.', allowedWords), [])
  assert.deepEqual(wordsIn('Language that fishes for prices.', allowedWords), ['1 prices'])
})

test('words that only look alike raise no alarm', () => {
  const text =
    'Put it in quotes, or quotes around it; a quoted text. The US. Feel free. Soil. Ideal.'
  assert.deepEqual(wordsIn(text), [])
  assert.deepEqual(findWording('What it costs in CPU; quotes; our own budget.', projectRules), [])
  assert.deepEqual(
    findWording('Get a quote.', projectRules).map(({ word }) => word),
    ['Get a quote'],
  )
})

test('of a program only the words in its literals are read, on their own lines', () => {
  const source = [
    "// we quote: 'our price'",
    'const price = /[\'"`]/ // our regular expression',
    "const cost = ['quote', 'Our prices']",
    'const page = `{${cost.map((us) => `<b>{${us}} is cheap</b>`)}}`',
    String.raw`const line = 'first\nwe second' /* our */`,
  ].join('\n')
  assert.deepEqual(wordsIn(literalsOf(source)), ['3 prices', '3 Our', '4 cheap', '5 we'])
})

function wordsIn(text: string, exceptions: readonly string[] = []): string[] {
  return findWording(text, businessRules, exceptions).map(({ line, word }) => `${line} ${word}`)
}

function textsOf(...patterns: string[]): { file: string; text: string }[] {
  return globSync(patterns)
    .filter((file) => !file.endsWith('.test.ts'))
    .sort()
    .map((file) => ({ file, text: readFileSync(file, 'utf8') }))
}
