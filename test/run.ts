/**
 * Runs all tests, or those that are named: each file once, and once more on PostgreSQL where it
 * touches the store. The last line counts both.
 */
import { globSync, readFileSync } from 'node:fs'
import { run } from 'node:test'
import { fileURLToPath } from 'node:url'
import { openPostgresServer } from './support/postgres.ts'
import report from './support/reporter.ts'

type Count = { passed: number; failed: number }

// Each file is a process of its own: without what others compiled, that is half a second each.
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(
  new URL('../node_modules/.cache/compile', import.meta.url),
)

/** More than there are cores, mostly: many tests wait for something. */
const atOnce = 4

const named = process.argv.slice(2)
const all = globSync(['src/**/*.test.ts', 'test/**/*.test.ts'])
// Stories come first: they take longest, and at the end the short ones fill the gaps.
const files = named.length > 0 ? named : all.sort().toReversed()
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
  Object.assign(process.env, { TEST_ENGINE: engine, ...env })
  let told = ''
  for await (const text of report(run({ files: paths, concurrency: atOnce }))) {
    process.stdout.write(text)
    told = (told + text).slice(-100)
  }
  const [, passed = '0', unwell = '1'] = /(\d+) passed, (\d+) failed\s*$/.exec(told) ?? []
  return { passed: Number(passed), failed: Number(unwell) }
}
