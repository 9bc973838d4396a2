/**
 * Which test files run, and on which engine. Everything in test/spec/ and test/stories/ runs on
 * SQLite and on PostgreSQL, except what is listed here.
 */
import { globSync } from 'node:fs'
import { relative } from 'node:path'

/** These start PostgreSQL servers of their own. */
const withOwnServer = [
  'test/spec/postgres*.test.ts',
  'test/spec/journal*.test.ts',
  'test/stories/migrate-engine.test.ts',
  'test/stories/nodes.test.ts',
  'test/stories/search-engines.test.ts',
]

/** These are about the database file. */
const ofTheFile = [
  'test/spec/sqlite.test.ts',
  'test/stories/bad-file.test.ts',
  'test/stories/database-file.test.ts',
  'test/stories/disk-full.test.ts',
]

/** These are about something that the engine has no part in. */
const withoutEngine = [
  'test/spec/browser-client.test.ts',
  'test/spec/client-type.test.ts',
  'test/spec/contact-page.test.ts',
  'test/spec/crawl.test.ts',
  'test/spec/delivery-mail-server.test.ts',
  'test/spec/delivery-recipes.test.ts',
  'test/spec/delivery-settings.test.ts',
  'test/spec/delivery-webhooks.test.ts',
  'test/spec/errors.test.ts',
  'test/spec/heartbeat.test.ts',
  'test/spec/inbox-routes.test.ts',
  'test/spec/judgement.test.ts',
  'test/spec/mcp-errors.test.ts',
  'test/spec/negotiation.test.ts',
  'test/spec/pictures.test.ts',
  'test/spec/rate-limits.test.ts',
  'test/spec/work.test.ts',
  'test/stories/delivery-hostile.test.ts',
  'test/stories/hostile-bodies.test.ts',
  'test/stories/log.test.ts',
  'test/stories/mixed-traffic.test.ts',
  'test/stories/packaged-proxies.test.ts',
  'test/stories/pipelining.test.ts',
  'test/stories/proxy.test.ts',
  'test/stories/raw-http.test.ts',
  'test/stories/slow-clients.test.ts',
]

/** They take minutes, or other programs: check:container, check:docs, check:supply, check:units. */
const onlyTrials = [
  'test/stories/container.test.ts',
  'test/stories/docs.test.ts',
  'test/stories/package.test.ts',
  'test/stories/units.test.ts',
]

/** They start many processes, and run on both engines only where they are named. */
const withProcesses = [
  'test/spec/backup-clock.test.ts',
  'test/spec/operator.test.ts',
  'test/stories/backup.test.ts',
  'test/stories/delivery-kill.test.ts',
  'test/stories/faults.test.ts',
  'test/stories/inbox-guessing.test.ts',
  'test/stories/new-field.test.ts',
  'test/stories/restart.test.ts',
  'test/stories/retry.test.ts',
  'test/stories/upgrade.test.ts',
]

const onBothEngines = ['test/spec/*.test.ts', 'test/stories/*.test.ts']
/** They take longest: begun first, they leave the short ones to fill the gaps at the end. */
const stories = 'test/stories/*.test.ts'
const quickly = ['src/**/*.test.ts', 'test/*.test.ts', 'test/{consult,spec}/*.test.ts']
/** This one packs and installs a package. */
const slowly = ['test/consult/package.test.ts']

export type Tests = { onSqlite: string[]; onPostgres: string[] }

export function allTests(): Tests {
  const trials = new Set(onlyTrials.flatMap(filesOf))
  const files = [...filesOf(stories), ...filesOf('{src,test}/**/*.test.ts')]
  const { onSqlite, onPostgres } = onEngines(
    [...new Set(files)].filter((file) => !trials.has(file)),
  )
  const once = new Set(withProcesses.flatMap(filesOf))
  return { onSqlite, onPostgres: onPostgres.filter((file) => !once.has(file)) }
}

export function namedTests(paths: readonly string[]): Tests {
  return onEngines(paths.map((path) => relative('.', path)))
}

/** For the inner loop: what needs no browser, no PostgreSQL and no other program. */
export function quickTests(): Tests {
  const left = new Set([...withOwnServer, ...slowly].flatMap(filesOf))
  return { onSqlite: quickly.flatMap(filesOf).filter((file) => !left.has(file)), onPostgres: [] }
}

function onEngines(files: string[]): Tests {
  const onOne = new Set(
    [...withOwnServer, ...ofTheFile, ...withoutEngine, ...onlyTrials].flatMap(filesOf),
  )
  const onBoth = new Set(onBothEngines.flatMap(filesOf).filter((file) => !onOne.has(file)))
  return { onSqlite: files, onPostgres: files.filter((file) => onBoth.has(file)) }
}

function filesOf(pattern: string): string[] {
  const files = globSync(pattern).sort()
  if (files.length === 0) throw new Error(`test/which.ts names ${pattern}, and there is none.`)
  return files
}
