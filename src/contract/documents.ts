/** The documents for agents and crawlers: path, type and title of each. */

export type DocumentRow = {
  readonly path: string
  readonly type: string
  readonly title: string
  /** Other paths of the same document. */
  readonly also?: readonly string[]
} & Guided

/**
 * Below which heading the site guide lists it, with a description; `undefined`: agents find it by a
 * document that is listed, or look for it by its name.
 */
type Guided =
  | { readonly guide: GuideHeading; readonly description: string }
  | { readonly guide: undefined }

export type GuideHeading = 'For agents' | 'Optional'

const plain = 'text/plain; charset=utf-8'
const markdown = 'text/markdown; charset=utf-8'
const json = 'application/json'

export const documents = {
  llms: {
    path: '/llms.txt',
    also: ['/.well-known/llms.txt'],
    type: plain,
    title: 'Site guide for agents',
    guide: undefined,
  },
  llmsFull: {
    path: '/llms-full.txt',
    type: plain,
    title: 'The whole site as one text',
    guide: undefined,
  },
  openapi: {
    path: '/openapi.json',
    also: ['/api/openapi.json'],
    type: json,
    title: 'API description (OpenAPI 3.1)',
    guide: undefined,
  },
  openapiYaml: {
    path: '/openapi.yaml',
    type: 'application/yaml',
    title: 'API description as YAML',
    guide: undefined,
  },
  mcpCard: {
    path: '/.well-known/mcp.json',
    also: ['/.well-known/mcp/server-card.json'],
    type: json,
    title: 'MCP card',
    guide: undefined,
  },
  serverCard: {
    path: '/mcp/server-card',
    type: 'application/mcp-server-card+json',
    title: 'MCP server card',
    guide: undefined,
  },
  aiCatalog: {
    path: '/.well-known/ai-catalog.json',
    type: 'application/ai-catalog+json',
    title: 'AI catalog',
    guide: undefined,
  },
  apiCatalog: {
    path: '/.well-known/api-catalog',
    type: 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
    title: 'API catalog',
    guide: undefined,
  },
  skills: {
    path: '/.well-known/agent-skills/index.json',
    type: json,
    title: 'Agent skills',
    guide: undefined,
  },
  skill: {
    path: '/.well-known/agent-skills/request-consultation/SKILL.md',
    type: markdown,
    title: 'Skill: request a Consultation',
    guide: 'For agents',
    description: 'How an agent asks for a Consultation for a person, step by step.',
  },
  cli: {
    path: '/cli.md',
    type: markdown,
    title: 'Command-line tool',
    guide: 'For agents',
    description: 'The staged command-line tool: look, draft, check, send.',
  },
  auth: {
    path: '/auth.md',
    also: ['/.well-known/auth.md'],
    type: markdown,
    title: 'Authentication',
    guide: 'Optional',
    description: 'None is needed.',
  },
  sitemap: { path: '/sitemap.xml', type: 'application/xml', title: 'Sitemap', guide: undefined },
  robots: { path: '/robots.txt', type: plain, title: 'Robots rules', guide: undefined },
  security: {
    path: '/.well-known/security.txt',
    type: plain,
    title: 'Security contact',
    guide: undefined,
  },
} as const satisfies Record<string, DocumentRow>

export const documentRows: readonly DocumentRow[] = Object.values(documents)

/** Only for links: the file itself is served as plain JSON, which more programs read. */
export const openapiType = 'application/vnd.oai.openapi+json;version=3.1'

export type DocumentName = keyof typeof documents
