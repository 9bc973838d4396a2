/** The whole site, made from content/ at each start: pages, documents and files. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compactStyle, createSite, type Site } from '../site/site.ts'
import { readContent } from '../site/content.ts'
import { PublicFiles } from '../site/public-files.ts'
import { serveCommand } from './consult.ts'
import { writeDocuments, type Document } from './documents.ts'

export type PublishedSite = Site & { documents: readonly Document[] }

export type SiteSettings = {
  contentDir: string
  baseUrl: string
  /** Documents with a date are of this day, ms. */
  now: number
}

const publicFolder = fileURLToPath(new URL('../../public', import.meta.url))

/** Throws a `ContentFault` that says what to change, and where. */
export function readSite({ contentDir, baseUrl, now }: SiteSettings): PublishedSite {
  const files = new PublicFiles(publicFolder, contentDir)
  const content = readContent(contentDir, baseUrl, files)
  const ofProgram = readFileSync(join(publicFolder, 'site.css'), 'utf8')
  const style = compactStyle(`${ofProgram}\n${content.ownStyle}`)
  const { business, pages } = content
  return {
    ...createSite({ content, baseUrl, files: files.list, style }),
    documents: [...writeDocuments({ baseUrl, business, pages, now }), ...serveCommand(baseUrl)],
  }
}
