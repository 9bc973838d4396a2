/**
 * Several test files share a process: they load the same modules, and each would spend more on that than on its tests.
 * Those with a browser share it, and the site.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, matchesGlob, resolve } from 'node:path'

/** A file belongs to the first kind that fits it. The longest begin, so that the short ones fill the gaps at the end. */
const kinds = [
  // This file takes as long as all others with a browser, so it has a browser of its own.
  { name: 'inbox', processes: 1, files: ['test/process/browser-inbox.test.ts'] },
  { name: 'browser', processes: 1, files: ['test/process/browser-*.test.ts'] },
  {
    name: 'working',
    processes: 2,
    files: [
      'src/**/*.test.ts',
      'test/*.test.ts',
      'test/{app,store}/*.test.ts',
      'test/process/{agents,consult,delivery,naughty,raw}-*.test.ts',
    ],
  },
  // These wait for other programs, so they share more processes.
  { name: 'waiting', processes: 3, files: ['test/process/*.test.ts'] },
]
/** Each run has its own, so that two runs at once lose no tests. */
const folder = resolve(`node_modules/.cache/tests/${process.pid}`)

export function removeBundles(): void {
  rmSync(folder, { recursive: true, force: true })
}

/** So few files run side by side, each in a process of its own. */
const few = 3

export function bundle(engine: string, files: readonly string[]): string[] {
  if (files.length <= few) return [...files]
  const left = new Set(files)
  const bundles = kinds.flatMap(({ name, processes, files: patterns }) => {
    const own = [...left].filter((file) => patterns.some((pattern) => matchesGlob(file, pattern)))
    for (const file of own) left.delete(file)
    return Array.from({ length: Math.min(processes, own.length) }, (_, number) => {
      const share = own.filter((_file, index) => index % processes === number)
      return write(`${engine}-${name}-${number}`, share)
    })
  })
  return [...bundles, ...left]
}

/**
 * Plain JavaScript: Node reads no types below `node_modules`. No test begins before all files are
 * loaded: when those known so far have ended, Node closes what `after` closes.
 */
function write(name: string, files: readonly string[]): string {
  mkdirSync(folder, { recursive: true })
  const path = join(folder, `${name}.mjs`)
  const lines = [
    `import { before } from 'node:test'`,
    `const loaded = Promise.withResolvers()`,
    `before(() => loaded.promise)`,
    ...files.map((file) => `await import('${resolve(file)}')`),
    `loaded.resolve()`,
  ]
  writeFileSync(path, `${lines.join('\n')}\n`)
  return path
}
