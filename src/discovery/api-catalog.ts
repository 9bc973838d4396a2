/** The API catalog (RFC 9727): links (RFC 9264) from each endpoint to its description. */
import { documents, openapiType } from '../contract/documents.ts'
import { agentsPath, routes } from '../contract/routes.ts'
import type { Facts } from './facts.ts'

export function writeApiCatalog({ baseUrl }: Facts): object {
  const lead = baseUrl + routes.lead.path
  const mcp = baseUrl + routes.mcp.path
  const guides = [
    { href: baseUrl + agentsPath, type: 'text/html' },
    { href: baseUrl + documents.llms.path, type: documents.llms.type },
  ]
  return {
    linkset: [
      { anchor: baseUrl + documents.apiCatalog.path, item: [{ href: lead }, { href: mcp }] },
      {
        anchor: lead,
        'service-desc': [
          { href: baseUrl + documents.openapi.path, type: openapiType },
          { href: baseUrl + documents.openapiYaml.path, type: documents.openapiYaml.type },
        ],
        'service-doc': guides,
        'service-meta': [{ href: baseUrl + documents.arazzo.path, type: documents.arazzo.type }],
        status: [{ href: lead, type: 'application/json' }],
      },
      {
        anchor: mcp,
        'service-desc': [
          { href: baseUrl + documents.serverCard.path, type: documents.serverCard.type },
        ],
        'service-doc': guides,
      },
    ],
  }
}

/** RFC 9727, 2: also part of the answer to HEAD. */
export function apiCatalogLink({ baseUrl }: Facts): string {
  return `<${baseUrl}${documents.apiCatalog.path}>; rel="api-catalog"; type="application/linkset+json"`
}
