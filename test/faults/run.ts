/**
 * Every fault, one part after the other, or the parts that are named. Each part ends with one line of JSON; a table and what could
 * not be run are at the end. What needs a program that is not there counts as not run, never as passed.
 */
import { run } from 'node:test'
import type { TestEvent } from 'node:test/reporters'
import { openPostgresServer, type Postgres } from '../support/postgres.ts'
import report from '../support/reporter.ts'
import { addStory, countFaults, newTally, type Tally } from './tally.ts'

type Part = { name: string; files: string[]; env?: Record<string, string>; onBoth?: true }

const parts: Part[] = [
  {
    name: 'kill -9 under load',
    files: [
      'test/process/kill.test.ts',
      'test/process/retry.test.ts',
      'test/process/faults.test.ts',
    ],
    env: { STORY_KILLS: '60', STORY_KEYS: '500' },
    onBoth: true,
  },
  {
    name: 'kill -9 at every door',
    files: ['test/faults/kill-doors.ts'],
    env: { STORY_DOOR_KILLS: '40' },
    onBoth: true,
  },
  {
    name: 'power cuts',
    files: ['test/faults/power-cuts.ts'],
    env: { STORY_CUT_ACTS: '600', STORY_RANDOM_CUTS: '1000' },
  },
  { name: 'failing calls', files: ['test/faults/io-errors.ts'], env: { STORY_IO_ERRORS: '100' } },
  { name: 'full disk', files: ['test/process/disk-full.test.ts'] },
  {
    name: 'database file',
    files: ['test/process/database-file.test.ts', 'test/process/bad-file.test.ts'],
  },
  {
    name: 'PostgreSQL',
    files: ['test/process/nodes.test.ts', 'test/process/journal.test.ts'],
    env: { STORY_NODES_SECONDS: '24', STORY_NODES_KEYS: '500' },
  },
  {
    name: 'backup and restore',
    files: ['test/process/backup-kill.test.ts'],
    env: { STORY_BACKUP_KILLS: '30' },
    onBoth: true,
  },
]

type Ended = Tally & { part: string; seconds: number; passed: number; failed: number }

const ended: Ended[] = []
const notRun: string[] = []
const server = await openPostgresServer().catch((error: unknown) => void notRun.push(String(error)))
try {
  for (const part of chosen(process.argv.slice(2))) {
    await runPart(part, 'sqlite')
    if (part.onBoth) await runOnPostgres(part)
  }
} finally {
  await server?.close()
}
printTable()
for (const line of notRun) process.stdout.write(`not run: ${line}\n`)
const faults = ended.filter((end) => end.failed > 0 || countFaults(end) > 0).length
process.stdout.write(`${ended.length} parts, ${faults} failed, ${notRun.length} not run\n`)
process.exitCode = faults > 0 ? 1 : 0

function chosen(names: readonly string[]): Part[] {
  if (names.length === 0) return parts
  return names.map((name) => {
    const part = parts.find((each) => each.name === name)
    if (part === undefined) throw new Error(`There is no part ${name}.`)
    return part
  })
}

async function runOnPostgres(part: Part): Promise<void> {
  if (server === undefined) notRun.push(`${part.name}, postgres: no server`)
  else await runPart(part, 'postgres', server)
}

async function runPart(part: Part, engine: 'sqlite' | 'postgres', on?: Postgres): Promise<void> {
  const name = part.onBoth ? `${part.name}, ${engine}` : part.name
  const env = { ...part.env, TEST_ENGINE: engine, ...(on && { TEST_PG_URL: on.url }) }
  process.stdout.write(`\n${name}:\n`)
  Object.assign(process.env, env)
  const startedAt = performance.now()
  const end: Ended = { part: name, seconds: 0, passed: 0, failed: 0, ...newTally() }
  const skipped: string[] = []
  const events = run({ files: part.files, concurrency: 1 })
  for await (const text of report(noting(events, end, skipped))) process.stdout.write(text)
  end.seconds = Math.round((performance.now() - startedAt) / 1_000)
  for (const key of Object.keys(env)) delete process.env[key]
  notRun.push(...skipped.map((what) => `${name}: ${what}`))
  process.stdout.write(`${JSON.stringify({ ...end, notRun: skipped.length })}\n`)
  if (end.passed + end.failed > 0) ended.push(end)
}

async function* noting(
  events: AsyncIterable<TestEvent>,
  end: Ended,
  skipped: string[],
): AsyncGenerator<TestEvent> {
  for await (const event of events) {
    const { type, data } = event
    if (type === 'test:fail' && data.details.type !== 'suite') end.failed += 1
    if (type === 'test:pass' && data.details.type !== 'suite') {
      if (data.skip !== undefined) {
        skipped.push(`${data.name} (${String(data.skip)})`)
        continue
      }
      end.passed += 1
    }
    if (type === 'test:diagnostic' && data.message.startsWith('{')) addStory(end, data.message)
    yield event
  }
}

function printTable(): void {
  const columns = ['part', 'seconds', 'passed', 'failed', ...Object.keys(newTally())] as const
  const rows = ended.map((each) => columns.map((column) => String(each[column as keyof Ended])))
  const table = [[...columns], ...rows]
  const widths = columns.map((_, at) => Math.max(...table.map((row) => row[at]!.length)))
  const line = (row: string[]) =>
    row
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[at]!)))
      .join('  ')
  process.stdout.write(`\n${table.map(line).join('\n')}\n\n`)
}
