/**
 * Runs all tests, those that are named, or with --quick those for the inner loop: on SQLite, and on
 * PostgreSQL what test/which.ts says. The last line counts both.
 */
import { existsSync, statfsSync } from 'node:fs'
import { run } from 'node:test'
import { fileURLToPath } from 'node:url'
import { bundle } from './support/bundles.ts'
import { openPostgresServer } from './support/postgres.ts'
import report from './support/reporter.ts'
import { allTests, namedTests, quickTests } from './which.ts'

type Count = { passed: number; failed: number }

// Each file is a process of its own, and would compile everything anew: half a second each.
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(
  new URL('../node_modules/.cache/compile', import.meta.url),
)

// Disks are slow beside memory. The tests of what survives are about killed processes, not power cuts.
const memoryDisk = '/dev/shm'
if (freeBytes(memoryDisk) > 4e9) process.env['TMPDIR'] ??= memoryDisk

/** More than there are cores, mostly: many tests wait for something. */
const atOnce = { sqlite: 4, postgres: 2 }

const named = process.argv.slice(2)
const isQuick = named[0] === '--quick'
const tests = isQuick ? quickTests() : named.length > 0 ? namedTests(named) : allTests()
// Side by side, so that no core waits for the last test of one engine. What the second has to say
// comes after the first.
const first = runFiles('sqlite', tests.onSqlite, (text) => process.stdout.write(text))
const later: string[] = []
const second = onPostgres((text) => later.push(text))
const sqlite = await first
const postgres = await second
process.stdout.write(later.join(''))
const failed = sqlite.failed + postgres.failed
process.stdout.write(`\n${sqlite.passed + postgres.passed} passed, ${failed} failed\n`)
process.exitCode = failed > 0 ? 1 : 0

function freeBytes(folder: string): number {
  if (!existsSync(folder)) return 0
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

async function onPostgres(tell: (text: string) => void): Promise<Count> {
  if (tests.onPostgres.length === 0) return { passed: 0, failed: 0 }
  const server = await openPostgresServer()
  try {
    return await runFiles('postgres', tests.onPostgres, tell, { TEST_PG_URL: server.url })
  } finally {
    await server.close()
  }
}

/** A run that ends without its count is a failure. */
async function runFiles(
  engine: keyof typeof atOnce,
  files: string[],
  tell: (text: string) => void,
  own = {},
): Promise<Count> {
  tell(`\non ${engine}:\n`)
  const env = { ...process.env, TEST_ENGINE: engine, ...own }
  const running = run({ files: bundle(engine, files), concurrency: atOnce[engine], env })
  let told = ''
  for await (const text of report(running)) {
    tell(text)
    told = (told + text).slice(-100)
  }
  const [, passed = '0', unwell = '1'] = /(\d+) passed, (\d+) failed\s*$/.exec(told) ?? []
  return { passed: Number(passed), failed: Number(unwell) }
}
