/** The documents for agents and crawlers: path, type and title of each. */

export type DocumentRow = {
  readonly path: string
  readonly type: string
  readonly title: string
  /** With it, the site guide lists the document. */
  readonly description?: string
  /** Other paths of the same document. */
  readonly also?: readonly string[]
}

const plain = 'text/plain; charset=utf-8'
const markdown = 'text/markdown; charset=utf-8'
const json = 'application/json'

export const documents = {
  llms: {
    path: '/llms.txt',
    also: ['/.well-known/llms.txt'],
    type: plain,
    title: 'Site guide for agents',
  },
  llmsFull: { path: '/llms-full.txt', type: plain, title: 'The whole site as one text' },
  openapi: {
    path: '/openapi.json',
    also: ['/api/openapi.json'],
    type: json,
    title: 'API description (OpenAPI 3.1)',
  },
  openapiYaml: {
    path: '/openapi.yaml',
    type: 'application/yaml',
    title: 'API description as YAML',
  },
  mcpCard: {
    path: '/.well-known/mcp.json',
    also: ['/.well-known/mcp/server-card.json'],
    type: json,
    title: 'MCP card',
  },
  serverCard: {
    path: '/mcp/server-card',
    type: 'application/mcp-server-card+json',
    title: 'MCP server card',
  },
  aiCatalog: {
    path: '/.well-known/ai-catalog.json',
    type: 'application/ai-catalog+json',
    title: 'AI catalog',
  },
  apiCatalog: {
    path: '/.well-known/api-catalog',
    type: 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
    title: 'API catalog',
  },
  skills: { path: '/.well-known/agent-skills/index.json', type: json, title: 'Agent skills' },
  skill: {
    path: '/.well-known/agent-skills/request-consultation/SKILL.md',
    type: markdown,
    title: 'Skill: request a Consultation',
    description: 'How an agent asks for a Consultation for a person, step by step.',
  },
  cli: {
    path: '/cli.md',
    type: markdown,
    title: 'Command-line tool',
    description: 'The staged command-line tool: look, draft, check, send.',
  },
  auth: {
    path: '/auth.md',
    also: ['/.well-known/auth.md'],
    type: markdown,
    title: 'Authentication',
    description: 'None is needed.',
  },
  sitemap: { path: '/sitemap.xml', type: 'application/xml', title: 'Sitemap' },
  robots: { path: '/robots.txt', type: plain, title: 'Robots rules' },
  security: { path: '/.well-known/security.txt', type: plain, title: 'Security contact' },
} as const satisfies Record<string, DocumentRow>

export const documentRows: readonly DocumentRow[] = Object.values(documents)

/** Only for links: the file itself is served as plain JSON, which more programs read. */
export const openapiType = 'application/vnd.oai.openapi+json;version=3.1'

export type DocumentName = keyof typeof documents
