/** The Link header of a page: how an agent gets from it to its twin and to every way in (RFC 8288). */
import { documents, openapiType } from '../contract/documents.ts'
import { agentsPath } from '../contract/routes.ts'
import { twinPathOf } from './page.ts'

const everywhere = [
  toLink(documents.llms.path, 'describedby', documents.llms.type),
  toLink(documents.openapi.path, 'service-desc', openapiType),
  toLink(agentsPath, 'service-doc', 'text/html'),
  toLink(documents.apiCatalog.path, 'api-catalog', 'application/linkset+json'),
  toLink(documents.aiCatalog.path, 'ai-catalog', documents.aiCatalog.type),
]

/** `path`: of the page itself; `undefined` where it has none. */
export function linkHeader(baseUrl: string, path: string | undefined): string {
  if (path === undefined) return everywhere.join(', ')
  return [
    `<${baseUrl}${path}>; rel="canonical"`,
    toLink(twinPathOf(path), 'alternate', 'text/markdown'),
    ...everywhere,
  ].join(', ')
}

function toLink(path: string, relation: string, type: string): string {
  return `<${path}>; rel="${relation}"; type="${type}"`
}
