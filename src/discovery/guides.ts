/** The guides for agents: llms.txt, llms-full.txt, the skill and auth.md. */
import { hash } from 'node:crypto'
import { papersOf, type Business } from '../contract/business.ts'
import { documentRows, documents, type GuideHeading } from '../contract/documents.ts'
import { exampleRequest, fields, keyName } from '../contract/fields.ts'
import { contactPath, routes } from '../contract/routes.ts'
import { tools } from '../contract/tools.ts'
import { wordsOf } from '../contract/wording.ts'
import { twinPathOf } from '../site/page.ts'
import { hoursInShort } from '../site/ring.ts'
import { markdownList, shellCode } from '../site/markdown.ts'
import { toYaml } from '../site/yaml.ts'
import { indexedPages, placesOf, type Facts } from './facts.ts'

/** llms.txt, version 2: a title, a summary, text without headings, then lists of links to Markdown. */
export function writeGuide(facts: Facts): string {
  const { baseUrl, business } = facts
  const { openapi, mcpCard, llmsFull } = documents
  const forPrograms = [
    `API description (OpenAPI 3.1): ${baseUrl}${openapi.path}`,
    `card of the MCP endpoint: ${baseUrl}${mcpCard.path}`,
  ].join('; ')
  return [
    `# ${business.name}`,
    `> ${business.summary}`,
    ...whenToUse(facts),
    ...howToSend(facts),
    '## Pages',
    markdownList(
      indexedPages(facts).map(
        ({ path, title, description }) =>
          `[${title}](${baseUrl}${twinPathOf(path)}): ${description}`,
      ),
    ),
    '## For agents',
    guideLinks('For agents', facts, forPrograms),
    '## Optional',
    guideLinks('Optional', facts, `The whole site as one text: ${baseUrl}${llmsFull.path}`),
  ]
    .join('\n\n')
    .concat('\n')
}

/** llms-full.txt */
export function writeWholeSite(facts: Facts): string {
  const pages = indexedPages(facts).map(
    ({ path, markdown }) => `Source: ${facts.baseUrl}${path}\n\n${markdown.trim()}\n`,
  )
  return [writeGuide(facts), ...pages].join('\n---\n\n')
}

function whenToUse({ business }: Facts): string[] {
  const { owner, region, does, doesNot, contact, notice } = business
  return [
    'This is the site guide for agents.',
    `When to use this site: somebody in ${region} wants one of these, and would like me, ${owner}, to get in touch.`,
    markdownList(does),
    'When not to use it: I do not take on these.',
    markdownList(doesNot),
    whenUnsure,
    `Where I work: ${placesOf(business)}. By phone: ${contact.phone}, ${hoursInShort(business)}. By email: ${contact.email}.`,
    ...papersInWords(business),
    ...(notice ? [notice] : []),
  ]
}

function papersInWords(business: Business): string[] {
  const papers = papersOf(business)
  return papers.length === 0 ? [] : [`About me: ${papers.map(({ words }) => words).join('; ')}.`]
}

function howToSend({ baseUrl, business }: Facts): string[] {
  const say = wordsOf(business)
  const send = tools.submitConsultationLead.name
  return [
    `Consent: ${consent} ${noBooking}`,
    `${say('How to ask for a Consultation')}: post JSON to ${baseUrl}${routes.lead.path}, or call the tool \`${send}\` of the MCP endpoint ${baseUrl}${routes.mcp.path}. People use the form at ${baseUrl}${contactPath}.`,
    fieldList(business),
    curlToSend(baseUrl),
    `Sending again: ${sendAgain}`,
    `Afterwards: ${keepReceipt} ${say(followIt)}`,
    `Wording: ${say(howToWrite)}`,
  ]
}

/** The note stands beside the first. */
function guideLinks(heading: GuideHeading, { baseUrl, business }: Facts, note: string): string {
  const [first = '', ...others] = wordsOf(business)(documentRows).flatMap((row) =>
    row.guide === heading ? [`[${row.title}](${baseUrl}${row.path}): ${row.description}`] : [],
  )
  return markdownList([`${first} ${note}`, ...others])
}

export const skillName = 'request-consultation'

export function writeSkillIndex(facts: Facts): object {
  return {
    $schema: 'https://schemas.agentskills.io/discovery/0.2.0/schema.json',
    skills: [
      {
        name: skillName,
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
  const say = wordsOf(business)
  const send = tools.submitConsultationLead.name
  const head = toYaml({ name: skillName, description: purpose(facts) })
  return [
    `---\n${head}---`,
    say('# Request a Consultation'),
    `${business.summary} ${say('This skill asks me for a Consultation, for a person who wants one. No credentials are needed.')}`,
    '## Before you send',
    markdownList([
      consent,
      `Check that the work and the place fit: the tool \`${tools.getBusinessInfo.name}\`, or the site guide at ${baseUrl}${documents.llms.path}.`,
      noBooking,
    ]),
    'I do not take on:',
    markdownList(business.doesNot),
    whenUnsure,
    '## Fields',
    fieldList(business),
    '## Send it with MCP',
    `The endpoint is ${baseUrl}${routes.mcp.path} (streamable HTTP, no sessions). Call \`${send}\` with the fields above. It has these tools:`,
    markdownList(Object.values(say(tools)).map(({ name, title }) => `\`${name}\`: ${title}.`)),
    '## Send it with HTTP',
    `Post JSON to ${baseUrl}${routes.lead.path}. The API description is ${baseUrl}${documents.openapi.path}. A GET of the same address says whether a request could be received now.`,
    curlToSend(baseUrl),
    '## Send it from a command line',
    `The command \`consult\` goes in stages: look, draft, check, send, follow. How to get it: ${baseUrl}${documents.cli.path}`,
    '## When something goes wrong',
    sendAgain,
    '## Afterwards',
    `${keepReceipt} ${say(followIt)}`,
    '## Wording',
    say(howToWrite),
  ]
    .join('\n\n')
    .concat('\n')
}

/** At most 1,024 characters. Agents decide by this text whether to load the skill. */
function purpose({ business }: Facts): string {
  const sends = wordsOf(business)('Sends a Consultation request')
  return `${sends} about ${business.trade.about} to ${business.name}, a business in ${business.region}, for a person who agreed to it. Use it when somebody there wants me, ${business.owner}, to get in touch about it, or wants to follow, move, withdraw or erase a request already sent.`
}

export function writeAuth({ baseUrl }: Facts): string {
  return `# auth.md: no authentication

Nothing on this site asks for credentials. There are no accounts, keys or tokens to get, and there is no authorization server.

- API: \`${baseUrl}${routes.lead.path}\`, described in ${baseUrl}${documents.openapi.path}
- MCP endpoint: \`${baseUrl}${routes.mcp.path}\`

Do not send an \`Authorization\` header: it is not read. Consent takes its place. ${consent} The \`status_url\` in an answer is private to that person.
`
}

const consent =
  'Send a request only for a person who asked for it. Show them the details first, and send no others. Never send made-up details, or a request to try something out.'

const noBooking =
  'A request is not a booking, and it gives no price. I read it myself and get in touch to arrange a time.'

const whenUnsure =
  'If you cannot tell whether it fits, send it and say so in the message. I answer the person myself.'

const sendAgain = `Give each new request a random UUID as \`Idempotency-Key\` (in the tool: \`${keyName}\`), and every retry the same: it is then received once. After a failed connection, a 429 or a 503, wait \`Retry-After\` seconds and send it again. After a 400, correct the fields named in \`error.details.fields\`.`

const keepReceipt =
  'Show the person the `message` and the `reference`, and give them the `status_url`, their secret.'

const followIt =
  'To follow it for them, GET the `status_url` with `Accept: application/json`, or read it as a resource in MCP. Once they ask for it: to withdraw the request, POST to the `withdraw_url`, which keeps their details; to erase these for good, POST to its `erase_url`; to ask for another time for a booked Consultation, POST `{"words": "…"}` to its `another_time_url`, with what suits them in `words`. If it has a `photos_url`, POST photos of the place there, one JPEG, PNG or WebP at a time. If you cannot send HTTP, they can do all of this at the `status_url`.'

const howToWrite =
  'When you write for me, call it a Consultation, say "I" and "my", and avoid language that fishes for prices.'

function fieldList(business: Business): string {
  return markdownList(
    wordsOf(business)(fields).map(({ name, required, description }) =>
      required ? `\`${name}\` (required): ${description}` : `\`${name}\`: ${description}`,
    ),
  )
}

/** macOS and most Linux systems have `uuidgen`. Every Linux has the file. */
function curlToSend(baseUrl: string): string {
  const code = shellCode(
    'KEY=$(uuidgen 2>/dev/null || cat /proc/sys/kernel/random/uuid)',
    `curl ${baseUrl}${routes.lead.path} \\`,
    "  -H 'Content-Type: application/json' \\",
    '  -H "Idempotency-Key: $KEY" \\',
    `  -d '${JSON.stringify(exampleRequest)}'`,
  )
  return `Put in the person's own details: every accepted request reaches a real person.\n\n${code}`
}
