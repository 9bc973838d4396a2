/** The machine-readable cards: MCP server card, AI catalog and API catalog. */
import type { Business } from '../contract/business.ts'
import { documents, openapiType } from '../contract/documents.ts'
import { agentsPath, apiVersion, routes } from '../contract/routes.ts'
import { describedServer, mcpServer, protocolVersions, tools, toolsOf } from '../contract/tools.ts'
import { nounOf, wordsOf } from '../contract/wording.ts'
import type { Facts } from './facts.ts'
import { skillName } from './guides.ts'

/** The MCP card of SEP-2127, with the members of the older SEP-1649. */
export function describeServer({ baseUrl, business }: Facts): object {
  const { name, title, version, description, instructions, capabilities } =
    describedServer(business)
  const endpoint = baseUrl + routes.mcp.path
  // The schema of the card wants a name such as `com.example.www/NAME`.
  const reverseDns = hostIn(baseUrl).split('.').toReversed().join('.')
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json',
    name: `${reverseDns}/${name}`,
    version,
    title,
    description,
    websiteUrl: `${baseUrl}/`,
    icons: [{ src: `${baseUrl}/favicon.svg`, mimeType: 'image/svg+xml', sizes: ['any'] }],
    remotes: [
      { type: 'streamable-http', url: endpoint, supportedProtocolVersions: protocolVersions },
    ],
    protocolVersion: protocolVersions[0],
    serverInfo: { name, title, version },
    documentationUrl: baseUrl + agentsPath,
    transport: { type: 'streamable-http', endpoint },
    capabilities,
    authentication: { required: false, schemes: [] },
    instructions,
    tools: toolsOf(business).map(({ outputSchema: _output, ...tool }) => tool),
  }
}

function hostIn(baseUrl: string): string {
  return new URL(baseUrl).hostname.replaceAll(/[^a-zA-Z0-9.-]/g, '-')
}

/** SEP-2127 requires these headers. */
export const cardHeaders = {
  'Access-Control-Allow-Methods': 'GET',
  'Access-Control-Allow-Headers': 'Content-Type, If-None-Match',
  'Access-Control-Expose-Headers': 'ETag',
}

/** Leaves out the API, because an AI catalog has no type of entry for it. */
export function writeAiCatalog({ baseUrl, business }: Facts): object {
  const { region, state, trade, asksFor } = business
  const say = wordsOf(business)
  const server = describedServer(business)
  const shared = {
    tags: [...trade.nouns, nounOf(asksFor.one).toLowerCase(), ...(state ? [state] : [])],
    representativeQueries: [
      `${whoDoes(business)} in ${region}?`,
      `Ask ${business.name} for ${asksFor.one} about ${trade.about}.`,
    ],
    version: apiVersion,
  }
  return {
    specVersion: '1.0',
    host: {
      displayName: business.name,
      documentationUrl: baseUrl + agentsPath,
      logoUrl: `${baseUrl}/favicon.svg`,
    },
    entries: [
      {
        identifier: `urn:air:${hostIn(baseUrl)}:mcp:${mcpServer.name}`,
        displayName: `${business.name}: ${server.title}`,
        type: documents.serverCard.type,
        url: baseUrl + documents.serverCard.path,
        description: server.description,
        capabilities: Object.values(tools).map(({ name }) => name),
        ...shared,
      },
      {
        identifier: `urn:air:${hostIn(baseUrl)}:skill:${skillName}`,
        displayName: say(documents.skill.title),
        type: 'text/markdown; profile="urn:air:agent-skills"',
        url: baseUrl + documents.skill.path,
        description: say(documents.skill.description),
        ...shared,
      },
    ],
  }
}

function whoDoes(business: Business): string {
  const { is, what, verb: [, does = 'does'] = [] } = business.trade
  return what === undefined ? `Who is ${is}` : `Who ${does} ${what}`
}

/** RFC 9727: a set of links (RFC 9264) from each endpoint to its description. */
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
