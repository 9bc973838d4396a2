/** What documents tell people to type and to set. */
import { spawnSync } from 'node:child_process'
import { readFileSync, globSync } from 'node:fs'
import { readSettings, settingTable } from '../../src/config.ts'
import { fieldKeys } from '../../src/contract/fields.ts'
import { makeProgram } from '../../src/operator/program.ts'
import { processShell } from '../../src/operator/shell.ts'

/** The checks of a block, by its kind. Each gives its problems. */
export const checks: Readonly<Record<string, (block: Block) => string[]>> = {
  sh: checkShell,
  dotenv: ({ text }) => checkSettings(text),
}

/** Programs that are not at hand here, ask a registry or another host, or change the machine. */
const notHere = /\b(?:sudo|npm|git|docker|age|age-keygen|restic|rclone|scp)\b|--package=|postgres:/

function checkShell({ text }: Block): string[] {
  const { status, stderr } = spawnSync('sh', ['-n'], { input: text, encoding: 'utf8' })
  return [
    ...(status === 0 ? [] : [stderr]),
    ...(notHere.test(text) ? [] : ['it can be run: tag it "sh run"']),
  ]
}

/** An ellipsis stands for a secret. */
function checkSettings(text: string): string[] {
  const lines = text.split('\n').filter((line) => !/^(?:#|$)/.test(line))
  const pairs = lines.map((line) => line.split(/=(.*)/, 2) as [name: string, value: string])
  const read = readSettings(Object.fromEntries(pairs.filter(([, value]) => !value.includes('…'))))
  return [
    ...pairs.filter(([name]) => !(name in settingTable)).map(([name]) => `no setting ${name}`),
    ...('problems' in read ? read.problems : []),
  ]
}

export type Block = {
  file: string
  /** The number of its first line, counted from one. */
  line: number
  /** What follows the fence: `sh`, `sh run`, `yaml`. */
  kind: string
  text: string
}

/** What a reader of the project sees; decisions hold no blocks that anybody types. */
export const docFiles = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...globSync('docs/{,developers/}*.md').sort(),
  ...globSync('packages/*/README.md'),
]

export function readBlocks(file: string): Block[] {
  const text = readFileSync(file, 'utf8')
  return [...text.matchAll(/^( *)```(.*)\n([\s\S]*?)^ *```$/gm)].map((found) => {
    const [, indent = '', kind = '', lines = ''] = found
    return {
      file,
      line: text.slice(0, found.index).split('\n').length + 1,
      kind,
      text: lines.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }
  })
}

/** The blocks that are tagged `sh run`, as one script. */
export function readRunBlocks(file: string): string {
  return readBlocks(file)
    .filter(({ kind }) => kind === 'sh run')
    .map(({ text }) => text)
    .join('\n')
}

/** What stands between two backticks outside of blocks. */
export function readInlineCode(file: string): string[] {
  const prose = readFileSync(file, 'utf8').replaceAll(/^ *```[\s\S]*?^ *```$/gm, '')
  return [...prose.matchAll(/`([^`\n]+)`/g)].map(([, code]) => code!)
}

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
    ...matches(line, /\bnpm run (?:-s )?([\w:-]+)(?![\w:…-])/g, (name) => name in scripts),
    ...matches(line, /\bnode_modules\/lead-intake\/([\w./*-]+)/g, isShipped),
    // A file behind `>` is written by the line.
    ...matches(
      line,
      /(?:^|(?<!>)[\s"'/])((?:packaging|bin|docs|src|test|bench)\/[\w./*-]*\w)/g,
      isThere,
    ),
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

/** Files that the project makes are named in .gitignore. */
const made = readFileSync('.gitignore', 'utf8').split('\n')

function isThere(path: string): boolean {
  return globSync(path).length > 0 || made.includes(`${path}/`)
}

function isShipped(path: string): boolean {
  const shipped = files.flatMap((name) => globSync(name))
  return isThere(path) && shipped.some((name) => path === name || path.startsWith(`${name}/`))
}
