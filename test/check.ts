/** Types, lint, format and unused code: `npm run check`. With --format it writes tables and format. */
import { spawn, spawnSync } from 'node:child_process'
import { sizeOfHouse } from './support/size.ts'

const types = 'tsc'
const lint = 'oxlint --type-aware --deny-warnings'

export const checks = {
  quick: [types],
  all: [types, lint, 'oxfmt --check', 'knip'],
}

export type Finding = { command: string; text: string }

/** Runs each to its end, one after the other, and returns what the failing ones said. */
export async function runChecks(commands: readonly string[]): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const command of commands) {
    const text = await findWith(command)
    if (text !== undefined) findings.push({ command, text })
  }
  return findings
}

function findWith(command: string): Promise<string | undefined> {
  const [program, ...words] = command.split(' ')
  const child = spawn(`node_modules/.bin/${program}`, words, { stdio: ['ignore', 'pipe', 'pipe'] })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (text += chunk.toString()))
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve(code === 0 ? undefined : text))
  })
}

export function tell(findings: readonly Finding[]): string {
  return findings.map(({ command, text }) => `\nFAILED ${command}\n${text}\n`).join('')
}

if (import.meta.main) {
  if (process.argv.includes('--format')) {
    await import('./support/tables.ts').then(({ writeTables }) => writeTables())
    process.exitCode = spawnSync('node_modules/.bin/oxfmt', { stdio: 'inherit' }).status ?? 1
  } else {
    const findings = await runChecks(checks.all)
    process.stdout.write(`${tell(findings)}${sizeOfHouse()}`)
    process.stdout.write(
      `\n${checks.all.length - findings.length} passed, ${findings.length} failed\n`,
    )
    process.exitCode = findings.length > 0 ? 1 : 0
  }
}
