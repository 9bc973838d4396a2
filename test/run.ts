/**
 * Runs the checks and all tests, those that are named, or with --quick those for the inner loop: on SQLite, and on
 * PostgreSQL what test/which.ts says. The last line counts both.
 */
import { checks, runChecks } from './check.ts'
import { bundle } from './support/bundles.ts'
import { whyNoBrowser } from './support/chromium.ts'
import { print, runFiles } from './support/run-files.ts'
import { allTests, namedTests, needsBrowser, quickTests } from './which.ts'

const named = process.argv.slice(2)
const isQuick = named[0] === '--quick'
// Named tests run without the checks, those of `npm test` after them.
if (named.length === 0 || isQuick) {
  if (!runChecks(isQuick ? checks.quick : checks.all)) process.exit(1)
}
const tests = isQuick ? quickTests() : named.length > 0 ? namedTests(named) : allTests()
// npm has no browser for every machine. A test that needs one fails only where there is one.
const why = whyNoBrowser()
const notRun = why === undefined ? [] : tests.onSqlite.filter(needsBrowser)
const onSqlite = tests.onSqlite.filter((file) => !notRun.includes(file))
// Side by side, so that no core waits for the last test of one engine. What the second has to say
// comes after the first. More files at once than there are cores: many tests wait for something.
const first = runFiles('sqlite', bundle('sqlite', onSqlite), { concurrency: 4 })
const later: string[] = []
const second = runFiles('postgres', bundle('postgres', tests.onPostgres), {
  concurrency: 2,
  tell: (text) => later.push(text),
})
const sqlite = await first
const postgres = await second
print(later.join(''))
for (const file of notRun) print(`NOT RUN ${file}: ${why}\n`)
const passed = sqlite.passed + postgres.passed
const failed = sqlite.failed + postgres.failed
print(`\n${passed} passed, ${failed} failed\n`)
// A run without a test is no success.
process.exitCode = failed > 0 || passed === 0 ? 1 : 0
