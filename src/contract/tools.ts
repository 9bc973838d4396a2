/** The tools of the MCP endpoint as plain data, their results, and how the endpoint describes itself. */
import { days } from '../time.ts'
import type { Business } from './business.ts'
import { documentRows } from './documents.ts'
import { keyName, trapName } from './fields.ts'
import { apiVersion, contactPath, routes } from './routes.ts'
import { leadRequestSchema, leadSuccessSchema, type ObjectSchema, type Schema } from './schemas.ts'

export type Tool = {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: Schema & { readonly type: 'object' }
  readonly outputSchema: ObjectSchema
  readonly annotations: typeof reading
}

/** The versions of MCP that we speak, newest first. 2026-07-28 has no `initialize`. */
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
  /** We send no change notifications: clients would hold a stream open for them. */
  capabilities: { tools: { listChanged: false }, resources: { listChanged: false } },
  /** The server card allows at most 100 characters. */
  description:
    'Facts about a deck and pergola business, and a way to ask it for a Consultation for a person.',
  instructions:
    'Tools of a deck and pergola business. Use get_business_info to see what is built and where. Use submit_consultation_lead to ask for a Consultation for a person who has agreed to send their details. Its answer has a private status_url: give it to the person. To follow or withdraw a request, GET its status_url as JSON and POST to the withdraw_url in it. No credentials are needed.',
} as const

/** All four hints are set: clients assume the worst for a missing one. */
const reading = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
}

/** Placeholder for the first name of the owner. */
const ownerMark = '{owner}'

export const tools = {
  getBusinessInfo: {
    name: 'get_business_info',
    title: 'Get business information',
    description:
      'Tells what the business builds and does not build, which areas and postcodes it serves, its hours, and how to reach it. Use it before sending a Consultation request, to see whether the project and the place fit. It sends nothing and needs no arguments.',
    inputSchema: { type: 'object', additionalProperties: false },
    outputSchema: businessInfoSchema(),
    annotations: reading,
  },
  listPublicEndpoints: {
    name: 'list_public_endpoints',
    title: 'List public endpoints',
    description:
      'Lists every public address of the site for programs, with method and purpose: the request API, its description, the guides. Use it to work over plain HTTP instead of these tools. To send a Consultation request it is not needed. It needs no arguments.',
    inputSchema: { type: 'object', additionalProperties: false },
    outputSchema: publicEndpointsSchema(),
    annotations: reading,
  },
  submitConsultationLead: {
    name: 'submit_consultation_lead',
    title: 'Request a Consultation',
    description: `Sends a person's request for a Consultation about a new deck or pergola to me, ${ownerMark}; I then contact that person. I am not a licensed builder and take no Class 2 or apartment head-contract. It passes on personal details (name, email and whatever else is given), so call it only when the person asked for it and agreed to these very details being sent; never with made-up details and never to try it out. It is no booking and gives no price: I answer the person myself. On success, show the person the message and the reference, and give them the private status_url, where they can follow or withdraw the request; for them you can GET it as JSON, and POST to the withdraw_url in it. Safe to retry: choose one random ${keyName} for each new request and send it again with every retry; it is then taken once. When something is wrong with the arguments, nothing is sent, and the error names each field and how to put it right.`,
    inputSchema: toToolInput(leadRequestSchema),
    outputSchema: leadSuccessSchema,
    annotations: { ...reading, readOnlyHint: false, openWorldHint: true },
  },
} as const satisfies Record<string, Tool>

/** Returns the tools with the owner's name in their descriptions. */
export function toolsOf({ owner }: Pick<Business, 'owner'>): Tool[] {
  return Object.values(tools).map((tool) => ({
    ...tool,
    description: tool.description.replaceAll(ownerMark, owner),
  }))
}

/** Makes the result of `get_business_info`. */
export function toBusinessInfo(business: Business, baseUrl: string) {
  return {
    name: business.name,
    owner: business.owner,
    summary: business.summary,
    region: business.region,
    state: business.state,
    areas: business.areas,
    hours: business.hours,
    time_zone: business.timeZone,
    does: business.does,
    does_not: business.doesNot,
    contact: business.contact,
    website: `${baseUrl}/`,
    request_page: baseUrl + contactPath,
  }
}

/** Makes the result of `list_public_endpoints`. */
export function listPublicEndpoints(baseUrl: string) {
  const { lead, receipt, withdraw, mcp } = routes
  const token = `${receipt.path}{token}`
  const operations = [
    lead,
    { ...receipt, path: token },
    { ...withdraw, path: token + withdraw.path },
    mcp,
  ].flatMap(({ path, operations: byMethod }) =>
    Object.entries(byMethod).map(([method, { summary }]) => ({ method, path, purpose: summary })),
  )
  const guides = documentRows.map(({ path, title }) => ({ method: 'GET', path, purpose: title }))
  return { base_url: baseUrl, endpoints: [...operations, ...guides] }
}

/**
 * Leaves out the honeypot, which a model would fill in, and the patterns: models with constrained
 * output misread the look-ahead in the pattern of an email address. Its format is enough.
 */
function toToolInput({ properties, ...schema }: ObjectSchema): ObjectSchema {
  const { [trapName]: _trap, ...asked } = properties
  const plain = Object.entries(asked).map(([name, { pattern: _pattern, ...rest }]) => [name, rest])
  return { ...schema, properties: Object.fromEntries(plain) }
}

function businessInfoSchema(): ObjectSchema {
  return strictObject({
    name: text('Name of the business.'),
    owner: text('First name of the owner.'),
    summary: text('The business in one sentence.'),
    region: text('Where it works.'),
    state: text('State or territory, in short.'),
    areas: list(
      'Areas it serves.',
      strictObject({ name: text('Name of the area.'), postcodes: list('Its postcodes.') }),
    ),
    hours: list(
      'When it can be reached.',
      strictObject({
        days: list('Days of the week.', { type: 'string', enum: days }),
        opens: text('As in 07:00.'),
        closes: text('As in 15:30.'),
      }),
    ),
    does: list('What it builds.'),
    does_not: list('What it does not take on.'),
    time_zone: text('IANA name of the time zone of the hours.'),
    contact: strictObject({ phone: text('Phone.'), email: text('Email.') }),
    website: text('Address of the site.'),
    request_page: text('Page with the form, for people.'),
  })
}

function publicEndpointsSchema(): ObjectSchema {
  const endpoint = strictObject({
    method: text('HTTP method.'),
    path: text('Follows base_url; {token} is the receipt_token of a request.'),
    purpose: text('What it is for.'),
  })
  return strictObject({
    base_url: text('Address of the site.'),
    endpoints: list('Every public endpoint.', endpoint),
  })
}

function strictObject(properties: Record<string, Schema>): ObjectSchema {
  return { type: 'object', required: Object.keys(properties), properties }
}

function text(description: string): Schema {
  return { type: 'string', description }
}

function list(description: string, items: Schema = { type: 'string' }): Schema {
  return { type: 'array', description, items }
}
