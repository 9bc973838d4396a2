import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import test from 'node:test'

/** The words in a program: all but the text of its literals is blanked, and every line stays in its place. */
function literalsOf(source: string): string {
  const inside: ('code' | 'template')[] = ['code']
  let words = ''
  for (let at = 0; at < source.length;) {
    const mode = inside.at(-1) ?? 'code'
    const token = mode === 'code' ? codeToken : templateToken
    token.lastIndex = at
    const [text] = token.exec(source)!
    const isText = mode === 'template' || /^['"]/.test(text)
    words += isText && isProse(text) ? text.replaceAll(notText, blanked) : blanked(text)
    if (text === closing[mode]) inside.pop()
    else if (text === '${') inside.push('code')
    else if (mode === 'code' && text === '{') inside.push('code')
    else if (mode === 'code' && text === '`') inside.push('template')
    at += text.length
  }
  return words
}

const closing = { code: '}', template: '`' }

/** Comments, strings and regular expressions whole; all else sign by sign. A slash divides after a value. */
const codeToken = oneOf(
  /\/\/[^\n]*|\/\*[\s\S]*?\*\//,
  /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/,
  /(?<=(?:[=(,:[!&|?{;>]|\breturn)\s*)\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\//,
  /[\s\S]/,
)

function oneOf(...patterns: readonly RegExp[]): RegExp {
  return new RegExp(patterns.map(({ source }) => source).join('|'), 'y')
}

const templateToken = /`|\$\{|(?:\\[\s\S]|\$(?!\{)|[^`\\$])+/y

/** Marks at the ends, and escapes: `\n` is not the start of a word. */
const notText = /^['"]|['"]$|\\u\{?\w{4,6}\}?|\\[\s\S]/g

/** A single word in lower case is a name for the program. */
function isProse(text: string): boolean {
  return /\S\s+\S|^\W*[A-Z]|^\s|\s$/.test(text)
}

function blanked(text: string): string {
  return text.replaceAll(/[^\n]/g, ' ')
}

/** Finds words that a text written for the business must not use. Text in, findings out. */
type Finding = { line: number; word: string; rule: string }
type Rule = { readonly rule: string; readonly pattern: RegExp }

/** `allowed` are exact words, such as a sentence that tells others of a rule. */
function findWording(
  text: string,
  rules: readonly Rule[],
  allowed: readonly string[] = [],
): Finding[] {
  const prose = [...notProse, ...allowed.map(exactly)].reduce(blank, text)
  return rules
    .flatMap(({ rule, pattern }) =>
      Array.from(prose.matchAll(pattern), ({ 0: word, index }) => ({
        line: prose.slice(0, index).split('\n').length,
        word: word.replaceAll(/\s+/g, ' '),
        rule,
      })),
    )
    .sort((one, other) => one.line - other.line)
}

const consultation: Rule = {
  rule: 'the word is "Consultation", with a capital C',
  pattern: /\bconsultations?\b/g,
}

const builder: Rule = {
  rule: 'the business is not a licensed builder, and a mention must say "not a" or "needs a"',
  pattern: anyOf(
    '(?<!\\b(?:not|no|never|needs?|requires?) (?:a )?)licen[cs]ed builders?',
    'fully licen[cs]ed',
    'licen[cs]ed and insured',
  ),
}

/** Rules for every word the business says. */
const businessRules: readonly Rule[] = [
  {
    rule: 'nothing that fishes for prices',
    pattern: anyOf(
      'best prices?',
      'pric(?:es?|ed|ing)',
      // Marks around a text are quotes too.
      '(?<!\\b(?:in|double|single) )quotes?(?! around\\b)',
      'quotations?(?! marks?)',
      'estimat(?:es?|ed|ing)',
      'cheap(?:er|est|ly)?',
      'affordabl[ey]',
      'discount(?:s|ed)?',
      'deals?',
      'budgets?',
      'cost(?:s|ly|ing)?',
      '(?<!\\bfeel )free(?!-| to\\b| text\\b)',
    ),
  },
  {
    rule: 'the business is one person: I, my, me',
    // Case counts: US is a country.
    pattern:
      /(?<![\w-])(?:(?:[Ww]e|WE)(?:['’](?:re|ll|ve|d))?|[Oo]urs?|OURS?|[Oo]urselves|[Uu]s|[Ll]et['’]s)(?![\w-])/g,
  },
  consultation,
  {
    rule: 'no deck-maintenance language',
    pattern: anyOf(
      'maintain(?:s|ed|ing)?',
      'maintenance',
      'upkeep',
      '(?:re-?)?oil(?:s|ed|ing)?',
      // Sand is what some decks stand on.
      '(?:re-?)?sand(?:ed|ing)',
      're-?(?:sand|stain|seal|coat|finish)(?:s|es|ed|ing)?',
      'restor(?:es?|ed|ing|ation)',
      'clean(?:s|ed|er|ing)?',
      'repair(?:s|ed|ing)?',
      'pressure wash(?:es|ed|er|ing)?',
    ),
  },
  builder,
]

/**
 * Rules for documents about the software: it has costs, quotes and budgets of its own, is maintained, and
 * its makers may say "our".
 */
const projectRules: readonly Rule[] = [
  {
    rule: 'nothing that fishes for prices',
    pattern: anyOf(
      'pric(?:es?|ed|ing)',
      '(?:get|give|send|request|your|free) (?:an? )?(?:free )?(?:quotes?|quotations?|estimates?)',
      'cheap(?:er|est|ly)?',
      'affordabl[ey]',
      'discount(?:s|ed)?',
    ),
  },
  consultation,
  builder,
]

/** What a program reads, not a person: code spans, placeholders, addresses, paths, names. */
const notProse = [
  /(?<!`)`[^`\n]+`(?!`)/g,
  /\{\{[^{}\n]*\}\}/g,
  /\bhttps?:\/\/[^\s)>"'`]+/g,
  /(?<![\w<])\/[\w./-]+/g,
  /\b\w+_\w+\b/g,
  /\brequest-consultation\b/g,
]

/** A space stands for any blanks, and for a hyphen. */
function anyOf(...words: string[]): RegExp {
  return new RegExp(`\\b(?:${words.join('|').replaceAll(' ', '[\\s-]+')})\\b`, 'gi')
}

function exactly(words: string): RegExp {
  const escaped = words.trim().replaceAll(/[^\w\s]/g, '\\$&')
  return new RegExp(escaped.replaceAll(/\s+/g, '\\s+'), 'gi')
}

function blank(text: string, pattern: RegExp): string {
  return text.replaceAll(pattern, (found) => found.replaceAll(/[^\n]/g, ' '))
}

/** Words that name a rule in order to tell others of it, or mean something else. They are allowed exactly as they stand. */
const allowed = [
  { words: 'avoid language that fishes for prices', reason: 'tells agents of the rule' },
  { words: 'is no booking and gives no price', reason: 'tells agents what a request is not' },
  {
    words: 'is not a booking, and it gives no price',
    reason: 'tells agents what a request is not',
  },
  { words: 'no deck-maintenance language', reason: 'tells agents of the rule' },
  { words: 'restored and checked', reason: 'tells the owner of a backup, not of a deck' },
  { words: 'We have met', reason: 'the customer and the owner, on the receipt' },
]
const allowedWords = allowed.map(({ words }) => words)

const spoken = [
  ...textsOf('{content,packaging/site/content}/**/*.{md,yaml}', 'public/**/*.svg'),
  ...textsOf(
    'src/{access,contract,delivery,desk,discovery,doors,lead,site}/**/*.ts',
    'public/**/*.js',
  ).map(({ file, text }) => ({ file, text: literalsOf(text) })),
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
