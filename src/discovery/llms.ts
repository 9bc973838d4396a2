/** llms.txt (version 2): a title, a summary, text without headings, then lists of links to Markdown. */
import { documents } from '../contract/documents.ts'
import type { DocumentName } from '../contract/documents.ts'
import { contactPath, routes } from '../contract/routes.ts'
import { tools } from '../contract/tools.ts'
import { list } from '../site/write-markdown.ts'
import { indexedPages } from './facts.ts'
import type { Facts } from './facts.ts'
import {
  consent,
  curlToSend,
  fieldList,
  howToWrite,
  keepReceipt,
  noBooking,
  pageList,
  sendAgain,
} from './guide-parts.ts'

export function writeGuide(facts: Facts): string {
  const { baseUrl, business } = facts
  return [
    `# ${business.name}`,
    `> ${business.summary}`,
    ...whenToUse(facts),
    ...howToSend(facts),
    '## Pages',
    pageList(facts),
    '## For agents',
    list([
      documentLink('skill', baseUrl, otherDocuments(baseUrl)),
      documentLink('cli', baseUrl, 'For a person or a script at a shell.'),
    ]),
    '## Optional',
    list([documentLink('auth', baseUrl, `The whole site as one text: ${at('llmsFull', baseUrl)}`)]),
  ]
    .join('\n\n')
    .concat('\n')
}

/** The guide, and every page in full. */
export function writeWholeSite(facts: Facts): string {
  const pages = indexedPages(facts).map(
    ({ path, markdown }) => `Source: ${facts.baseUrl}${path}\n\n${markdown.trim()}\n`,
  )
  return [writeGuide(facts), ...pages].join('\n---\n\n')
}

function whenToUse({ business }: Facts): string[] {
  const { owner, region, does, doesNot, areas, contact } = business
  const places = areas.map(({ name, postcodes }) => `${name} (${postcodes.join(', ')})`)
  return [
    `This is the site guide for agents. Everything in it is public, and no credentials are needed.`,
    `When to use this site: somebody wants one of these built at a home in ${region}, and would like me, ${owner}, to get in touch about it.`,
    list(does),
    'When not to use it: I do not take on any of these.',
    list(doesNot),
    `Where I work: ${places.join(', ')}. By phone: ${contact.phone}. By email: ${contact.email}.`,
  ]
}

function howToSend({ baseUrl }: Facts): string[] {
  const send = tools.submitConsultationLead.name
  return [
    `Consent: ${consent} ${noBooking}`,
    `How to ask for a Consultation: post JSON to ${baseUrl}${routes.lead.path}, or call the tool \`${send}\` of the MCP endpoint ${baseUrl}${routes.mcp.path} with the same fields. People use the form at ${baseUrl}${contactPath}.`,
    fieldList(),
    curlToSend(baseUrl),
    `Sending again: ${sendAgain}`,
    `Afterwards: ${keepReceipt}`,
    `Wording: ${howToWrite}`,
  ]
}

function otherDocuments(baseUrl: string): string {
  return [
    `API description (OpenAPI 3.1): ${at('openapi', baseUrl)}`,
    `Workflows (Arazzo): ${at('arazzo', baseUrl)}`,
    `MCP endpoint: ${baseUrl}${routes.mcp.path}, its card: ${at('mcpCard', baseUrl)}`,
    `Catalog: ${at('aiCatalog', baseUrl)}`,
  ].join('; ')
}

function documentLink(name: DocumentName, baseUrl: string, note: string): string {
  const { title, description } = documents[name]
  return `[${title}](${at(name, baseUrl)}): ${description} ${note}`
}

function at(name: DocumentName, baseUrl: string): string {
  return baseUrl + documents[name].path
}
