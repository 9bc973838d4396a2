/**
 * Runs all tests, or those that are named: each file once, and once more on PostgreSQL where it
 * touches the store. The last line counts both.
 */
import { spawn } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { openPostgresServer } from './support/postgres.ts'

type Count = { passed: number; failed: number }

const compiled = fileURLToPath(new URL('../node_modules/.cache/compile', import.meta.url))
const named = process.argv.slice(2)
const files = named.length > 0 ? named : globSync(['src/**/*.test.ts', 'test/**/*.test.ts']).sort()
const onStore = files.filter((file) =>
  /from '[./]*support\/(app|engines|installation)\.ts'/.test(readFileSync(file, 'utf8')),
)

const sqlite = await runFiles('sqlite', files)
const postgres = onStore.length > 0 ? await onPostgres() : { passed: 0, failed: 0 }
const failed = sqlite.failed + postgres.failed
process.stdout.write(`\n${sqlite.passed + postgres.passed} passed, ${failed} failed\n`)
process.exitCode = failed > 0 ? 1 : 0

async function onPostgres(): Promise<Count> {
  const server = await openPostgresServer()
  try {
    return await runFiles('postgres', onStore, { TEST_PG_URL: server.url })
  } finally {
    await server.close()
  }
}

/** Counts as a failure where a run ends without telling its count. */
async function runFiles(engine: string, paths: string[], env = {}): Promise<Count> {
  process.stdout.write(`\non ${engine}:\n`)
  const child = spawn(
    process.execPath,
    ['--test', '--test-concurrency=3', '--test-reporter=./test/support/reporter.ts', ...paths],
    {
      // Each file is a process of its own: without what others compiled, that is half a second each.
      env: { NODE_COMPILE_CACHE: compiled, ...process.env, TEST_ENGINE: engine, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  let told = ''
  for await (const chunk of child.stdout) {
    process.stdout.write(chunk as Buffer)
    told = (told + (chunk as Buffer).toString()).slice(-100)
  }
  const [, passed = '0', unwell = '1'] = /(\d+) passed, (\d+) failed\s*$/.exec(told) ?? []
  return { passed: Number(passed), failed: Number(unwell) }
}
