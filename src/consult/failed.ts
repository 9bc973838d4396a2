/** A failure of the command: a message, a remedy and an exit code. */
import type { Problem } from '../contract/check-fields.ts'
import { exits } from '../contract/commands.ts'
import type { Exit } from '../contract/commands.ts'
import { fields } from '../contract/fields.ts'

/** The same shape as an error of the site (`ErrorEnvelope`). */
export type ClientError = {
  code: string
  message: string
  resolution: string
  details?: { fields: readonly Problem[] }
}

export class Failed extends Error {
  readonly exit: Exit
  readonly error: ClientError

  constructor(exit: Exit, error: Omit<ClientError, 'code'> & { code?: string }) {
    super(error.message)
    this.exit = exit
    this.error = { code: exits[exit].error, ...error }
  }

  /** Anything else thrown is a bug: reported without its message, which may hold personal details. */
  static from(thrown: unknown): Failed {
    if (thrown instanceof Failed) return thrown
    const { name, stack } = thrown instanceof Error ? thrown : new Error('not an error')
    const place = /^\s+at .*$/m.exec(stack ?? '')?.[0].trim() ?? ''
    return new Failed('unexpected', {
      message: `This should not have happened (${name} ${place}).`,
      resolution: 'Please report it.',
    })
  }

  inWords(): string {
    const { message, resolution, details } = this.error
    const problems = (details?.fields ?? []).map(
      ({ field, problem, example }) => `  ${nameOf(field)} ${problem}; for example: ${example}`,
    )
    return [message, ...problems, resolution].join('\n')
  }
}

function nameOf(field: string): string {
  const row = fields.find(({ name }) => name === field)
  return row === undefined ? field : `${field} (--${row.key})`
}
