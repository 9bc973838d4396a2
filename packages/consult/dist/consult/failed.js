import { exits } from '../contract/commands.js'
import { fields } from '../contract/fields.js'
export class Failed extends Error {
  exit
  error
  constructor(exit, error) {
    super(error.message)
    this.exit = exit
    this.error = { code: exits[exit].error, ...error }
  }
  /** Anything else thrown is a bug: reported without its message, which may hold personal details. */
  static from(thrown) {
    if (thrown instanceof Failed) return thrown
    const { name, stack } = thrown instanceof Error ? thrown : new Error('not an error')
    const place = /^\s+at .*$/m.exec(stack ?? '')?.[0].trim() ?? ''
    return new Failed('unexpected', {
      message: `This should not have happened (${name} ${place}).`,
      resolution: 'Please report it.',
    })
  }
  inWords() {
    const { message, resolution, details } = this.error
    const problems = (details?.fields ?? []).map(
      ({ field, problem, example }) => `  ${nameOf(field)} ${problem}; for example: ${example}`,
    )
    return [message, ...problems, resolution].join('\n')
  }
}
function nameOf(field) {
  const row = fields.find(({ name }) => name === field)
  return row === undefined ? field : `${field} (--${row.key})`
}
