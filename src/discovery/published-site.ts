/** Makes the whole site from content/ at each start: pages, documents and files. */
import { buildSite, type Site } from '../site/site.ts'
import { serveCommand } from './consult.ts'
import { writeDocuments, type Document } from './documents.ts'

export type PublishedSite = Site & { documents: readonly Document[] }

/** `now`, in ms, dates the documents. */
export type SiteSettings = { contentDir: string; baseUrl: string; now: number }

/** Throws a `ContentFault` that says what to change, and where. */
export function readSite({ contentDir, baseUrl, now }: SiteSettings): PublishedSite {
  const site = buildSite(contentDir, baseUrl)
  return { ...site, documents: [...writeDocuments({ ...site, now }), ...serveCommand(baseUrl)] }
}
