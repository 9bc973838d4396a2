/** What a document tells people to type: commands and their options, scripts of npm, files. */
import { globSync, readFileSync } from 'node:fs'
import { fieldKeys } from '../../src/contract/fields.ts'
import { makeProgram } from '../../src/operator/program.ts'
import { processShell } from '../../src/operator/shell.ts'

const { scripts, files } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  scripts: Record<string, string>
  files: string[]
}

/** Empty, or what is not there. */
export function findUnknown(text: string): string[] {
  // A command may go on in the next line.
  const lines = text.replaceAll(/\\\n */g, ' ').split('\n')
  return lines.flatMap((line) => [
    ...matches(line, operatorLine, isOperatorCommand),
    ...matches(line, /\bnpm create lead-intake@latest +(.+)/g, (typed) =>
      isOperatorCommand(`init ${typed.replace(' -- ', ' ')}`),
    ),
    ...matches(line, /\bconsult((?: +[^\s|;&#)]+)+)/g, isConsultCommand),
    ...matches(
      line,
      /\bnpm run (?:-s )?([\w:-]+)(?![\w:…-])/g,
      (name) => name in scripts || name === 'trials',
    ),
    ...matches(line, /\bnode_modules\/lead-intake\/([\w./*-]+)/g, isShipped),
    ...matches(line, /(?:^|[\s"'/])((?:packaging|bin|docs|src|test|bench)\/[\w./*-]*\w)/g, isThere),
  ])
}

const operatorLine =
  /(?:(?:^|[(;&|] *|\bsudo |\bnpx )lead-intake|npm run -s lead-intake --|\blead-intake\.js)((?: +[^\s|;&#)]+)+)/g

function matches(line: string, pattern: RegExp, isKnown: (found: string) => boolean): string[] {
  return [...line.matchAll(pattern)]
    .map(([, found]) => found!.trim())
    .filter((found) => !isKnown(found))
}

const program = makeProgram(processShell, () => {})

function isOperatorCommand(typed: string): boolean {
  if (/^(?:…|--version$|--help$)/.test(typed)) return true
  let command = program
  for (const word of typed.split(/ +/)) {
    const next = command.commands.find((each) => each.name() === word)
    if (next === undefined) break
    command = next
  }
  const isGroup = command.commands.length > 0 && command.options.length === 0
  const known = ['--json', ...command.options.map(({ long }) => long)]
  return !isGroup && command !== program && optionsIn(typed).every((each) => known.includes(each))
}

const consultSource = readFileSync('public/consult.mjs', 'utf8')

function isConsultCommand(typed: string): boolean {
  const known = [...consultSource.matchAll(/^ {2}(?:consult (\w+)|(--[\w-]+)) /gm)].flat()
  const [name] = typed.split(' ')
  return [name!, ...optionsIn(typed)].every((word) =>
    ['--help', ...fieldKeys.map((key) => `--${key}`), ...known].includes(word),
  )
}

function optionsIn(typed: string): string[] {
  return typed.split(/ +/).filter((word) => word.startsWith('--') && word !== '--')
}

/** What is made on the way is named in .gitignore. */
const made = readFileSync('.gitignore', 'utf8').split('\n')

function isThere(path: string): boolean {
  return globSync(path).length > 0 || made.includes(`${path}/`)
}

function isShipped(path: string): boolean {
  const shipped = files.flatMap((name) => globSync(name))
  return isThere(path) && shipped.some((name) => path === name || path.startsWith(`${name}/`))
}
