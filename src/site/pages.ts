/** Reads content/pages into pages and twins, and finds the mistakes in them. */
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Business } from '../contract/business.ts'
import { documentRows } from '../contract/documents.ts'
import { comePath, routes } from '../contract/routes.ts'
import { factsFor, createBlocks } from './blocks.ts'
import { createRenderer, fillPlaceholders, placeholder, type FilledFor } from './markdown.ts'
import { twinPathOf, type Page } from './page.ts'
import { filesIn, type PublicFiles } from './public-files.ts'
import { hasWork, workPath, type OwnWork } from './work.ts'
import {
  collect,
  check,
  ContentFault,
  findFaults,
  lineAt,
  matching,
  optional,
  shape,
  prose,
  type Fault,
  type Source,
} from './yaml.ts'

export type PageParts = {
  folder: string
  business: Business
  baseUrl: string
  work: OwnWork
  files: PublicFiles
}

const otherPaths = new Set<string>([
  ...documentRows.flatMap(({ path, also = [] }) => [path, ...also]),
  routes.lead.path,
  routes.mcp.path,
])

/** `unsent` is the thanks page for a browser that has no reference to show. */
export const namesOfEverySite = {
  missing: '404',
  unsent: 'thanks-unsent',
  come: comePath.slice(1, -1),
} as const

/** In the order of the navigation. There is a page for work only if there is some. */
export function readPages(parts: PageParts): Page[] {
  const { folder, business, baseUrl, work, files } = parts
  const faults: Fault[] = []
  const facts = factsFor(business, baseUrl)
  const heads = readHeads(folder, faults).map((head) => withFacts(head, facts, faults))
  const shown = heads.filter(({ path }) => path !== workPath || hasWork(work))
  const byPath = new Map(heads.map((head) => [head.path, head]))
  const navigation = shown.flatMap(({ path, label, description }) => {
    return label === undefined ? [] : { path, label, description }
  })
  const findBlock = createBlocks({ business, work, files, navigation, cardOf })
  const render = createRenderer(findBlock, files)
  faults.push(...heads.flatMap(findWrongWords))
  if (faults.length > 0) throw new ContentFault(...faults)
  return shown.map((head) => {
    const filled = (target: FilledFor) => fillPlaceholders(head.body.text, facts, findBlock, target)
    // A block may be empty, such as the list of jobs of a site that has none.
    const markdown = toTwinLinks(filled('twin'), baseUrl, addressOf)
      .replaceAll(/\n{3,}/g, '\n\n')
      .trim()
    const pictured = toTwinLinks(filled('pictured'), '', (path) => files.shownFor(path))
    return { ...head, markdown: `${markdown}\n`, pictured, main: () => render(filled('page')) }
  })

  /** In a twin, a link to a page leads to the page's twin, and a replaced drawing is the photo. */
  function addressOf(path: string): string {
    return byPath.has(path) ? twinPathOf(path) : files.shownFor(path)
  }

  function cardOf(name: string) {
    const head = heads.find((each) => each.name === name)
    const drawing = `/drawings/${name}.svg`
    if (head === undefined || !files.has(drawing)) return undefined
    const { path, label, title, description: text } = head
    return { path, title: label ?? title, text, image: files.picture(drawing) }
  }

  /** A card needs a page and its drawing. */
  function whyUnknown(unknown: string): string {
    const [, names = ''] = /^\{\{cards (.+)\}\}$/.exec(unknown) ?? []
    const name = names
      .split(',')
      .find((each) => cardOf(each.trim()) === undefined)
      ?.trim()
    if (!name) {
      const isBlock = findBlock(unknown.slice(2, -2), '') !== undefined
      return isBlock ? `${unknown} must be alone on its line` : `there is no placeholder ${unknown}`
    }
    const isPage = heads.some((head) => head.name === name)
    const lacking = isPage ? `drawing public/drawings/${name}.svg` : `page ${name}.md`
    return `{{cards}} names ${name}, but there is no ${lacking}`
  }

  function findWrongWords(head: PageFile): Fault[] {
    const { file, text, firstLine } = head.body
    const found: Fault[] = text.split('\n').flatMap((line, index) => {
      const left = fillPlaceholders(line, facts, findBlock, 'twin').match(placeholder) ?? []
      return left.map((unknown) => {
        return { file, line: firstLine + index, problem: whyUnknown(unknown) }
      })
    })
    const add = (index: number, problem: string) =>
      found.push({ file, line: firstLine + lineAt(text, index) - 1, problem })
    const titles = [...text.matchAll(/^# /gm)]
    if (titles.length !== 1) add(titles[1]?.index ?? 0, 'must have exactly one # heading')
    for (const { 1: target = '', index } of text.matchAll(link)) {
      const [path = ''] = target.split('#')
      const isThere = byPath.has(path) || otherPaths.has(path) || files.has(path)
      if (path.startsWith('/') && !isThere) add(index, `the link to ${path} leads nowhere`)
    }
    return found
  }
}

const ownFolder = fileURLToPath(new URL('../../content/pages', import.meta.url))

/** If the folder lacks a page of `namesOfEverySite`, the program's own page is read. */
function readHeads(folder: string, faults: Fault[]): PageFile[] {
  const names = filesIn(folder).filter((name) => /^[^./][^/]*\.md$/.test(name))
  const lacking = Object.values(namesOfEverySite)
    .map((name) => `${name}.md`)
    .filter((name) => !names.includes(name))
  const files = [
    ...names.map((name) => join(folder, name)),
    ...lacking.map((name) => join(ownFolder, name)),
  ]
  return files
    .map((file) => {
      const text = readFileSync(file, 'utf8').replaceAll('\r\n', '\n')
      return readHead(file, text, faults)
    })
    .sort((a, b) => a.order - b.order || a.name.localeCompare(b.name))
}

type PageFile = Omit<Page, 'markdown' | 'pictured' | 'main'> & {
  order: number
  head: string
  body: Source
}

const isRight = shape({
  title: prose,
  description: prose,
  updated: matching(/^\d{4}-\d{2}-\d{2}$/, 'must be a day such as 2026-11-15'),
  label: optional(prose),
  order: optional(check('must be a number', Number.isFinite)),
  indexed: () => [],
})

/** Adds mistakes to `faults`. A page without a head that can be read is there, so that links lead to it. */
function readHead(file: string, whole: string, faults: Fault[]): PageFile {
  const [head = '', yaml] = /^---\n([\s\S]*?\n)---\n/.exec(whole) ?? []
  const value = collect(faults, () => readEntries(file, yaml, faults)) ?? {}
  const words = (key: string) => (typeof value[key] === 'string' ? value[key] : '')
  const name = basename(file, '.md')
  return {
    name,
    path: name === 'index' ? '/' : `/${name}/`,
    title: words('title'),
    description: words('description'),
    updated: words('updated'),
    label: words('label') || undefined,
    order: typeof value['order'] === 'number' ? value['order'] : 100,
    indexed: value['indexed'] !== false,
    head,
    body: { file, text: whole.slice(head.length), firstLine: head.split('\n').length },
  }
}

/** Fills in the placeholders of title and description. A block has no place there. */
function withFacts(head: PageFile, facts: ReadonlyMap<string, string>, faults: Fault[]): PageFile {
  const filled = (words: string) => fillPlaceholders(words, facts, () => undefined, 'twin')
  const [title, description] = [filled(head.title), filled(head.description)]
  const { head: text, body } = head
  for (const unknown of `${title} ${description}`.match(placeholder) ?? []) {
    const line = lineAt(text, text.indexOf(unknown))
    faults.push({
      file: body.file,
      line,
      problem: `there is no placeholder ${unknown} in the head of a page`,
    })
  }
  return { ...head, title, description }
}

function readEntries(file: string, yaml: string | undefined, faults: Fault[]) {
  if (yaml === undefined) {
    const problem = 'must begin with its title and description between --- lines'
    throw new ContentFault({ file, line: 1, problem })
  }
  const found = findFaults({ file, text: yaml, firstLine: 2 }, isRight)
  faults.push(...found.faults)
  return found.value as Record<string, unknown> | null
}

const link = /\]\(([^)\s]+)\)/g

/** Links within the site become absolute. */
function toTwinLinks(text: string, baseUrl: string, addressOf: (path: string) => string): string {
  return text.replaceAll(link, (whole, target: string) => {
    if (!target.startsWith('/')) return whole
    const [path = '', anchor] = target.split('#')
    return `](${baseUrl}${addressOf(path)}${anchor === undefined ? '' : `#${anchor}`})`
  })
}
