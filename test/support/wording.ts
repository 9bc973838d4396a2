/** Finds words that a text written for the business must not use. Text in, findings out. */
export type Finding = { line: number; word: string; rule: string }
export type Rule = { readonly rule: string; readonly pattern: RegExp }

/** `allowed` are exact words, such as a sentence that tells others of a rule. */
export function findWording(
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

/** For every word the business says. */
export const businessRules: readonly Rule[] = [
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
 * For documents about the software: it has costs, quotes and budgets of its own, is maintained, and
 * its makers may say "our".
 */
export const projectRules: readonly Rule[] = [
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

/** Every line stays where it was. */
function blank(text: string, pattern: RegExp): string {
  return text.replaceAll(pattern, (found) => found.replaceAll(/[^\n]/g, ' '))
}
