/** A command's shell: the environment it reads, and the place it prints to. A test brings its own. */
import { readEnvironment, readSettings, type Environment, type Settings } from '../config.ts'
import { CommandFailed, print, toJson, toTable } from './output.ts'

type RowOptions<T> = {
  columns: readonly (keyof T & string)[]
  json?: true | undefined
  none?: string
}

export class Shell {
  readonly environment: Environment
  readonly print: (text: string) => Promise<void>

  constructor(environment: Environment, printText: (text: string) => Promise<void>) {
    this.environment = environment
    this.print = printText
  }

  /** Fails with a sentence for each setting that is wrong. */
  settings(): Settings {
    const read = readSettings(this.environment)
    if ('settings' in read) return read.settings
    throw new CommandFailed('usage', read.problems.join('\n'))
  }

  /** A table of these columns for people, and JSON for programs. `none`: if there are no rows. */
  printRows<T extends object>(rows: readonly T[], options: RowOptions<T>): Promise<void> {
    const { columns, json, none = '' } = options
    if (json) return this.print(toJson(rows))
    if (rows.length === 0) return this.print(`${none}\n`)
    return this.print(
      toTable(
        columns,
        rows.map((row) => columns.map((name) => String(row[name] ?? ''))),
      ),
    )
  }
}

export const processShell = new Shell(readEnvironment(), print)
