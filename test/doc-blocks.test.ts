/** Every block of the documents is run, or checked as far as that goes without the rest of the world. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import test from 'node:test'
import {
  checks,
  notInstalled,
  runBy,
  docFiles,
  readBlocks,
  readInlineCode,
  type Block,
  findUnknown,
} from './support/doc-checks.ts'

const blocks = docFiles.flatMap(readBlocks)
const whereIs = ({ file, line }: Block) => `${file}:${line}`

test('every block of the documents has a kind with a known fate', (t) => {
  const strangers = blocks.filter(({ kind }) => !(kind in runBy) && !(kind in checks))
  assert.deepEqual(
    strangers.map((block) => `${whereIs(block)}: "${block.kind}"`),
    [],
  )
  for (const file of Object.values(runBy)) assert.ok(existsSync(file), file)
  const count = Map.groupBy(blocks, ({ kind }) => (kind in runBy ? 'run' : 'checked'))
  const kinds = Object.entries(Object.groupBy(blocks, ({ kind }) => kind))
  assert.ok(count.get('run')!.length > 20 && count.get('checked')!.length > 20)
  t.diagnostic(
    JSON.stringify({
      blocks: blocks.length,
      run: count.get('run')!.length,
      checked: count.get('checked')!.length,
      ...Object.fromEntries(kinds.map(([kind, all]) => [kind, all!.length])),
    }),
  )
})

test('blocks that are not run are right as far as can be told', (t) => {
  const problems = blocks.flatMap((block) =>
    (checks[block.kind]?.(block, t) ?? []).map((problem) => `${whereIs(block)}: ${problem}`),
  )
  assert.deepEqual(problems, [])
  if (notInstalled.size > 0) t.diagnostic(`not installed: ${[...notInstalled].join(', ')}`)
})

test('every command, option, script and file that a document tells people to use is there', () => {
  const typed = blocks.filter(({ kind }) => kind.startsWith('sh'))
  const inBlocks = typed.flatMap((block) =>
    findUnknown(block.text).map((found) => `${whereIs(block)}: ${found}`),
  )
  const inProse = docFiles.flatMap((file) =>
    readInlineCode(file)
      .flatMap(findUnknown)
      .map((found) => `${file}: ${found}`),
  )
  assert.deepEqual([...inBlocks, ...inProse], [])
})

test('every page of docs/ is in its index, and every link of a document leads somewhere', () => {
  const index = readFileSync('docs/README.md', 'utf8')
  const pages = docFiles.filter((file) => /^docs\/(?!README)/.test(file))
  assert.deepEqual(
    pages.filter((file) => !index.includes(`](${file.slice('docs/'.length)})`)),
    [],
  )
  assert.deepEqual(docFiles.flatMap(findDeadLinks), [])
})

function findDeadLinks(file: string): string[] {
  const folder = file.slice(0, file.lastIndexOf('/') + 1)
  const text = readFileSync(file, 'utf8').replaceAll(/^ *```[\s\S]*?^ *```$|`[^`\n]*`/gm, '')
  const links = [...text.matchAll(/\]\(([^)\s]+)\)|src="([^"]+)"/g)].map(
    ([, link, picture]) => link ?? picture!,
  )
  return links
    .filter((link) => !/^[a-z]+:/.test(link))
    .filter((link) => {
      const [path = '', anchor] = link.split('#')
      const target = path === '' ? file : `${folder}${path}`
      if (!existsSync(target)) return true
      return anchor !== undefined && !headingsOf(target).includes(anchor)
    })
    .map((link) => `${file}: ${link}`)
}

/** As forges name them. */
function headingsOf(file: string): string[] {
  return [...readFileSync(file, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )
}
