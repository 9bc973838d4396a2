/**
 * `npm test` runs all checks and tests. `npm test -- FILE…` runs the named files, `-t "part of a name"` the tests with
 * these words in their names, `--changed` what imports a file that differs from main, and `--quick` those for the inner
 * loop. test/store/ runs on SQLite and on PostgreSQL. The last line counts what passed and failed.
 */
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { checks, runChecks, tell } from './check.ts'
import { removeBundles, toParts } from './support/bundles.ts'
import { whyNoBrowser } from './support/chromium.ts'
import { print, runParts, tellSlow } from './support/run-files.ts'
import {
  allTests,
  changedTests,
  namedTests,
  needsBrowser,
  NoSuchTest,
  quickTests,
  testsWithWords,
  type Tests,
} from './which.ts'

const { values: asked, positionals: files } = parseArgs({
  allowPositionals: true,
  options: {
    test: { type: 'string', short: 't' },
    changed: { type: 'boolean' },
    quick: { type: 'boolean' },
  },
})

/** More processes than cores, because most tests wait for something. Two more slow down each, and end no sooner. */
const atOnce = availableParallelism() + 2

/** Two threads of a check take a quarter more CPU than one, and the tests leave no core free for the second. */
const besideTests = { GOMAXPROCS: '1' }

function chooseTests(): Tests {
  if (files.length > 0) return namedTests(files)
  if (asked.test !== undefined) return testsWithWords(asked.test)
  if (asked.changed) return changedTests()
  return asked.quick ? quickTests() : allTests()
}

function chooseChecks(): readonly string[] {
  if (files.length > 0 || asked.test !== undefined || asked.changed) return []
  return asked.quick ? checks.quick : checks.all
}

async function runTests(tests: Tests): Promise<{ passed: number; failed: number }> {
  // npm has no browser for every machine. A test that needs one fails only where there is one.
  const why = tests.onSqlite.some(needsBrowser) ? whyNoBrowser() : undefined
  const notRun = why === undefined ? [] : tests.onSqlite.filter(needsBrowser)
  const onSqlite = tests.onSqlite.filter((file) => !notRun.includes(file))
  const commands = chooseChecks()
  const parts = toParts({ onSqlite, onPostgres: tests.onPostgres })
  const [count, findings] = await Promise.all([
    runParts(parts, { atOnce, words: asked.test }),
    runChecks(commands, besideTests),
  ])
  print(tell(findings))
  for (const file of notRun) print(`NOT RUN ${file}: ${why}\n`)
  print(tellSlow(count.slow))
  return {
    passed: count.passed + commands.length - findings.length,
    failed: count.failed + findings.length,
  }
}

try {
  const { passed, failed } = await runTests(chooseTests())
  print(`\n${passed} passed, ${failed} failed\n`)
  // A run without a test is no success.
  process.exitCode = failed > 0 || passed === 0 ? 1 : 0
} catch (error) {
  if (!(error instanceof NoSuchTest)) throw error
  print(`${error.message}\n`)
  process.exitCode = 1
} finally {
  removeBundles()
}
