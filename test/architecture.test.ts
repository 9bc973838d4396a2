import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { dirname, join, relative } from 'node:path'
import test from 'node:test'

/** Top first. A file imports from its own room and from lower floors, never up or sideways. */
const floors = [
  ['operator'],
  ['main'],
  ['app'],
  ['doors'],
  ['delivery', 'discovery', 'access', 'desk', 'backup'],
  ['site', 'lead'],
  ['store'],
  ['config'],
  ['setting-values'],
  ['http', 'contract', 'log'],
  ['metrics', 'html', 'time'],
]

const files = globSync('src/**/*.{ts,js}').filter((path) => !path.endsWith('.test.ts'))

test('imports go downhill only', () => {
  const uphill = files.flatMap((file) =>
    localImports(file)
      .filter((target) => !isAllowed(roomOf(file), roomOf(target)))
      .map((target) => `${file} imports ${target}`),
  )
  assert.deepEqual(uphill, [])
})

test('no file imports itself through others, types included', () => {
  const imports = new Map(files.map((file) => [file, localImports(file)]))
  const reachable = (from: string, seen = new Set<string>()): Set<string> => {
    for (const target of imports.get(from) ?? []) {
      if (!seen.has(target)) reachable(target, seen.add(target))
    }
    return seen
  }
  assert.deepEqual(
    files.filter((file) => reachable(file).has(file)),
    [],
  )
})

test('every file lies in a room of the house', () => {
  const rooms = new Set(floors.flat())
  assert.deepEqual(
    files.filter((file) => !rooms.has(roomOf(file))),
    [],
  )
})

test('the map in docs/developers/architecture.md has every room, on its floor', () => {
  const map = readFileSync('docs/developers/architecture.md', 'utf8').matchAll(
    /^\| (\w+) +\| `([\w-]+)/gm,
  )
  const told = [...map].map(([, floor, room]) => ({ floor: Number(floor), room: room! }))
  const folders = new Set(files.filter((file) => file.split('/').length > 2).map(roomOf))
  const rooms = told.map(({ room }) => room)
  assert.deepEqual(
    [...folders].filter((room) => !rooms.includes(room)),
    [],
  )
  for (const one of told.filter(({ floor }) => floor >= 0)) {
    for (const other of told.filter(({ floor }) => floor >= 0)) {
      const isHigher = floorOf(one.room) < floorOf(other.room)
      assert.equal(one.floor > other.floor, isHigher, `${one.room} and ${other.room}`)
    }
  }
})

test('each npm package is imported by one file', () => {
  const users = Map.groupBy(
    files.flatMap((file) => packageImports(file).map((name) => ({ name, file }))),
    ({ name }) => name,
  )
  const shared = [...users].filter(([, uses]) => new Set(uses.map(({ file }) => file)).size > 1)
  assert.deepEqual(
    shared.map(([name, uses]) => `${name}: ${uses.map(({ file }) => file).join(', ')}`),
    [],
  )
})

test('only config.ts reads the environment, and only the store knows SQL', () => {
  const readers = files
    .filter((file) => readFileSync(file, 'utf8').includes('process.env'))
    .toSorted()
  assert.deepEqual(readers, ['src/config.ts'])
  const speakers = files.filter((file) =>
    /\b(?:select .* from|insert into|update \w+ set|pragma) /i.test(readFileSync(file, 'utf8')),
  )
  assert.deepEqual(
    speakers.filter((file) => roomOf(file) !== 'store'),
    [],
  )
})

/** Lines of each room, without its tests; `src` is the files outside the rooms. What does not fit takes something out first. */
const budgets = {
  src: 975,
  contract: 1_275,
  http: 850,
  metrics: 75,
  store: 3_925,
  lead: 725,
  delivery: 2_300,
  access: 475,
  desk: 1_125,
  backup: 725,
  site: 1_700,
  discovery: 1_025,
  doors: 5_025,
  'doors/inbox': 3_400,
  operator: 1_425,
}

test('finished rooms keep their budgets', () => {
  for (const [room, budget] of Object.entries(budgets)) {
    const found = globSync(room === 'src' ? 'src/*.ts' : `src/${room}/**/*.ts`)
    const own = found.filter((file) => !file.endsWith('.test.ts'))
    assert.ok(
      linesOf(own) <= budget,
      `${room}: ${linesOf(own)} lines, at most ${budget}: take something out first`,
    )
  }
})

/** The totals: source without its tests, and tests with their support and trials. */
const most = { sourceLines: 21_500, sourceFiles: 250, testLines: 22_600 }

test('source and tests keep their totals', () => {
  const isTest = (file: string) => file.endsWith('.test.ts')
  const all = globSync('src/**/*.ts')
  const source = all.filter((file) => !isTest(file))
  const tests = [...globSync('test/**/*.ts'), ...all.filter(isTest)]
  assert.ok(source.length <= most.sourceFiles, `${source.length} files`)
  assert.ok(
    linesOf(source) <= most.sourceLines,
    `${linesOf(source)} lines of source, at most ${most.sourceLines}: take something out first`,
  )
  assert.ok(
    linesOf(tests) <= most.testLines,
    `${linesOf(tests)} lines of tests, at most ${most.testLines}: take something out first`,
  )
})

function linesOf(paths: readonly string[]): number {
  return paths.reduce((sum, path) => sum + readFileSync(path, 'utf8').split('\n').length - 1, 0)
}

test('there is no drawer for odds and ends', () => {
  const drawers = files.filter((file) => /\b(?:utils?|helpers?|misc|common)\b/i.test(file))
  assert.deepEqual(drawers, [])
})

function isAllowed(from: string, to: string): boolean {
  return from === to || floorOf(from) < floorOf(to)
}

function floorOf(room: string): number {
  return floors.findIndex((rooms) => rooms.includes(room))
}

function roomOf(path: string): string {
  return relative('src', path)
    .split('/')[0]!
    .replace(/\.[jt]s$/, '')
}

function specifiers(file: string): string[] {
  const source = readFileSync(file, 'utf8')
  return [...source.matchAll(/(?:from|import\(?)\s*'([^']+)'|new URL\('([^']+\.ts)'/g)].map(
    ([, imported, located]) => imported ?? `./${located}`,
  )
}

function localImports(file: string): string[] {
  return specifiers(file)
    .filter((name) => name.startsWith('.'))
    .map((name) => join(dirname(file), name))
}

function packageImports(file: string): string[] {
  return specifiers(file)
    .filter((name) => !name.startsWith('.') && !name.startsWith('node:'))
    .map((name) =>
      name
        .split('/')
        .slice(0, name.startsWith('@') ? 2 : 1)
        .join('/'),
    )
    .filter((name) => !builtinModules.includes(name))
}
