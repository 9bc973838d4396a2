/** The AI catalog: MCP endpoint and skill. It has no entry type for an API; that is in the API catalog. */
import { documents } from '../contract/documents.ts'
import { agentsPath } from '../contract/routes.ts'
import { mcpServer, tools } from '../contract/tools.ts'
import { apiVersion } from '../contract/routes.ts'
import { indexedPages } from './facts.ts'
import type { Facts } from './facts.ts'
import { skill } from './skills.ts'

export function writeAiCatalog(facts: Facts): object {
  const { baseUrl, business } = facts
  const tags = ['deck', 'pergola', 'consultation', business.state]
  const shared = {
    tags,
    representativeQueries: typicalQuestions(facts),
    version: apiVersion,
    ...lastChange(facts),
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
        identifier: toUrn(baseUrl, 'mcp', mcpServer.name),
        displayName: `${business.name}: ${mcpServer.title}`,
        type: documents.serverCard.type,
        url: baseUrl + documents.serverCard.path,
        description: mcpServer.description,
        capabilities: Object.values(tools).map(({ name }) => name),
        ...shared,
      },
      {
        identifier: toUrn(baseUrl, 'skill', skill.name),
        displayName: documents.skill.title,
        type: 'text/markdown; profile="urn:air:agent-skills"',
        url: baseUrl + documents.skill.path,
        description: documents.skill.description,
        ...shared,
      },
    ],
  }
}

function toUrn(baseUrl: string, kind: string, name: string): string {
  const host = new URL(baseUrl).hostname.replaceAll(/[^a-zA-Z0-9.-]/g, '-')
  return `urn:air:${host}:${kind}:${name}`
}

function typicalQuestions({ business }: Facts): string[] {
  const { name, region, areas } = business
  return [
    `Who builds decks and pergolas in ${region}?`,
    `Ask ${name} for a Consultation about a new deck.`,
    ...areas.slice(0, 1).map((area) => `Does ${name} come to ${area.name}?`),
  ]
}

function lastChange(facts: Facts): { updatedAt?: string } {
  const newest = indexedPages(facts)
    .map(({ updated }) => updated)
    .sort()
    .at(-1)
  return newest === undefined ? {} : { updatedAt: `${newest}T00:00:00Z` }
}
