/** The skill of this site: SKILL.md, and the index with its digest. */
import { hash } from 'node:crypto'
import { documents } from '../contract/documents.ts'
import { routes } from '../contract/routes.ts'
import { tools } from '../contract/tools.ts'
import { list } from '../site/write-markdown.ts'
import { toYaml } from '../site/yaml.ts'
import type { Facts } from './facts.ts'
import {
  consent,
  curlToCall,
  curlToSend,
  fieldList,
  howToWrite,
  keepReceipt,
  noBooking,
  sendAgain,
  toolList,
} from './guide-parts.ts'

export const skill = { name: 'request-consultation' } as const

export function writeSkillIndex(facts: Facts): object {
  return {
    $schema: 'https://schemas.agentskills.io/discovery/0.2.0/schema.json',
    skills: [
      {
        name: skill.name,
        type: 'skill-md',
        description: purpose(facts),
        url: facts.baseUrl + documents.skill.path,
        digest: `sha256:${hash('sha256', writeSkill(facts))}`,
      },
    ],
  }
}

export function writeSkill(facts: Facts): string {
  const { baseUrl, business } = facts
  const send = tools.submitConsultationLead.name
  const head = toYaml({ name: skill.name, description: purpose(facts) })
  return [
    `---\n${head}---`,
    '# Request a Consultation',
    `${business.summary} This skill asks me for one, for a person who wants it. No credentials are needed.`,
    '## Before you send',
    list([
      consent,
      `See that the project and the place fit: the tool \`${tools.getBusinessInfo.name}\`, or the site guide at ${baseUrl}${documents.llms.path}.`,
      noBooking,
    ]),
    'I do not take on:',
    list(business.doesNot),
    '## Fields',
    fieldList(),
    '## Send it with MCP',
    `The endpoint is ${baseUrl}${routes.mcp.path} (streamable HTTP, no sessions). Call \`${send}\` with the fields above. It has these tools:`,
    toolList(),
    'Without an MCP library, one message is enough:',
    curlToCall(baseUrl),
    '## Send it with HTTP',
    `Post JSON to ${baseUrl}${routes.lead.path}. The API description is ${baseUrl}${documents.openapi.path}. A GET of the same address says whether a request could be received now.`,
    curlToSend(baseUrl),
    '## Send it from a command line',
    `The command \`consult\` goes in stages: look, draft, check, send, follow. How to get it: ${baseUrl}${documents.cli.path}`,
    '## When something goes wrong',
    sendAgain,
    '## Afterwards',
    `${keepReceipt} To read it yourself, get the \`status_url\` with \`Accept: application/json\`. To withdraw it, with the consent of the person, post to the \`status_url\` followed by \`${routes.withdraw.path}\`.`,
    '## Wording',
    howToWrite,
  ]
    .join('\n\n')
    .concat('\n')
}

/** At most 1,024 characters. Agents decide by it whether to load the skill. */
function purpose({ business }: Facts): string {
  return `Sends a Consultation request about a new deck or pergola to ${business.name}, a business in ${business.region}, for a person who agreed to it. Use it when somebody there wants me, ${business.owner}, to get in touch about such a project, or wants to follow or withdraw a request already sent.`
}
