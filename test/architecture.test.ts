import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { dirname, relative } from 'node:path'
import test from 'node:test'
import { localImports, packageImports, reachableFrom } from './support/imports.ts'

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
  ['metrics', 'window-counter', 'html', 'lazily', 'time', 'words'],
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

test('the list and the page of a request share files, but know nothing of each other', () => {
  const folders = ['src/doors/inbox/list/', 'src/doors/inbox/lead/']
  const folderOf = (file: string) => folders.find((folder) => file.startsWith(folder))
  const crossing = files.flatMap((file) =>
    localImports(file)
      .filter((target) => folderOf(file) && folderOf(target) && folderOf(file) !== folderOf(target))
      .map((target) => `${file} imports ${target}`),
  )
  assert.deepEqual(crossing, [])
})

test('no file imports itself through others, types included', () => {
  assert.deepEqual(
    files.filter((file) => reachableFrom(file).has(file)),
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

test('only config.ts reads settings from the environment, and only the store knows SQL', () => {
  const readers = files
    .filter((file) => readFileSync(file, 'utf8').includes('process.env'))
    .toSorted()
  // words.ts reads no setting, but how npm started the process.
  assert.deepEqual(readers, ['src/config.ts', 'src/words.ts'])
  const speakers = files.filter((file) =>
    /\b(?:select .* from|insert into|update \w+ set|pragma) /i.test(readFileSync(file, 'utf8')),
  )
  assert.deepEqual(
    speakers.filter((file) => roomOf(file) !== 'store'),
    [],
  )
})

test('a name that files import is declared in one file', () => {
  const code = files.filter((file) => file.endsWith('.ts'))
  const declared = code.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(declaration)].map(([, exported, name]) => {
      return { file, isExported: exported !== undefined, name: name! }
    }),
  )
  const doubled = [...Map.groupBy(declared, ({ name }) => name)]
    .filter(([, all]) => new Set(all.map(({ file }) => file)).size > 1)
    .filter(([, all]) => all.some(({ isExported }) => isExported))
  assert.deepEqual(
    doubled.map(([name, all]) => `${name}: ${all.map(({ file }) => file).join(', ')}`),
    [],
  )
})

const declaration = /^(export )?(?:async )?(?:function|const|type|class) (\w+)/gm

test('a folder has at most 25 files', () => {
  const folders = Map.groupBy(globSync('src/**/*.{ts,js,css,sql}'), (file) => dirname(file))
  assert.deepEqual(
    [...folders].filter(([, own]) => own.length > 25).map(([folder]) => folder),
    [],
  )
})

const widest = 120

test('a line has at most 120 columns, but for a sentence', () => {
  const programs = globSync([
    'src/**/*.{ts,js}',
    'test/**/*.{ts,js}',
    'bench/**/*.{ts,js}',
    'bin/*',
  ])
  const wide = programs.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line, index) => (isTooWide(line) ? [`${file}:${index + 1}`] : [])),
  )
  assert.deepEqual(wide, [])
})

test('a long line is a sentence only if its words make it long', () => {
  const words = 'A sentence that people read may be as long as it needs to be. '.repeat(3)
  const parts = '<b class="name">${first ? second : third}</b>'.repeat(4)
  for (const line of [`// ${words}`, `  note: '${words}',`, `<p class="small">${words}</p>`]) {
    assert.equal(isTooWide(line), false, line)
  }
  for (const line of [parts, `<p>${words}</p>${parts}`, `/${'(?:one|two)'.repeat(20)}/`]) {
    assert.equal(isTooWide(line), true, line)
  }
})

/** A line is too wide if it would be so without its longest sentence. */
function isTooWide(line: string): boolean {
  if (line.length <= widest) return false
  const isOneString = /^\s*(['"]).*\1,?$/.test(line)
  const pieces = isOneString ? [line] : line.split(notWords)
  const sentences = pieces.filter((piece) => /(?:\S+\s+){4}/.test(piece))
  return line.length - Math.max(0, ...sentences.map(({ length }) => length)) > widest
}

/** Markup, the ends of a template, conditions, and in a template any code but a name or a call. */
const notWords = /[<>]|(?<!\\)`|="| [?:=] |\$\{(?![\w.(),' -]*\})/

/** Files that may break a rule of the linter for now. The list only gets shorter. */
const mostExceptions = 0

test('the list of files that may break a rule of the linter does not grow', () => {
  const { overrides } = JSON.parse(readFileSync('.oxlintrc.json', 'utf8')) as {
    overrides: { files: string[] }[]
  }
  const sources = overrides.flatMap((one) => one.files).filter((file) => !file.includes('*'))
  assert.ok(sources.length <= mostExceptions, `${sources.length} files: ${sources.join(', ')}`)
})

/** People run clones: their databases were made by exactly these bytes. Changes go into a new migration. */
const firstMigration = {
  '0001-schema.sql': '03ba4ae61cc563872572bf79a1041c8b9317970263a86464e68ddf8214dcd95b',
  '0001-schema.postgres.sql': 'f380237a7514ff1b178f7d94203ca92ff4f426c601a1620a2b23b188f003d629',
  '0001-schema.sqlite.sql': '1db84831f7fd0ed7066fb8ff78fb0a1a4ccc7b0b9dc4bc9d21b1aa8470a8ffab',
}

test('the first migration is never edited', () => {
  for (const [file, hash] of Object.entries(firstMigration)) {
    const bytes = readFileSync(`src/store/engine/migrations/${file}`)
    assert.equal(createHash('sha256').update(bytes).digest('hex'), hash, file)
  }
})

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
