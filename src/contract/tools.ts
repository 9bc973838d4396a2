/** The tools, resources and descriptions that MCP offers. */
import { listsPostcodes, toBusinessInfo, type Business } from './business.ts'
import { documentRows } from './documents.ts'
import { keyName, trapName } from './fields.ts'
import { apiVersion, routes } from './routes.ts'
import { wordsOf } from './wording.ts'
import { leadRequestSchema, leadSuccessSchema, type ObjectSchema, type Schema } from './schemas.ts'

export type Tool = {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: Schema & { readonly type: 'object' }
  readonly outputSchema: ObjectSchema
  readonly annotations: typeof reading
}

/** Newest first. From 2026-07-28 on, clients send no `initialize`. */
export const protocolVersions = [
  '2026-07-28',
  '2025-11-25',
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
  '2024-10-07',
] as const

export const mcpServer = {
  name: 'consultation',
  title: 'Consultation requests',
  version: apiVersion,
  /** We send no change notifications, because clients would hold a stream open for them. */
  capabilities: { tools: { listChanged: false }, resources: { listChanged: false } },
} as const

/** The format of server cards allows at most so many characters. */
const longestDescription = 100

/** What MCP says of the server: its name, what it is for, and how to use it. */
export function describedServer(business: Business) {
  const { is } = business.trade
  const say = wordsOf(business)
  const about = `Facts about ${is}, and ${say('a way to ask it for a Consultation for a person.')}`
  const plain = say('Facts about a business, and a way to ask it for a Consultation for a person.')
  return {
    ...mcpServer,
    title: say(mcpServer.title),
    description: about.length > longestDescription ? plain : about,
    instructions: `Tools of ${is}. Use get_business_info to see what it does and where. ${say(toolAdvice)}`,
  }
}

const toolAdvice =
  'Use submit_consultation_lead to ask for a Consultation for a person who has agreed to send their details. Its answer has a private status_url: give it to the person. To follow a request, GET its status_url as JSON or read it as a resource; to withdraw it, POST to the withdraw_url in it; to erase its details for good, POST to the erase_url; to ask for another time for a booked Consultation, POST {"words": "…"} to the another_time_url. If you cannot send HTTP, the person can do all of this at the status_url. No credentials are needed.'

/** The first version of MCP in which the answer of a tool may link to a resource. */
export const firstWithLinks = '2025-06-18' satisfies (typeof protocolVersions)[number]

const receiptResource = {
  name: 'receipt',
  title: 'Receipt of a Consultation request',
  description:
    'What has become of a request. The address is the status_url of submit_consultation_lead; it is private to the person.',
  mimeType: 'application/json',
} as const

export function receiptTemplate(baseUrl: string, business: Business) {
  const uriTemplate = `${baseUrl}${routes.receipt.path}{token}`
  return { uriTemplate, ...wordsOf(business)(receiptResource) }
}

export function receiptLink(statusUrl: string, business: Business) {
  return { type: 'resource_link', uri: statusUrl, ...wordsOf(business)(receiptResource) } as const
}

/** Follows the answer of submit_consultation_lead, because a model reads it just when it is needed. */
export const afterSending =
  'Show the person the message and the reference, and give them the status_url. To follow the request for them, read the status_url as a resource; to withdraw it or to erase its details, once they ask for that, POST to the withdraw_url or the erase_url in it; to ask for another time for a booked Consultation, POST {"words": "…"} to the another_time_url. If you cannot send HTTP, give the person the status_url: there they can do all of this themselves.'

/** All four hints are set, because clients assume the worst for a missing one. */
const reading = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
}

export const tools = {
  getBusinessInfo: {
    name: 'get_business_info',
    title: 'Get business information',
    description:
      'Use it before sending a Consultation request, to see whether the work and the place fit. It sends nothing and needs no arguments.',
    inputSchema: { type: 'object', additionalProperties: false },
    annotations: reading,
  },
  listPublicEndpoints: {
    name: 'list_public_endpoints',
    title: 'List public endpoints',
    description:
      'Lists every public address of the site for programs, with method and purpose: the request API, its description, the guides. Use it to work over plain HTTP instead of these tools. To send a Consultation request it is not needed. It needs no arguments.',
    inputSchema: { type: 'object', additionalProperties: false },
    annotations: reading,
  },
  submitConsultationLead: {
    name: 'submit_consultation_lead',
    title: 'Request a Consultation',
    description: `It passes on personal details (name, email and whatever else is given), so call it only when the person asked for it and agreed to exactly these details being sent; never with made-up details and never to try it out. It is not a booking, and it gives no price: I answer the person myself. On success, show the person the message and the reference, and give them the private status_url, where they can follow, withdraw or erase the request; for them you can GET it as JSON or read it as a resource, and POST to the withdraw_url or erase_url in it. Safe to retry: choose one random ${keyName} for each new request and send it again with every retry; it is then received once. When something is wrong with the arguments, nothing is sent, and the error names each field and how to correct it.`,
    inputSchema: toToolInput(leadRequestSchema),
    annotations: { ...reading, readOnlyHint: false, openWorldHint: true },
  },
} as const satisfies Record<string, Omit<Tool, 'outputSchema'>>

export function toolsOf(business: Business): Tool[] {
  const say = wordsOf(business)
  const { getBusinessInfo, listPublicEndpoints: list, submitConsultationLead: submit } = say(tools)
  const sends = `${say("Sends a person's request for a Consultation")} about ${business.trade.about} to me, ${business.owner}; I then contact that person.`
  const description = [sends, business.notice, submit.description].filter(Boolean).join(' ')
  return [
    {
      ...getBusinessInfo,
      description: `${saysWhat(business)} ${getBusinessInfo.description}`,
      outputSchema: schemaOf(toBusinessInfo(business, '')),
    },
    { ...list, outputSchema: schemaOf(listPublicEndpoints('', business)) },
    { ...submit, description, outputSchema: say(leadSuccessSchema) },
  ]
}

function saysWhat(business: Business): string {
  const labels = business.registrations.map(({ label }) => label)
  const papers = [...labels, ...(business.insurance ? ['insurance'] : [])]
  const own = papers.length === 0 ? '' : ` its ${inOneList(papers)},`
  const areas = listsPostcodes(business.areas) ? 'areas and postcodes' : 'areas'
  return `Says what the business does and does not do, which ${areas} it serves, its hours,${own} and how to reach it.`
}

/** "Gas Safe, VAT and insurance" */
function inOneList(words: readonly string[]): string {
  return words.join(', ').replace(/, (?!.*, )/, ' and ')
}

export function listPublicEndpoints(baseUrl: string, business: Business) {
  const { lead, receipt, withdraw, erase, anotherTime, visitFile, photos, mcp } = routes
  const token = `${receipt.path}{token}`
  const ofReceipt = [withdraw, erase, anotherTime, visitFile, photos]
  const operations = [
    lead,
    { ...receipt, path: token },
    ...ofReceipt.map((route) => ({ ...route, path: token + route.path })),
    mcp,
  ].flatMap(({ path, operations: byMethod }) =>
    Object.entries(byMethod).map(([method, { summary }]) => ({ method, path, purpose: summary })),
  )
  const guides = documentRows.map(({ path, title }) => ({ method: 'GET', path, purpose: title }))
  return { base_url: baseUrl, endpoints: wordsOf(business)([...operations, ...guides]) }
}

/** Leaves out the honeypot, which a model would fill in, and patterns, because some models misread look-aheads. */
function toToolInput({ properties, ...schema }: ObjectSchema): ObjectSchema {
  const { [trapName]: _trap, ...asked } = properties
  const plain = Object.entries(asked).map(([name, { pattern: _pattern, ...rest }]) => [name, rest])
  return { ...schema, properties: Object.fromEntries(plain) }
}

/** Derives a schema from an example. All members are required. */
function schemaOf(value: object): ObjectSchema {
  const ofMember = (member: unknown): Schema => {
    if (Array.isArray(member)) {
      return member.length === 0 ? { type: 'array' } : { type: 'array', items: ofMember(member[0]) }
    }
    return typeof member === 'object' ? schemaOf(member!) : { type: typeof member }
  }
  const members = Object.entries(value).map(([name, member]) => [name, ofMember(member)])
  return { type: 'object', required: Object.keys(value), properties: Object.fromEntries(members) }
}
