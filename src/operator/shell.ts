/** What a command reads, prints and fails with. Tests make a `Shell` of their own. */
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { BackupRefused } from '../backup/file.ts'
import { readEnvironment, readSettings, type Environment, type Settings } from '../config.ts'
import { howToType } from '../words.ts'
import { WrongChannelSetting } from '../delivery/channel.ts'
import { toPlainText } from '../log.ts'
import { ContentFault } from '../site/yaml.ts'
import { StorageUnavailable, StoreRefused } from '../store/engine/engine.ts'
import { storageFault } from '../store/engine/sqlite-file.ts'

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

/** Returns an unexpected error unchanged. */
export function toCommandFailed(error: unknown): unknown {
  if (error instanceof WrongChannelSetting || error instanceof ContentFault) {
    return new CommandFailed('usage', error.message)
  }
  if (error instanceof BackupRefused) {
    return new CommandFailed('unwell', `The backup was not made: ${error.message}.`)
  }
  if (error instanceof StoreRefused) return new CommandFailed('unavailable', error.message)
  if (error instanceof StorageUnavailable) {
    return new CommandFailed(
      'unavailable',
      `The database cannot be written (${error.reason}). Run "${howToType('doctor')}".`,
    )
  }
  return systemFault(error) ?? error
}

function systemFault(error: unknown): CommandFailed | undefined {
  const fault = storageFault(error)
  if (fault !== undefined) {
    return new CommandFailed('unavailable', `SQLite cannot read or write a file (${fault}).`)
  }
  const { code = '', path } = error as NodeJS.ErrnoException
  // The error of a write to an open file has no `path`.
  if (path === undefined && !['ENOSPC', 'EDQUOT', 'EIO', 'EROFS'].includes(code)) return undefined
  const words = `${path ?? 'A file'} cannot be read or written (${code}).`
  const cure = cures[code]
  return new CommandFailed('unwell', cure === undefined ? words : `${words} ${cure}`)
}

const otherUser =
  'It belongs to another user: run the command as the user of the service, or run chown on it.'

/** `chown` and `chmod` do not help here. */
export const allowFolder =
  'It is read-only here. Under systemd the service may write /var/lib/lead-intake and /var/lib/lead-intake-backups only: to allow another folder, name it in ReadWritePaths (docs/operating.md, "Backup").'

const cures: Record<string, string> = { EACCES: otherUser, EPERM: otherUser, EROFS: allowFolder }

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
