/** All documents for agents and crawlers, each with its path, type and headers. */
import { documents, type DocumentName, type DocumentRow } from '../contract/documents.ts'
import { html } from '../html.ts'
import type { Headers } from '../http/message.ts'
import { buildSite, type Site } from '../site/site.ts'
import { toYaml } from '../site/yaml.ts'
import { cardHeaders, describeServer, writeAiCatalog, writeApiCatalog } from './cards.ts'
import { serveCommand, writeCommandLine } from './consult.ts'
import { indexedPages, type Facts } from './facts.ts'
import { writeAuth, writeGuide, writeSkill, writeSkillIndex, writeWholeSite } from './guides.ts'
import { describeApi } from './openapi.ts'

type Document = {
  path: string
  type: string
  /** Written when the first client asks for it, because few ask; `anew`: for each request. */
  body: (() => string | Buffer) | { anew: (now: number) => string }
  /** In addition to Content-Type and Cache-Control. */
  headers: Headers
}

export type PublishedSite = Site & { documents: readonly Document[] }

export function readSite(...from: Parameters<typeof buildSite>): PublishedSite {
  const site = buildSite(...from)
  return { ...site, documents: [...writeDocuments(site), ...serveCommand(site)] }
}

export function writeDocuments(facts: Facts): Document[] {
  return (Object.keys(documents) as DocumentName[]).flatMap((name) => {
    const { path, type, also = [] }: DocumentRow = documents[name]
    const body =
      name === 'security'
        ? { anew: (now: number) => writeSecurity(facts, now) }
        : () => bodies[name](facts)
    const headers = { 'Access-Control-Allow-Origin': '*', ...moreHeaders[name]?.(facts) }
    return [path, ...also].map((each) => ({ path: each, type, body, headers }))
  })
}

const bodies: Record<Exclude<DocumentName, 'security'>, (facts: Facts) => string> = {
  llms: writeGuide,
  llmsFull: writeWholeSite,
  openapi: (facts) => writeJson(describeApi(facts)),
  openapiYaml: (facts) => toYaml(describeApi(facts)),
  mcpCard: (facts) => writeJson(describeServer(facts)),
  serverCard: (facts) => writeJson(describeServer(facts)),
  aiCatalog: (facts) => writeJson(writeAiCatalog(facts)),
  apiCatalog: (facts) => writeJson(writeApiCatalog(facts)),
  skills: (facts) => writeJson(writeSkillIndex(facts)),
  skill: writeSkill,
  cli: writeCommandLine,
  auth: writeAuth,
  sitemap: writeSitemap,
  robots: writeRobots,
}

const moreHeaders: Partial<Record<DocumentName, (facts: Facts) => Headers>> = {
  mcpCard: () => cardHeaders,
  serverCard: () => cardHeaders,
  // RFC 9727, section 2, asks for this header in the answer to HEAD.
  apiCatalog: ({ baseUrl }) => ({
    Link: `<${baseUrl}${documents.apiCatalog.path}>; rel="api-catalog"; type="application/linkset+json"`,
  }),
}

/** Compact, because programs read it; for people there is the YAML. */
function writeJson(value: object): string {
  return `${JSON.stringify(value)}\n`
}

function writeSitemap(facts: Facts): string {
  const urls = indexedPages(facts).map(
    ({ path, updated }) =>
      html`  <url><loc>${facts.baseUrl + path}</loc><lastmod>${updated}</lastmod></url>
`,
  )
  // The escapes that `html` makes are valid in XML, too.
  return html`<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${urls}</urlset>
`.text
}

/** Content-Signal says for which purposes crawlers may use what they read. */
function writeRobots({ baseUrl, business }: Facts): string {
  const { search, aiInput, aiTrain } = business.crawlers
  const said = (allowed: boolean) => (allowed ? 'yes' : 'no')
  return [
    `# For agents: site guide at ${baseUrl}${documents.llms.path}`,
    'User-agent: *',
    `Content-Signal: search=${said(search)}, ai-input=${said(aiInput)}, ai-train=${said(aiTrain)}`,
    'Allow: /',
    '',
    `Sitemap: ${baseUrl}${documents.sitemap.path}`,
    '',
  ].join('\n')
}

function writeSecurity({ baseUrl, business }: Facts, now: number): string {
  return [
    `Contact: mailto:${business.security.email}`,
    `Expires: ${expiry(now)}`,
    'Preferred-Languages: en',
    `Canonical: ${baseUrl}${documents.security.path}`,
    '',
  ].join('\n')
}

/** Within a year (RFC 9116, 2.5.5), on the first of a month, so that the ETag changes only once a month. */
function expiry(now: number): string {
  const today = new Date(now)
  return new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + 11)).toISOString()
}
