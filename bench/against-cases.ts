/** What is compared with another checkout. Each side runs its own code and gets its own URLs and ETags. */
import type { Contender } from './compare.ts'
import type { Checkout } from './programs.ts'
import { formLead, health, jsonLead, page, pageForms, toolCall } from './requests.ts'
import { fetchPage } from './site.ts'

export type AgainstCase = {
  name: string
  meaning: string
  /** Leads are stored here, 64 at a time, and leads per second are compared too. */
  store?: 'sqlite' | 'postgres'
  contender: (checkout: Checkout) => Contender | Promise<Contender>
}

export const againstCases: readonly AgainstCase[] = [
  {
    name: 'health',
    meaning: 'GET /api/lead',
    contender: ({ service }) => ({ program: service, template: health, status: 200 }),
  },
  ...(['html', 'br', 'markdown'] as const).map((form) => ({
    name: `page-${form}`,
    meaning: `the home page as ${form}`,
    contender: ({ service }: Checkout) => ({
      program: service,
      template: page(pageForms[form]),
      status: 200,
    }),
  })),
  {
    name: 'page-304',
    meaning: 'a page that the client has cached',
    contender: async ({ service }) => {
      const { accept, encoding } = pageForms.html
      const { etag } = await fetchPage(service, accept, encoding)
      return { program: service, template: page({ accept, encoding }, etag), status: 304 }
    },
  },
  {
    name: 'json-stubbed',
    meaning: 'a lead as JSON, store stubbed',
    contender: ({ stubbedService }) => ({
      program: stubbedService,
      template: jsonLead,
      status: 200,
    }),
  },
  {
    name: 'form-stubbed',
    meaning: 'a lead as a form, store stubbed',
    contender: ({ stubbedService }) => ({
      program: stubbedService,
      template: formLead,
      status: 303,
    }),
  },
  ...([2025, 2026] as const).map((era) => ({
    name: era === 2025 ? 'mcp-lead' : 'mcp-lead-2026',
    meaning: `a lead by MCP of ${era}, store stubbed`,
    contender: ({ stubbedService }: Checkout) => ({
      program: stubbedService,
      template: toolCall({ tool: 'lead', era }),
      status: 200,
    }),
  })),
  {
    name: 'json-durable-64',
    meaning: 'a lead as JSON, committed and synced by SQLite, 64 at a time',
    store: 'sqlite',
    contender: ({ service }) => ({ program: service, template: jsonLead, status: 200 }),
  },
  {
    name: 'postgres-durable-64',
    meaning: 'a lead as JSON, committed and synced by PostgreSQL, 64 at a time',
    store: 'postgres',
    contender: ({ service }) => ({ program: service, template: jsonLead, status: 200 }),
  },
]
