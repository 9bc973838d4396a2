/**
 * Types, lint, format and unused code: `npm run check`. With --format it writes tables and format. With --types it
 * checks the types only: `npm run types`; with --watch after every change, until Ctrl+C.
 */
import { spawn, spawnSync } from 'node:child_process'
import { sizeOfHouse } from './support/size.ts'

/** What did not change since the last time is not checked again. */
const types = ['tsconfig', 'tsconfig.browser', 'tsconfig.inbox', 'tsconfig.worker'].map(
  (name) =>
    `tsc -p ${name}.json --incremental --tsBuildInfoFile node_modules/.cache/types/${name}.json`,
)
const lint = 'oxlint --type-aware --deny-warnings'

export const checks = {
  quick: types,
  all: [...types, lint, 'oxfmt --check', 'knip --cache --cache-location node_modules/.cache/knip'],
}

type Variables = Record<string, string>
export type Finding = { command: string; text: string }

/** The two that read types are Go programs: a third less CPU where they free no memory below this. */
const freeingLittle: Variables = { GOGC: 'off', GOMEMLIMIT: '1GiB' }

/** Runs each to its end, one after the other, and returns what the failing ones said. */
export async function runChecks(
  commands: readonly string[],
  more: Variables = {},
): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const command of commands) {
    const text = await findWith(command, more)
    if (text !== undefined) findings.push({ command, text })
  }
  return findings
}

function findWith(command: string, more: Variables): Promise<string | undefined> {
  const [program, ...words] = command.split(' ')
  const child = spawn(`node_modules/.bin/${program}`, words, {
    env: { ...process.env, ...freeingLittle, ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
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

function watch(commands: readonly string[]): void {
  for (const command of commands) {
    const [program, ...words] = command.split(' ')
    const watching = [...words, '--watch', '--preserveWatchOutput']
    spawn(`node_modules/.bin/${program}`, watching, { stdio: 'inherit' })
  }
}

async function check(commands: readonly string[]): Promise<void> {
  const findings = await runChecks(commands)
  process.stdout.write(tell(findings))
  if (commands === checks.all) process.stdout.write(sizeOfHouse())
  process.stdout.write(`\n${commands.length - findings.length} passed, ${findings.length} failed\n`)
  process.exitCode = findings.length > 0 ? 1 : 0
}

async function format(): Promise<void> {
  await import('./support/tables.ts').then(({ writeTables }) => writeTables())
  process.exitCode = spawnSync('node_modules/.bin/oxfmt', { stdio: 'inherit' }).status ?? 1
}

if (import.meta.main) {
  const [asked] = process.argv.slice(2)
  if (asked === '--format') await format()
  else if (asked === '--watch') watch(types)
  else await check(asked === '--types' ? types : checks.all)
}
