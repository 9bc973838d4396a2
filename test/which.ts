/**
 * Which test files run, and on which engine: test/store/ on SQLite and on PostgreSQL, all others on
 * SQLite. Trials take minutes or other programs: test/trials/run.ts runs them.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { reachableFrom } from './support/imports.ts'

export type Tests = { onSqlite: string[]; onPostgres: string[] }

/** What was asked for is not there. The message is for the person who asked. */
export class NoSuchTest extends Error {}

export function allTests(): Tests {
  return onEngines(allFiles())
}

/** Tests of the inner loop call functions: they need no browser, no PostgreSQL and no other program. */
export function quickTests(): Tests {
  return { onSqlite: filesOf('{src/**,test/app}/*.test.ts'), onPostgres: [] }
}

export function namedTests(paths: readonly string[]): Tests {
  return onEngines(paths.map(findFile))
}

function findFile(path: string): string {
  const file = relative('.', path)
  if (existsSync(file)) return file
  const similar = allFiles().filter((one) => one.includes(file))
  const hint = similar.length > 0 ? ` Did you mean ${similar.join(', ')}?` : ''
  throw new NoSuchTest(`There is no file ${file}.${hint}`)
}

/** Files in which these words stand, because to load all files takes longer than to run one test. */
export function testsWithWords(words: string): Tests {
  const files = allFiles().filter((file) => readFileSync(file, 'utf8').includes(words))
  if (files.length > 0) return onEngines(files)
  throw new NoSuchTest(
    `No test file has the words "${words}". Words that a name is made of at run time are not found.`,
  )
}

/** A service that a test starts as a process is no import, so such tests run only if they differ themselves. */
export function changedTests(): Tests {
  return testsImporting([
    ...git('diff', '--name-only', '--relative', 'main'),
    ...git('ls-files', '--others', '--exclude-standard'),
  ])
}

export function testsImporting(paths: readonly string[]): Tests {
  const changed = new Set(paths)
  const files = allFiles().filter((file) => !changed.isDisjointFrom(reachableFrom(file).add(file)))
  if (files.length > 0) return onEngines(files)
  throw new NoSuchTest('No test imports a file that differs from main. "npm test" runs all.')
}

function git(...words: string[]): string[] {
  return execFileSync('git', words, { encoding: 'utf8' }).split('\n').filter(Boolean)
}

export function needsBrowser(file: string): boolean {
  return file.startsWith('test/process/browser-')
}

function allFiles(): string[] {
  return filesOf('{src/**,test,test/{app,process,store}}/*.test.ts')
}

function onEngines(files: string[]): Tests {
  return { onSqlite: files, onPostgres: files.filter((file) => file.startsWith('test/store/')) }
}

function filesOf(pattern: string): string[] {
  return globSync(pattern).sort()
}
