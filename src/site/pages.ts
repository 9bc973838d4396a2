/** Reads content/pages: each file is a page and its twin. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Business } from '../contract/business.ts'
import { createBlocks } from './blocks.ts'
import { ContentFault, lineAt } from './fault.ts'
import type { Fault } from './fault.ts'
import { factsFor } from './facts.ts'
import { readHead } from './front-matter.ts'
import type { Head } from './front-matter.ts'
import { ownLinks, toTwinLinks } from './links.ts'
import { createRenderer } from './markdown.ts'
import type { Page } from './page.ts'
import { fillPlaceholders, findUnknown } from './placeholders.ts'
import type { PublicFiles } from './public-files.ts'
import type { Work } from './work.ts'

export type PageParts = {
  folder: string
  business: Business
  baseUrl: string
  work: Work
  files: PublicFiles
  /** Other paths that a page may link to. */
  otherPaths: ReadonlySet<string>
}

/** Pages that are shown in place of others. */
export const namesOfEverySite = { missing: '404', unsent: 'thanks-unsent' } as const

/** In order of the navigation. */
export function readPages(parts: PageParts): Page[] {
  const { folder, business, baseUrl, work, files, otherPaths } = parts
  const faults: Fault[] = []
  const heads = readHeads(folder, faults)
  const byPath = new Map(heads.map((head) => [head.path, head]))
  const facts = factsFor(business, baseUrl)
  const findBlock = createBlocks({ business, work, files, cardOf })
  const render = createRenderer({ findBlock, files })
  const rendered = heads.map((head) => {
    const words = fillPlaceholders(head.body.text, facts, findBlock, 'page')
    return { head, ...render(words) }
  })
  const anchorsOf = new Map(rendered.map(({ head, anchors }) => [head.path, anchors]))
  faults.push(...heads.flatMap(findWrongWords))
  if (faults.length > 0) throw new ContentFault(...faults)
  return rendered.map(({ head, html }) => {
    const twin = fillPlaceholders(head.body.text, facts, findBlock, 'twin')
    const markdown = toTwinLinks(twin, baseUrl, (path) => byPath.has(path)).trim()
    return { ...head, markdown: `${markdown}\n`, main: html }
  })

  function cardOf(name: string) {
    const head = heads.find((each) => each.name === name)
    const drawing = `/drawings/${name}.svg`
    const size = files.sizeOf(drawing)
    if (head === undefined || size === undefined) return undefined
    const { path, label, title, description } = head
    return { path, title: label ?? title, description, drawing, size }
  }

  function findWrongWords(head: Head): Fault[] {
    const { file, text, firstLine } = head.body
    const found = findUnknown(head.body, facts, findBlock)
    const add = (index: number, problem: string) =>
      found.push({ file, line: firstLine + lineAt(text, index) - 1, problem })
    const titles = [...text.matchAll(/^# /gm)]
    if (titles.length !== 1) add(titles[1]?.index ?? 0, 'must have exactly one # heading')
    for (const { path, anchor, index } of ownLinks(text)) {
      const target = path === '' ? head.path : path
      const isThere = byPath.has(target) || otherPaths.has(target) || files.has(target)
      if (!isThere) add(index, `the link to ${path} leads nowhere`)
      else if (anchor !== '' && !anchorsOf.get(target)?.includes(anchor)) {
        add(index, `there is no #${anchor} there`)
      }
    }
    return found
  }
}

const ownFolder = fileURLToPath(new URL('../../content/pages', import.meta.url))

/** A page that every site shows is the program's own where the content lacks it. */
function readHeads(folder: string, faults: Fault[]): Head[] {
  const names = globSync('*.md', { cwd: folder })
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
