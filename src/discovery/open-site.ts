/** Finds the site with all its documents: made from content/, or recalled when nothing has changed. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Business } from '../contract/business.ts'
import { Html } from '../html.ts'
import type { Packed } from '../http/resource.ts'
import type { Content } from '../site/content.ts'
import { keyOf, openMemory } from '../site/build-cache.ts'
import type { Memory } from '../site/build-cache.ts'
import { readPublicFiles } from '../site/public-files.ts'
import type { Site } from '../site/site.ts'
import type { Document } from './documents.ts'

export type PublishedSite = Site & {
  documents: readonly Document[]
  /** What all this is when compressed. */
  packed: Memory<Packed>
}

export type SiteSettings = {
  contentDir: string
  baseUrl: string
  /** ms */
  now: number
}

type Words = { content: Content; documents: Document[] }

const publicFolder = fileURLToPath(new URL('../../public', import.meta.url))
/** A change in any of these may change what is said. */
const makers = ['../site', '../discovery', '../contract'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
)

export type FoundSite = {
  /** Known at once: it says who is told of leads. */
  business: Business
  openSite: () => Promise<PublishedSite>
}

/** Reads the words where they are new, and throws a `ContentFault` that says what to mend, and where. */
export async function findSite(settings: SiteSettings): Promise<FoundSite> {
  const { contentDir, baseUrl, now } = settings
  const key = keyOf([contentDir, publicFolder, ...makers], [baseUrl, dayOf(now)])
  const memory = openMemory<Words>(`words-${key}`)
  const facts = openMemory<Business>(`business-${key}`)
  const writeAnew = async () => {
    const words = await writeWords(settings)
    memory.keep(words)
    facts.keep(words.content.business)
    return words
  }
  const recalled = memory.has() ? facts.recall() : undefined
  const business = recalled ?? (await writeAnew()).content.business
  const openSite = async () => {
    const { content, documents } = revive(memory.recall()) ?? (await writeAnew())
    const { createSite } = await import('../site/site.ts')
    const style = readFileSync(join(publicFolder, 'site.css'), 'utf8')
    const files = readPublicFiles(publicFolder).list
    const site = createSite({ content, baseUrl, files, style })
    return { ...site, documents, packed: openMemory<Packed>(`packed-${key}`) }
  }
  return { business, openSite }
}

/** Documents with a date are written anew each day. A number, since a calendar takes megabytes. */
function dayOf(ms: number): string {
  return String(Math.floor(ms / (24 * 60 * 60 * 1000)))
}

/** Loaded only here, so that a start with nothing new does without YAML and Markdown. */
async function writeWords(settings: SiteSettings): Promise<Words> {
  const { readContent } = await import('../site/content.ts')
  const { writeDocuments } = await import('./documents.ts')
  const { contentDir, baseUrl, now } = settings
  const content = readContent(contentDir, baseUrl, readPublicFiles(publicFolder))
  const { business, pages } = content
  return { content, documents: writeDocuments({ baseUrl, business, pages, now }) }
}

function revive(words: Words | undefined): Words | undefined {
  if (words === undefined) return undefined
  const revivePage = (page: Content['missing']) => ({ ...page, main: new Html(page.main.text) })
  const { business, pages, missing } = words.content
  const content = { business, pages: pages.map(revivePage), missing: revivePage(missing) }
  return { content, documents: words.documents }
}
