/**
 * Every sentence with which the program refuses something, read out of its source: the message of each
 * `new StoreRefused(…)` and its like, up to the first full stop. What is filled in becomes a hole.
 */
import { globSync, readFileSync } from 'node:fs'

export type Refusal = { by: string; file: string; sentence: string; pattern: RegExp }

/** Which argument of the constructor is the message. */
const messageAt: Record<string, number> = {
  StoreRefused: 0,
  CommandFailed: 1,
  BundleRefused: 0,
  WrongSetting: 0,
  WrongChannelSetting: 0,
}

export function readRefusals(): Refusal[] {
  const sources = globSync('src/**/*.ts', { exclude: ['src/**/*.test.ts'] }).map((file) => ({
    file,
    text: readFileSync(file, 'utf8'),
  }))
  const whole = sources.map(({ text }) => text).join('\n')
  const kinds = Object.keys(messageAt).join('|')
  const made = new RegExp(
    `(?:new |extends StoreRefused \\{\\s*constructor.*\\s*)(${kinds}|super)\\(`,
    'g',
  )
  return sources.flatMap(({ file, text }) =>
    [...text.matchAll(made)].flatMap(({ 0: found, 1: kind = '', index }) => {
      const by = kind === 'super' ? 'StoreRefused' : kind
      const message = argumentsAt(text, index + found.length)[messageAt[by]!] ?? ''
      return sentencesOf(message, whole)
        .map((sentence) => ({ by, file, ...toPattern(sentence) }))
        .filter(({ sentence }) => saysSomething(sentence))
    }),
  )
}

/** A literal says it itself. Otherwise what it is called by says where to look. */
function sentencesOf(message: string, whole: string): string[] {
  const own = literalsIn(message)
  if (own.length > 0) return own
  const [name] = /^\w+(?=$|[([])/.exec(message) ?? []
  if (name === undefined) return []
  const [definition = ''] =
    new RegExp(`(?:const|function) ${name}\\b[\\s\\S]*?\\n(?:\\}\\n|\\n)`).exec(whole) ?? []
  const others = [...definition.matchAll(/: (\w+),\n/g)].map(([, other]) => `${other}()`)
  return [...literalsIn(definition), ...others.flatMap((other) => sentencesOf(other, whole))]
}

/** A second sentence, or a frame for another message, does not. */
function saysSomething(sentence: string): boolean {
  return /\w/.test(sentence) && !/^… [A-Z]/.test(sentence)
}

/** Of several words: a single one is a name for the program. What is compared with is not said. */
function literalsIn(code: string): string[] {
  const found = code.matchAll(/(=== |includes\()?(?:`((?:\\.|[^`])*)`|'((?:\\.|[^'\n])*)')/g)
  return [...found].flatMap(([, compared, template, plain]) => {
    const text = (template ?? plain)!
    return compared === undefined && text.includes(' ') ? [text] : []
  })
}

/** The arguments of a call, as written. */
function argumentsAt(text: string, start: number): string[] {
  const found = ['']
  let depth = 0
  for (let at = start; depth >= 0; at += 1) {
    const [token] = /^(?:`(?:\\.|\$\{[^}]*\}|[^`])*`|'(?:\\.|[^'])*'|[\s\S])/.exec(text.slice(at))!
    if ('([{'.includes(token)) depth += 1
    if (')]}'.includes(token)) depth -= 1
    if (depth < 0) break
    if (token === ',' && depth === 0) found.push('')
    else found[found.length - 1] += token
    at += token.length - 1
  }
  return found.map((each) => each.trim())
}

const hole = '…'

function toPattern(message: string): Pick<Refusal, 'sentence' | 'pattern'> {
  const plain = message.replaceAll(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, hole).replaceAll(/\\(.)/g, '$1')
  const [sentence = ''] = plain.split(/\.(?:\s|$)|\n/)
  const fixed = sentence.split(hole).map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return { sentence, pattern: new RegExp(`^${fixed.join('.+')}$`) }
}
