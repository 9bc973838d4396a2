/** The Link header of a page: how an agent gets from it to its twin and to every way in (RFC 8288). */
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

/** `path`: of the page itself; `undefined` where it has none. */
export function linkHeader(baseUrl: string, path: string | undefined): string {
  if (path === undefined) return everywhere.join(', ')
  return [
    `<${baseUrl}${path}>; rel="canonical"`,
    toLink(twinPathOf(path), 'alternate', 'text/markdown'),
    ...everywhere,
  ].join(', ')
}

/** Without a type where the relation tells it: every answer carries this, and every letter is checked. */
function toLink(path: string, relation: string, type?: string): string {
  const told = type === undefined ? '' : `; type="${type}"`
  return `<${path}>; rel="${relation}"${told}`
}
