/** The cards of the MCP endpoint. */
import { agentsPath, routes } from '../contract/routes.ts'
import { mcpServer, protocolVersions, toolsOf } from '../contract/tools.ts'
import type { Facts } from './facts.ts'

/** SEP-2127: identity and connection. The endpoint itself lists the tools. */
export function describeServer({ baseUrl }: Facts): object {
  const { title, version, description } = mcpServer
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json',
    name: `${toReverseDns(baseUrl)}/${mcpServer.name}`,
    version,
    title,
    description,
    websiteUrl: `${baseUrl}/`,
    icons: [{ src: `${baseUrl}/favicon.svg`, mimeType: 'image/svg+xml', sizes: ['any'] }],
    remotes: [
      {
        type: 'streamable-http',
        url: baseUrl + routes.mcp.path,
        supportedProtocolVersions: protocolVersions,
      },
    ],
  }
}

/** The same, with the members of the older SEP-1649. What a tool gives back is in `tools/list` only. */
export function describeServerInFull(facts: Facts): object {
  const { name, title, version, instructions, capabilities } = mcpServer
  return {
    ...describeServer(facts),
    protocolVersion: protocolVersions[0],
    serverInfo: { name, title, version },
    documentationUrl: facts.baseUrl + agentsPath,
    transport: { type: 'streamable-http', endpoint: facts.baseUrl + routes.mcp.path },
    capabilities,
    authentication: { required: false, schemes: [] },
    instructions,
    tools: toolsOf(facts.business).map(({ outputSchema: _output, ...tool }) => tool),
  }
}

/** `https://www.example.com` becomes `com.example.www`; other characters become hyphens. */
function toReverseDns(baseUrl: string): string {
  const labels = new URL(baseUrl).hostname.split('.').toReversed()
  return labels.join('.').replaceAll(/[^a-zA-Z0-9.-]/g, '-')
}

/** Required by SEP-2127, for scripts of any site. */
export const cardHeaders = [
  'Access-Control-Allow-Methods',
  'GET',
  'Access-Control-Allow-Headers',
  'Content-Type, If-None-Match',
  'Access-Control-Expose-Headers',
  'ETag',
] as const
