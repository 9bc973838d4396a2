/** What a command reads, prints and fails with. Tests make a `Shell` of their own. */
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { readEnvironment, readSettings, type Environment, type Settings } from '../config.ts'
import { toPlainText } from '../log.ts'

/** `--help` and docs/settings.md list these codes. */
export const exitCodes = {
  ok: { code: 0, meaning: 'done' },
  unwell: { code: 1, meaning: 'a check found a problem, or the service failed' },
  usage: { code: 2, meaning: 'the command line or a setting is wrong' },
  missing: { code: 3, meaning: 'no such lead, member or file, or no database yet' },
  unavailable: { code: 5, meaning: 'the database is unavailable' },
} as const

export class CommandFailed extends Error {
  readonly code: number

  constructor(code: keyof typeof exitCodes, sentence: string) {
    super(sentence)
    this.code = exitCodes[code].code
  }
}

type TableOptions<T> = {
  columns: readonly (keyof T & string)[]
  json?: true | undefined
  none?: string
}

export class Shell {
  readonly environment: Environment
  readonly print: (text: string) => Promise<void>
  /** `undefined` if there is no terminal. */
  readonly ask: ((question: string) => Promise<string>) | undefined

  constructor(environment: Environment, print: Shell['print'], ask?: Shell['ask']) {
    this.environment = environment
    this.print = print
    this.ask = ask
  }

  readSettings(): ReturnType<typeof readSettings> {
    const read = readSettings(this.environment)
    if ('settings' in read) becomeOwnerOf(read.settings.DATA_DIR)
    return read
  }

  settings(): Settings {
    const read = this.readSettings()
    if ('settings' in read) return read.settings
    throw new CommandFailed('usage', read.problems.join('\n'))
  }

  printRows<T extends object>(rows: readonly T[], options: TableOptions<T>): Promise<void> {
    const { columns, json, none = '' } = options
    if (json) return this.print(toJson(rows))
    if (rows.length === 0) return this.print(`${none}\n`)
    const cells = rows.map((row) => columns.map((name) => String(row[name] ?? '')))
    return this.print(toTable(columns, cells))
  }
}

export const processShell = new Shell(
  readEnvironment(),
  async (text) => {
    if (!process.stdout.write(text)) await once(process.stdout, 'drain')
  },
  process.stdin.isTTY ? askInTerminal : undefined,
)

async function askInTerminal(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  try {
    return await terminal.question(question)
  } finally {
    terminal.close()
  }
}

/**
 * Root becomes the owner of the folder, so that the service can use files that a command makes, and
 * so that no symbolic link of the owner misleads root.
 */
function becomeOwnerOf(folder: string): void {
  if (process.getuid?.() !== 0) return
  const stat = statSync(folder, { throwIfNoEntry: false })
  if (stat === undefined) return becomeOwnerOf(dirname(folder))
  if (stat.uid === 0) return
  process.setgroups!([])
  process.setgid!(stat.gid)
  process.setuid!(stat.uid)
}

/** Also escapes U+007F to U+009F, because a terminal would obey these characters. */
export function toJson(value: unknown): string {
  const json = JSON.stringify(value, undefined, 2)
  const escaped = (character: string) => `\\u00${character.charCodeAt(0).toString(16)}`
  return `${json.replaceAll(/[\u007f-\u009f]/g, escaped)}\n`
}

/** Control characters become dots, so that a sender's text cannot control the terminal. */
function toTable(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [heads, ...rows].map((cells) => cells.map(toPlainText))
  const widths = heads.map((_, column) => Math.max(...lines.map((cells) => cells[column]!.length)))
  const padded = lines.map((cells) => cells.map((cell, column) => cell.padEnd(widths[column]!)))
  return padded.map((cells) => `${cells.join('  ').trimEnd()}\n`).join('')
}
