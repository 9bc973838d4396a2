/**
 * Several short test files share a process: they load the same modules, and each would spend more on
 * that than on its tests. Files that start other programs stay apart, so that they run side by side.
 */
import { globSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const short = ['src/**/*.test.ts', 'test/*.test.ts', 'test/spec/*.test.ts']
/** They start servers of their own before their first test, or take as long as a bundle. */
const apart = [
  'test/start.test.ts',
  'test/spec/{postgres,spool}*.test.ts',
  'test/spec/sqlite.test.ts',
]
const bundles = 4

/** Begins with the files that stay apart. The bundles are plain JavaScript: Node reads no types below `node_modules`. */
export function bundle(files: readonly string[]): string[] {
  const left = new Set(globSync(apart))
  const isShort = new Set(globSync(short).filter((file) => !left.has(file)))
  const together = files.filter((file) => isShort.has(file))
  if (together.length < 2 * bundles) return [...files]
  const folder = resolve('node_modules/.cache/tests')
  mkdirSync(folder, { recursive: true })
  const made = Array.from({ length: bundles }, (_, number) => {
    const path = join(folder, `bundle-${number}.mjs`)
    const own = together.filter((_file, index) => index % bundles === number)
    writeFileSync(path, own.map((file) => `await import('${resolve(file)}')\n`).join(''))
    return path
  })
  return [...files.filter((file) => !isShort.has(file)), ...made]
}
