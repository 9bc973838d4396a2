/**
 * How large the house is: lines of code by room, words by page. `npm run check` prints it, so that growth is seen and
 * asked for its reason. Nothing here is a limit.
 */
import { globSync, readFileSync } from 'node:fs'

/** Lines of code in `src/` and `public/`, without tests, comments, blank lines and style sheets. */
export function sizeOfHouse(): string {
  const programs = globSync(['src/**/*.{ts,js}', 'public/**/*.{js,mjs}'])
  const rooms = sumBy(
    programs.filter((file) => !file.endsWith('.test.ts')),
    roomOf,
    (text) => text.split('\n').filter((line) => !/^\s*(?:$|\/\/|\/\*|\*)/.test(line)).length,
  )
  const pages = sumBy(
    globSync(['docs/**/*.md', 'README.md', 'CONTRIBUTING.md']),
    (file) => (file.startsWith('docs/decisions/') ? 'decisions' : file),
    countWords,
  )
  return `\nlines of code: ${toLine(rooms)}\nwords of docs: ${toLine(pages)}\n`
}

/** Generated tables are not counted: nobody wrote their words. */
function countWords(page: string): number {
  const written = page.replaceAll(/<!-- (\w+): .*?-->.*?<!-- end of \1 -->/gs, '')
  return written.split(/\s+/).filter(Boolean).length
}

function roomOf(file: string): string {
  const [top, room, ...deeper] = file.split('/')
  return top === 'src' && deeper.length > 0 ? room! : top!
}

function sumBy(
  files: string[],
  nameOf: (file: string) => string,
  count: (text: string) => number,
): Map<string, number> {
  const sums = new Map<string, number>()
  for (const file of files) {
    const name = nameOf(file)
    sums.set(name, (sums.get(name) ?? 0) + count(readFileSync(file, 'utf8')))
  }
  return sums
}

function toLine(sums: Map<string, number>): string {
  const total = [...sums.values()].reduce((sum, size) => sum + size, 0)
  const parts = [...sums].toSorted(([, a], [, b]) => b - a).map(([name, size]) => `${name} ${size}`)
  return `${total} (${parts.join(', ')})`
}
