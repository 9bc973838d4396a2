/**
 * Which test files run, and on which engine: test/store/ on SQLite and on PostgreSQL, all others on
 * SQLite. Trials take minutes or other programs: test/trials/run.ts runs them.
 */
import { globSync } from 'node:fs'
import { relative } from 'node:path'

export type Tests = { onSqlite: string[]; onPostgres: string[] }

export function allTests(): Tests {
  // Tests with processes take longest: begun first, they leave the short ones to fill the gaps.
  const waiting = filesOf('test/process/{pipelining,nodes,data-folder,slow-clients}.test.ts')
  const others = filesOf('test/process/*.test.ts').filter((file) => !waiting.includes(file))
  return onEngines([...waiting, ...others, ...quickFiles()])
}

export function namedTests(paths: readonly string[]): Tests {
  return onEngines(paths.map((path) => relative('.', path)))
}

export function needsBrowser(file: string): boolean {
  return file.startsWith('test/process/browser-')
}

/** Tests of the inner loop need no browser, no PostgreSQL and no other program. */
export function quickTests(): Tests {
  return { onSqlite: quickFiles(), onPostgres: [] }
}

function quickFiles(): string[] {
  return filesOf('{src/**,test,test/{app,store,support}}/*.test.ts')
}

function onEngines(files: string[]): Tests {
  return { onSqlite: files, onPostgres: files.filter((file) => file.startsWith('test/store/')) }
}

function filesOf(pattern: string): string[] {
  return globSync(pattern).sort()
}
