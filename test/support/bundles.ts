/**
 * Several test files share a process: they load the same modules, and each would spend more on that than on its tests.
 * Those with a browser share it, and the site. Files that start other programs stay apart, so that they run side by side.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, matchesGlob, resolve } from 'node:path'
import { needsBrowser } from '../which.ts'

const short = [
  'src/**/*.test.ts',
  'test/*.test.ts',
  'test/{app,store,support}/*.test.ts',
  'test/process/{agents,consult,delivery,naughty,raw}-*.test.ts',
]
const bundles = 2
/** Takes as long as all others with a browser, so it has a browser of its own. */
const longest = 'test/process/browser-inbox.test.ts'

/** Begins with the longest, so that the short ones fill the gaps at the end. */
export function bundle(engine: string, files: readonly string[]): string[] {
  const inBrowser = files.filter((file) => needsBrowser(file) && file !== longest)
  const together = files.filter((file) => short.some((pattern) => matchesGlob(file, pattern)))
  if (together.length < 2 * bundles) return [...files]
  const bundled = new Set([longest, ...inBrowser, ...together])
  const shares = Array.from({ length: bundles }, (_, number) =>
    together.filter((_file, index) => index % bundles === number),
  )
  return [
    ...files.filter((file) => file === longest),
    ...(inBrowser.length > 0 ? [write(`${engine}-browser`, inBrowser)] : []),
    ...shares.map((share, number) => write(`${engine}-${number}`, share)),
    ...files.filter((file) => !bundled.has(file)),
  ]
}

/**
 * Plain JavaScript: Node reads no types below `node_modules`. No test begins before all files are
 * loaded: when those known so far have ended, Node closes what `after` closes.
 */
function write(name: string, files: readonly string[]): string {
  const folder = resolve('node_modules/.cache/tests')
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
