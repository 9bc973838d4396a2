/** What a command has from its caller: the environment, and a place to print. A test brings its own. */
import { readEnvironment, readSettings, type Environment, type Settings } from '../config.ts'
import { CommandFailed, print } from './output.ts'

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
}

export const processShell = new Shell(readEnvironment(), print)
