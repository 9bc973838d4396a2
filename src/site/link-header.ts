/** The Link header of a page (RFC 8288): to its twin, the guides and the descriptions of the API. */
import { documents, openapiType } from '../contract/documents.ts'
import { agentsPath } from '../contract/routes.ts'
import { twinPathOf } from './page.ts'

const everywhere = [
  toLink(documents.llms.path, 'describedby'),
  toLink(documents.openapi.path, 'service-desc', openapiType),
  toLink(agentsPath, 'service-doc'),
  toLink(documents.apiCatalog.path, 'api-catalog'),
  toLink(documents.aiCatalog.path, 'ai-catalog'),
]

/** `path`: of the page; `undefined` if it has no public address. */
export function linkHeader(baseUrl: string, path: string | undefined): string {
  if (path === undefined) return everywhere.join(', ')
  return [
    `<${baseUrl}${path}>; rel="canonical"`,
    toLink(twinPathOf(path), 'alternate', 'text/markdown'),
    ...everywhere,
  ].join(', ')
}

/** No type where the relation implies it: node validates every character of every header. */
function toLink(path: string, relation: string, type?: string): string {
  const ofType = type === undefined ? '' : `; type="${type}"`
  return `<${path}>; rel="${relation}"${ofType}`
}
