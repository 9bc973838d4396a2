/** What the command says, and how it ends. */
import { once } from 'node:events'

/** Documented in `--help`. */
export const exitCodes = {
  ok: 0,
  /** Something is not well: `doctor` or `events verify` found it, or the service failed. */
  unwell: 1,
  /** The command line or a setting is wrong. */
  usage: 2,
  missing: 3,
  illegalMove: 4,
  /** The database cannot be used just now. */
  unavailable: 5,
} as const

/** Ends the command with a sentence and a code. */
export class CommandFailed extends Error {
  readonly code: number

  constructor(code: keyof typeof exitCodes, sentence: string) {
    super(sentence)
    this.code = exitCodes[code]
  }
}

export async function print(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain')
}

export function toJson(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`
}
