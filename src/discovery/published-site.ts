/** Makes the whole site from content/ at each start: pages, documents and files. */
import { buildSite, type Site } from '../site/site.ts'
import { serveCommand } from './consult.ts'
import { writeDocuments, type Document } from './documents.ts'

export type PublishedSite = Site & { documents: readonly Document[] }

export type SiteSettings = { contentDir: string; baseUrl: string }

/** Throws a `ContentFault` that says what to change, and where. */
export function readSite({ contentDir, baseUrl }: SiteSettings): PublishedSite {
  const site = buildSite(contentDir, baseUrl)
  return { ...site, documents: [...writeDocuments(site), ...serveCommand(baseUrl)] }
}
