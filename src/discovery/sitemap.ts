/** sitemap.xml and sitemap.md: every indexed page. */
import { html } from '../html.ts'
import { indexedPages } from './facts.ts'
import type { Facts } from './facts.ts'
import { pageList } from './guide-parts.ts'

export function writeSitemap(facts: Facts): string {
  const urls = indexedPages(facts).map(
    ({ path, updated }) =>
      html`  <url><loc>${facts.baseUrl + path}</loc><lastmod>${updated}</lastmod></url>
`,
  )
  // The escapes of HTML are valid in XML too.
  return html`<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${urls}</urlset>
`.text
}

export function writeSitemapMarkdown(facts: Facts): string {
  return `# Pages of ${facts.business.name}\n\n${pageList(facts)}\n`
}
