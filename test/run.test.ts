import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import test from 'node:test'
import { removeBundles, toParts } from './support/bundles.ts'
import { testsImporting } from './which.ts'

const browserTest = 'test/process/browser-form.test.ts'
const otherTest = 'src/log.test.ts'

test('where there is no browser, its tests are named as not run, and neither pass nor fail', async () => {
  const { code, lines } = await runTests(browserTest, otherTest)
  assert.equal(code, 0)
  assert.match(lines.at(-1)!, /^[1-9]\d* passed, 0 failed$/)
  const notRun = lines.filter((line) => line.startsWith('NOT RUN '))
  assert.equal(notRun.length, 1)
  assert.match(notRun[0]!, /^NOT RUN test\/process\/browser-form\.test\.ts: there is no browser/)
  assert.match(notRun[0]!, /: apt-get install chromium-headless-shell fonts-liberation$/)
  const installs = 'install -y chromium-headless-shell fonts-liberation '
  assert.ok(readFileSync('.ci/run', 'utf8').includes(installs), 'CI installs the same')
})

test('a run in which nothing could be run does not end well', async () => {
  const { code, lines } = await runTests(browserTest)
  assert.deepEqual([code, lines.at(-1)], [1, '0 passed, 0 failed'])
})

test('a file that is not there gets a sentence, with those that may be meant', async () => {
  const { code, lines } = await runTests('check-fields')
  assert.deepEqual(
    [code, lines],
    [1, ['There is no file check-fields. Did you mean src/contract/check-fields.test.ts?']],
  )
})

test('one test is run by a part of its name, without its file', async () => {
  // These words stand in this file, too, which has no test of this name.
  const { code, lines } = await runTests('-t', 'told by name, code and place')
  assert.deepEqual([code, lines.at(-1)], [0, '1 passed, 0 failed'])
})

test('a run leaves the files of another run alone', async () => {
  const parts = toParts({ onSqlite: globSync('src/contract/*.test.ts'), onPostgres: [] })
  const before = parts.map(({ file }) => readFileSync(file, 'utf8'))
  await runTests(...globSync('src/http/{body,negotiate,cookies,router,client-address}.test.ts'))
  const now = parts.map(({ file }) => readFileSync(file, 'utf8'))
  assert.deepEqual(now, before)
  removeBundles()
})

test('what imports a changed file is run, and nothing else', () => {
  const { onSqlite, onPostgres } = testsImporting(['src/store/leads/search-text.ts'])
  assert.ok(onSqlite.includes('src/desk/search.test.ts'))
  assert.ok(onPostgres.includes('test/store/desk-search.test.ts'))
  assert.ok(!onSqlite.includes('src/http/negotiate.test.ts'))
  assert.throws(() => testsImporting(['LICENSE']), /^Error: No test imports a file that differs/)
})

type Run = { code: number; lines: string[] }

function runTests(...files: string[]): Promise<Run> {
  // Node's test runner sets NODE_TEST_CONTEXT, and runs nothing within a run of its own.
  const { NODE_TEST_CONTEXT: _, ...inherited } = process.env
  const env = { ...inherited, TEST_ENGINE: 'sqlite', CHROMIUM_PATH: '/nowhere/chromium' }
  return new Promise((resolve) => {
    execFile(process.execPath, ['test/run.ts', ...files], { env }, (error, out) => {
      const code = error === null ? 0 : Number(error.code)
      resolve({ code, lines: out.trimEnd().split('\n') })
    })
  })
}
