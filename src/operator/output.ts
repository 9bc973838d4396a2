/** Output of the operator's commands, and their exit codes. */
import { once } from 'node:events'

/** For `--help` and the README. */
export const exitCodes = {
  ok: { code: 0, meaning: 'done' },
  unwell: { code: 1, meaning: 'a check found a problem, or the service failed' },
  usage: { code: 2, meaning: 'the command line or a setting is wrong' },
  missing: { code: 3, meaning: 'no such lead, member or file, or no database yet' },
  illegalMove: { code: 4, meaning: 'the lead cannot move to that state' },
  unavailable: { code: 5, meaning: 'the database is unavailable' },
} as const

/** Ends the command with this message and exit code. */
export class CommandFailed extends Error {
  readonly code: number

  constructor(code: keyof typeof exitCodes, sentence: string) {
    super(sentence)
    this.code = exitCodes[code].code
  }
}

export async function print(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain')
}

/** Also escapes the control characters that JSON leaves raw and a terminal would obey. */
export function toJson(value: unknown): string {
  const json = JSON.stringify(value, undefined, 2)
  return `${json.replaceAll(/[\u007f-\u009f]/g, escaped)}\n`
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** A plain table for people. Text from a sender cannot control the terminal. */
export function toTable(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [heads, ...rows].map((cells) => cells.map(toPlain))
  const widths = heads.map((_, column) => Math.max(...lines.map((cells) => cells[column]!.length)))
  return lines
    .map((cells) =>
      cells
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join('')
}

/** Shows control and formatting characters as dots. */
export function toPlain(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}]/gu, '·')
}

/** As `toPlain`, but keeps line breaks. */
export function toPlainLines(text: string): string {
  return text.split('\n').map(toPlain).join('\n')
}

export function shorten(text: string, most: number): string {
  const characters = [...text]
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`
}

/** One result of `doctor` or `content check`. `words`: with the cure, unless all is well. */
export type Finding = { check: string; result: 'ok' | 'warning' | 'failed'; words: string }

export function ok(check: string, words: string): Finding {
  return { check, result: 'ok', words }
}

export function warning(check: string, words: string): Finding {
  return { check, result: 'warning', words }
}

export function failed(check: string, words: string): Finding {
  return { check, result: 'failed', words }
}
