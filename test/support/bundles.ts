/**
 * Several test files share a process: they load the same modules, and each would spend more on that than on its tests.
 * Those with a browser share it, and the site.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, matchesGlob, resolve } from 'node:path'
import type { Tests } from '../which.ts'
import type { Engine, Part } from './run-files.ts'

type Kind = { name: string; engine: Engine; processes: number; files: readonly string[] }

/** A process of computing tests keeps a core busy, and the programs that the tests start keep another. */
const forEachTwoCores = Math.max(1, Math.floor(availableParallelism() / 2))

/** In the order in which they begin. A file belongs to the first kind that fits it. */
const kinds: readonly Kind[] = [
  // These wait for timeouts of the service most of their time.
  {
    name: 'timeouts',
    engine: 'sqlite',
    processes: 2,
    files: ['test/process/{backup-clock,data-folder,pipelining,slow-clients}.test.ts'],
  },
  { name: 'browser', engine: 'sqlite', processes: 1, files: ['test/process/browser-*.test.ts'] },
  {
    name: 'store',
    engine: 'postgres',
    processes: forEachTwoCores,
    files: ['test/store/*.test.ts'],
  },
  {
    name: 'processes',
    engine: 'sqlite',
    processes: forEachTwoCores,
    files: ['test/process/*.test.ts'],
  },
  {
    name: 'functions',
    engine: 'sqlite',
    processes: forEachTwoCores,
    files: ['src/**/*.test.ts', 'test/*.test.ts', 'test/{app,store}/*.test.ts'],
  },
]

/** Each run has its own, so that two runs at once lose no tests. */
const folder = resolve(`node_modules/.cache/tests/${process.pid}`)

export function removeBundles(): void {
  rmSync(folder, { recursive: true, force: true })
}

/** So few files run side by side, each in a process of its own. */
const few = 3

export function toParts({ onSqlite, onPostgres }: Tests): Part[] {
  const left = { sqlite: new Set(onSqlite), postgres: new Set(onPostgres) }
  const bundles =
    onSqlite.length > few ? kinds.flatMap((kind) => bundle(kind, left[kind.engine])) : []
  const single = (engine: Engine) => Array.from(left[engine], (file) => ({ engine, file }))
  return [...bundles, ...single('sqlite'), ...single('postgres')]
}

function bundle({ name, engine, processes, files: patterns }: Kind, left: Set<string>): Part[] {
  const own = [...left].filter((file) => patterns.some((pattern) => matchesGlob(file, pattern)))
  for (const file of own) left.delete(file)
  return Array.from({ length: Math.min(processes, own.length) }, (_, number) => {
    const share = own.filter((_file, index) => index % processes === number)
    return { engine, file: write(`${engine}-${name}-${number}`, share) }
  })
}

/**
 * Plain JavaScript: Node reads no types below `node_modules`. No test begins before all files are
 * loaded: when those known so far have ended, Node closes what `after` closes.
 */
function write(name: string, files: readonly string[]): string {
  mkdirSync(folder, { recursive: true })
  const path = join(folder, `${name}.mjs`)
  const lines = [
    `import '${resolve('bin/own-imports.js')}'`,
    `import '${resolve('test/support/untracked-promises.ts')}'`,
    // A static import would load node:test before the two files above.
    `const { before } = await import('node:test')`,
    `const loaded = Promise.withResolvers()`,
    `before(() => loaded.promise)`,
    ...files.map((file) => `await import('${resolve(file)}')`),
    `loaded.resolve()`,
  ]
  writeFileSync(path, `${lines.join('\n')}\n`)
  return path
}
