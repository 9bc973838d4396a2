/** Every document: path, type and purpose. discovery/ writes them. */
export type DocumentRow = {
  readonly path: string
  readonly type: string
  readonly title: string
  readonly description: string
  /** Other paths of the same document. */
  readonly also?: readonly string[]
}

export const documents = {
  llms: {
    path: '/llms.txt',
    also: ['/.well-known/llms.txt'],
    type: 'text/plain; charset=utf-8',
    title: 'Site guide for agents',
    description: 'What this site is, when to use it, and where everything is.',
  },
  llmsFull: {
    path: '/llms-full.txt',
    type: 'text/plain; charset=utf-8',
    title: 'The whole site as one text',
    description: 'The site guide and every page in full.',
  },
  openapi: {
    path: '/openapi.json',
    also: ['/api/openapi.json'],
    type: 'application/json',
    title: 'API description (OpenAPI 3.1)',
    description: 'Every field, answer, error and limit of the API.',
  },
  openapiYaml: {
    path: '/openapi.yaml',
    type: 'application/yaml',
    title: 'API description as YAML',
    description: 'The same description as YAML.',
  },
  mcpCard: {
    path: '/.well-known/mcp.json',
    also: ['/.well-known/mcp/server-card.json'],
    type: 'application/json',
    title: 'MCP card',
    description: 'How to connect to the MCP endpoint, and the tools it has.',
  },
  serverCard: {
    path: '/mcp/server-card',
    type: 'application/mcp-server-card+json',
    title: 'MCP server card',
    description: 'The short card beside the endpoint itself.',
  },
  aiCatalog: {
    path: '/.well-known/ai-catalog.json',
    type: 'application/ai-catalog+json',
    title: 'AI catalog',
    description: 'The ways in for agents, as a catalog.',
  },
  apiCatalog: {
    path: '/.well-known/api-catalog',
    type: 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
    title: 'API catalog',
    description:
      'Links to the API, its description, its documentation and its health check (RFC 9727).',
  },
  skills: {
    path: '/.well-known/agent-skills/index.json',
    type: 'application/json',
    title: 'Agent skills',
    description: 'Index of the skills this site offers to agents.',
  },
  skill: {
    path: '/.well-known/agent-skills/request-consultation/SKILL.md',
    type: 'text/markdown; charset=utf-8',
    title: 'Skill: request a Consultation',
    description: 'How an agent asks for a Consultation for a person, step by step.',
  },
  cli: {
    path: '/cli.md',
    type: 'text/markdown; charset=utf-8',
    title: 'Command-line tool',
    description: 'The staged command-line tool: look, draft, check, send.',
  },
  auth: {
    path: '/auth.md',
    also: ['/.well-known/auth.md'],
    type: 'text/markdown; charset=utf-8',
    title: 'Authentication',
    description: 'None is needed.',
  },
  sitemap: {
    path: '/sitemap.xml',
    type: 'application/xml',
    title: 'Sitemap',
    description: 'Every indexable page.',
  },
  robots: {
    path: '/robots.txt',
    type: 'text/plain; charset=utf-8',
    title: 'Robots rules',
    description: 'What crawlers may read and do.',
  },
  security: {
    path: '/.well-known/security.txt',
    type: 'text/plain; charset=utf-8',
    title: 'Security contact',
    description: 'Where to report a weakness of this site.',
  },
} as const satisfies Record<string, DocumentRow>

export const documentRows: readonly DocumentRow[] = Object.values(documents)

/** Its registered type, for links. It is served as plain JSON, which more programs read. */
export const openapiType = 'application/vnd.oai.openapi+json;version=3.1'

export type DocumentName = keyof typeof documents
