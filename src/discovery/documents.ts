/** Writes every document from the contract, the facts of the business and the pages. */
import { documents } from '../contract/documents.ts'
import type { DocumentName, DocumentRow } from '../contract/documents.ts'
import { toYaml } from '../site/yaml.ts'
import { writeAiCatalog } from './ai-catalog.ts'
import { apiCatalogLink, writeApiCatalog } from './api-catalog.ts'
import { describeWorkflows } from './arazzo.ts'
import { writeAuth } from './auth.ts'
import { writeCommandLine } from './consult.ts'
import type { Facts } from './facts.ts'
import { writeGuide, writeWholeSite } from './llms.ts'
import { cardHeaders, describeServer, describeServerInFull } from './mcp-card.ts'
import { writeJson } from './json-text.ts'
import { describeApi } from './openapi.ts'
import { writeRobots } from './robots.ts'
import { writeSecurity } from './security.ts'
import { writeSitemap, writeSitemapMarkdown } from './sitemap.ts'
import { writeSkill, writeSkillIndex } from './skills.ts'
import { describeWebhooks } from './webhooks.ts'

export type Document = {
  path: string
  type: string
  body: string | Buffer
  /** Name, value, name, value, …: besides Content-Type and Cache-Control. */
  headers: readonly string[]
}

/** One for each path. */
export function writeDocuments(facts: Facts): (Document & { body: string })[] {
  return (Object.keys(documents) as DocumentName[]).flatMap((name) => {
    const { path, type, also = [] }: DocumentRow = documents[name]
    const body = bodies[name](facts)
    const headers = [...anyOrigin, ...(moreHeaders[name]?.(facts) ?? [])]
    return [path, ...also].map((each) => ({ path: each, type, body, headers }))
  })
}

const bodies: Record<DocumentName, (facts: Facts) => string> = {
  llms: writeGuide,
  llmsFull: writeWholeSite,
  openapi: (facts) => writeJson(describeApi(facts)),
  openapiYaml: (facts) => toYaml(describeApi(facts)),
  arazzo: (facts) => toYaml(describeWorkflows(facts)),
  mcpCard: (facts) => writeJson(describeServerInFull(facts)),
  serverCard: (facts) => writeJson(describeServer(facts)),
  aiCatalog: (facts) => writeJson(writeAiCatalog(facts)),
  apiCatalog: (facts) => writeJson(writeApiCatalog(facts)),
  skills: (facts) => writeJson(writeSkillIndex(facts)),
  skill: writeSkill,
  cli: writeCommandLine,
  auth: writeAuth,
  sitemap: writeSitemap,
  sitemapMarkdown: writeSitemapMarkdown,
  robots: writeRobots,
  security: writeSecurity,
  webhooks: (facts) => writeJson(describeWebhooks(facts)),
}

const anyOrigin = ['Access-Control-Allow-Origin', '*']

const moreHeaders: Partial<Record<DocumentName, (facts: Facts) => readonly string[]>> = {
  mcpCard: () => cardHeaders,
  serverCard: () => cardHeaders,
  apiCatalog: (facts) => ['Link', apiCatalogLink(facts)],
}
