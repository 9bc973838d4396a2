/** Finds the site with all its documents: made from content/, or read from the cache of an earlier start. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Business } from '../contract/business.ts'
import { Html } from '../html.ts'
import type { CompressedBodies } from '../http/resource.ts'
import type { ReportFailure } from '../log.ts'
import { cacheKey, openBuildCache } from '../site/build-cache.ts'
import type { BuildCache } from '../site/build-cache.ts'
import { compactStyle } from '../site/compact-style.ts'
import type { Content } from '../site/content.ts'
import { readPublicFiles } from '../site/public-files.ts'
import type { Site } from '../site/site.ts'
import type { Document } from './documents.ts'

export type PublishedSite = Site & {
  documents: readonly Document[]
  compressed: BuildCache<CompressedBodies>
}

export type SiteSettings = {
  contentDir: string
  cacheDir: string
  baseUrl: string
  /** ms */
  now: number
  reportFailure?: ReportFailure
}

type Words = { content: Content; documents: Document[] }
/** What a start needs before the site. */
type Known = Pick<Content, 'business' | 'warnings'>

const publicFolder = fileURLToPath(new URL('../../public', import.meta.url))

/** The code that pages and documents are made by; a test compares it with the imports. */
export const makers = [
  new URL('../site', import.meta.url),
  new URL('../discovery', import.meta.url),
  new URL('../contract', import.meta.url),
  new URL('../durations.ts', import.meta.url),
  new URL('../html.ts', import.meta.url),
  new URL('../spelling.ts', import.meta.url),
].map((url) => fileURLToPath(url))
/** They name the versions of the libraries that pages are made with. The package has no lock file. */
const versionFiles = ['../../package.json', '../../package-lock.json']
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .filter((path) => existsSync(path))

export type FoundSite = {
  /** Known at once: it says who is told of leads. */
  business: Business
  /** What the owner should look at in his content. */
  warnings: readonly string[]
  openSite: () => Promise<PublishedSite>
}

/** Reads the content if it is new. Throws a `ContentFault` that says what to change, and where. */
export async function findSite(settings: SiteSettings): Promise<FoundSite> {
  const { contentDir, cacheDir, baseUrl, now, reportFailure = () => {} } = settings
  const folder = join(cacheDir, 'site')
  const inputs = [contentDir, publicFolder, ...makers, ...versionFiles]
  const key = cacheKey(inputs, [baseUrl, dayOf(now)])
  const wordsCache = openBuildCache<Words>(folder, `words-${key}`, reportFailure)
  const knownCache = openBuildCache<Known>(folder, `known-${key}`, reportFailure)
  const writeAnew = async () => {
    const words = await writeWords(settings)
    wordsCache.write(words)
    knownCache.write(toKnown(words))
    return words
  }
  const cached = wordsCache.has() ? knownCache.read() : undefined
  const { business, warnings } = cached ?? toKnown(await writeAnew())
  const openSite = async () => {
    const { content, documents } = revive(wordsCache.read()) ?? (await writeAnew())
    const { createSite } = await import('../site/site.ts')
    const ofProgram = readFileSync(join(publicFolder, 'site.css'), 'utf8')
    const style = compactStyle(`${ofProgram}\n${content.ownStyle}`)
    const files = readPublicFiles(publicFolder, contentDir).list
    const site = createSite({ content, baseUrl, files, style })
    const compressed = openBuildCache<CompressedBodies>(folder, `compressed-${key}`, reportFailure)
    return { ...site, documents, compressed }
  }
  return { business, warnings, openSite }
}

function toKnown({ content: { business, warnings } }: Words): Known {
  return { business, warnings }
}

/** Documents with a date are written anew each day. A number, because formatting dates loads megabytes. */
function dayOf(ms: number): string {
  return String(Math.floor(ms / (24 * 60 * 60 * 1000)))
}

/** Loads YAML and Markdown, which a start from the cache does without. */
/** Reads the content without a cache. Throws a `ContentFault`. */
export async function readContentAnew(contentDir: string, baseUrl: string): Promise<Content> {
  const { readContent } = await import('../site/content.ts')
  return readContent(contentDir, baseUrl, readPublicFiles(publicFolder, contentDir))
}

async function writeWords(settings: SiteSettings): Promise<Words> {
  const { writeDocuments } = await import('./documents.ts')
  const { contentDir, baseUrl, now } = settings
  const content = await readContentAnew(contentDir, baseUrl)
  const { business, pages } = content
  return { content, documents: writeDocuments({ baseUrl, business, pages, now }) }
}

/** A class does not survive the cache. */
function revive(words: Words | undefined): Words | undefined {
  if (words === undefined) return undefined
  const revivePage = (page: Content['missing']) => ({ ...page, main: new Html(page.main.text) })
  const { pages, missing, unsent } = words.content
  const content = {
    ...words.content,
    pages: pages.map(revivePage),
    missing: revivePage(missing),
    unsent: revivePage(unsent),
  }
  return { content, documents: words.documents }
}
