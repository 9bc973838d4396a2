/** Types, lint, format and unused code: `npm run check`. With --format it writes tables and format. */
import { spawnSync } from 'node:child_process'
import { sizeOfHouse } from './support/size.ts'

const types = 'tsc'
const lint = 'oxlint --type-aware --deny-warnings'

export const checks = {
  quick: [types, lint],
  all: [types, lint, 'oxfmt --check', 'knip'],
  format: ['oxfmt'],
}

/** Whether all of them end well. The first that does not is the last that runs. */
export function runChecks(commands: readonly string[]): boolean {
  return commands.every((command) => {
    const [program, ...words] = command.split(' ')
    return spawnSync(`node_modules/.bin/${program}`, words, { stdio: 'inherit' }).status === 0
  })
}

if (import.meta.main) {
  const isFormat = process.argv.includes('--format')
  if (isFormat) await import('./support/tables.ts').then(({ writeTables }) => writeTables())
  process.exitCode = runChecks(isFormat ? checks.format : checks.all) ? 0 : 1
  if (!isFormat) process.stdout.write(sizeOfHouse())
}
