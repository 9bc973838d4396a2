import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import test from 'node:test'
import {
  checks,
  docFiles,
  readBlocks,
  readInlineCode,
  type Block,
  findUnknown,
} from './support/doc-checks.ts'

const blocks = docFiles.flatMap(readBlocks)
const whereIs = ({ file, line }: Block) => `${file}:${line}`

test('commands that are not run are sound, and settings exist', () => {
  const problems = blocks.flatMap((block) =>
    (checks[block.kind]?.(block) ?? []).map((problem) => `${whereIs(block)}: ${problem}`),
  )
  assert.deepEqual(problems, [])
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

/** Anchors, named like forges name them. */
function headingsOf(file: string): string[] {
  return [...readFileSync(file, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )
}
