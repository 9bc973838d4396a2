/** Speaks MCP: tools and resources. Keeps no sessions, not even for versions that begin with `initialize`. */
import {
  CLIENT_INFO_META_KEY,
  createMcpHandler,
  isLegacyRequest,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
  WebStandardStreamableHTTPServerTransport,
  type Tool,
} from '@modelcontextprotocol/server'
import { toBusinessInfo, type Business } from '../../contract/business.ts'
import { normaliseText } from '../../contract/check-fields.ts'
import { errorEnvelope, errors, noReceipt } from '../../contract/errors.ts'
import { retryAfterS } from '../../contract/limits.ts'
import { routes } from '../../contract/routes.ts'
import {
  afterSending,
  describedServer,
  firstWithLinks,
  listPublicEndpoints,
  receiptLink,
  receiptTemplate,
  tools,
  toolsOf,
} from '../../contract/tools.ts'
import { wordsOf } from '../../contract/wording.ts'
import { emptyAnswer, inert, answerOf } from '../../http/answers.ts'
import type { Answer, Ask, Headers } from '../../http/message.ts'
import type { LeadTaker } from '../../lead/take.ts'
import { errorFacts, type LogFacts } from '../../log.ts'
import { twinPathOf, type Page } from '../../site/page.ts'
import type { Site } from '../../site/site.ts'
import { userAgentOf, withDedup } from '../lead/read-lead.ts'
import {
  isTaken,
  limitedFacts,
  outcomeFacts,
  toDoorError,
  toSuccess,
  type DoorError,
} from '../outcomes.ts'
import type { Receipts } from '../receipt/receipts.ts'

export type ProtocolParts = { site: Site; taker: LeadTaker; receipts: Receipts }

type ToolCaller = {
  readonly ask: Ask
  /** `undefined`: the client has not sent too many requests. */
  readonly waitS: number | undefined
  logFacts: LogFacts
}

type Arguments = Readonly<Record<string, unknown>>

type ToolCall = { name: string; args: Arguments; agent: string }

type ToolBlock = { type: 'text'; text: string } | ReturnType<typeof receiptLink>

type ToolResult = {
  content: ToolBlock[]
  structuredContent?: Record<string, unknown>
  isError?: true
}

export class Protocol {
  readonly #parts: ProtocolParts
  readonly #toolList: { tools: Tool[] }
  readonly #twins: readonly Twin[]
  readonly #described: ReturnType<typeof describedServer>

  constructor(parts: ProtocolParts) {
    const { business, pages, baseUrl } = parts.site
    this.#parts = parts
    this.#toolList = { tools: toolsOf(business) }
    this.#described = describedServer(business)
    this.#twins = pages.filter(({ indexed }) => indexed).map((page) => toTwin(page, baseUrl))
  }

  async answer(message: unknown, caller: ToolCaller): Promise<Answer> {
    const url = this.#parts.site.baseUrl + routes.mcp.path
    const request = new Request(url, { method: 'POST', headers: headersFor(caller.ask) })
    const open = () => this.#openServer(message, caller)
    const body = { parsedBody: message }
    if (!(await isLegacyRequest(request, message))) {
      const handler = createMcpHandler(open, { legacy: 'reject' })
      return toAnswer(await handler.fetch(request, body))
    }
    // `createMcpHandler` would answer older versions with a stream of events.
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
    await open().connect(transport)
    return toAnswer(await transport.handleRequest(request, body))
  }

  /** The low-level `Server` is enough, because our tools are data and check their own arguments. */
  #openServer(message: unknown, caller: ToolCaller): Server {
    const { baseUrl, business } = this.#parts.site
    const { instructions, capabilities, ...about } = this.#described
    const serverInfo = { ...about, websiteUrl: `${baseUrl}/` }
    const server = new Server(serverInfo, { capabilities, cacheHints, instructions })
    server.setRequestHandler('tools/list', () => this.#toolList)
    server.setRequestHandler('tools/call', ({ params: { name } }, { mcpReq }) =>
      this.#callTool({ name, args: argumentsOf(message), agent: agentOf(mcpReq.envelope) }, caller),
    )
    server.setRequestHandler('resources/list', () => ({
      resources: this.#twins.map(({ text: _text, ...listed }) => listed),
    }))
    server.setRequestHandler('resources/templates/list', () => ({
      resourceTemplates: [receiptTemplate(baseUrl, business)],
    }))
    server.setRequestHandler('resources/read', ({ params: { uri } }) =>
      uri.startsWith(baseUrl + routes.receipt.path)
        ? this.#readReceipt(uri, caller)
        : this.#readTwin(uri),
    )
    return server
  }

  async #callTool(call: ToolCall, caller: ToolCaller): Promise<ToolResult> {
    const { business, baseUrl } = this.#parts.site
    if (caller.waitS !== undefined) {
      caller.logFacts = limitedFacts
      return toError({ error: 'RATE_LIMITED', problems: [], waitS: caller.waitS })
    }
    switch (call.name) {
      case tools.getBusinessInfo.name:
        return withoutArguments(call) ?? success(toBusinessInfo(business, baseUrl))
      case tools.listPublicEndpoints.name:
        return withoutArguments(call) ?? success(listPublicEndpoints(baseUrl, business))
      case tools.submitConsultationLead.name:
        return this.#submit(call, caller)
      default:
        throw noSuchTool
    }
  }

  async #submit({ args, agent }: ToolCall, caller: ToolCaller): Promise<ToolResult> {
    const { site, taker } = this.#parts
    try {
      const read = withDedup({ body: args, door: 'mcp' })
      if ('error' in read) return toError(read)
      const { address } = caller.ask
      const userAgent = userAgentOf(caller.ask)
      const outcome = await taker.takeLead({ ...read, address, userAgent, agent })
      caller.logFacts = outcomeFacts(outcome)
      if (!isTaken(outcome)) return toError(wordsOf(site.business)(toDoorError(outcome)))
      return withReceipt(toSuccess(outcome, args, site), caller.ask, site.business)
    } catch (error) {
      caller.logFacts = errorFacts(error)
      return toError({ error: 'INTERNAL_ERROR', problems: [] })
    }
  }

  async #readReceipt(uri: string, caller: ToolCaller) {
    const token = uri.slice(uri.lastIndexOf('/') + 1)
    const receipt = await this.#parts.receipts.find(token).catch((error: unknown) => {
      caller.logFacts = errorFacts(error)
      throw lookupUnavailable
    })
    if (receipt === undefined) {
      const { message, resolution } = noReceipt.error
      throw new ResourceNotFoundError(uri, `${message} ${resolution}`)
    }
    const text = JSON.stringify(receipt)
    const contents = [{ uri, mimeType: 'application/json', text }]
    return { contents, ttlMs: 0, cacheScope: 'private' as const }
  }

  #readTwin(asked: string) {
    const twin = this.#twins.find(({ uri }) => uri === asked)
    if (twin === undefined) throw new ResourceNotFoundError(asked)
    const { uri, mimeType, text } = twin
    return { contents: [{ uri, mimeType, text }] }
  }
}

/** A call with arguments is refused, because its agent probably means another tool. */
function withoutArguments({ args }: ToolCall): ToolResult | undefined {
  const [name] = Object.keys(args)
  if (name === undefined) return undefined
  const words = `This tool takes no arguments. Call it again without ${JSON.stringify(name)}.`
  return { content: [textBlock(words)], isError: true }
}

function success(structuredContent: Record<string, unknown>): ToolResult {
  return { content: [textBlock(JSON.stringify(structuredContent))], structuredContent }
}

type Success = ReturnType<typeof toSuccess>

function withReceipt(taken: Success, ask: Ask, business: Business): ToolResult {
  const { content, ...result } = success(taken)
  const more: ToolBlock[] = [textBlock(wordsOf(business)(afterSending))]
  if (knowsLinks(ask)) more.unshift(receiptLink(taken.status_url, business))
  return { ...result, content: [...content, ...more] }
}

/** Versions are dates. A client that names none speaks 2025-03-26 or an older one. */
function knowsLinks({ headers }: Ask): boolean {
  return String(headers['mcp-protocol-version'] ?? '') >= firstWithLinks
}

/** Only text, because some clients check structured content against the schema of a success. */
function toError({ error, problems, waitS }: DoorError): ToolResult {
  const content: ToolBlock[] = [textBlock(JSON.stringify(errorEnvelope(error, problems)))]
  if (waitS !== undefined) content.push(textBlock(`Retry-After: ${waitS} seconds`))
  return { content, isError: true }
}

function textBlock(words: string) {
  return { type: 'text' as const, text: words }
}

/** Tools and resources change only with a restart. */
const hint = { ttlMs: 3_600_000, cacheScope: 'public' } as const
const cacheHints = {
  'server/discover': hint,
  'tools/list': hint,
  'resources/list': hint,
  'resources/templates/list': hint,
  'resources/read': hint,
}

const noSuchTool = new ProtocolError(
  ProtocolErrorCode.InvalidParams,
  'There is no tool of this name; see tools/list.',
)

const lookupUnavailable = new ProtocolError(
  ProtocolErrorCode.InternalError,
  `${errors.LOOKUP_UNAVAILABLE.message} Ask again in ${retryAfterS} seconds.`,
)

function headersFor({ headers }: Ask): Record<string, string> {
  const names = ['mcp-protocol-version', 'mcp-method', 'mcp-name']
  const sent = names.filter((name) => headers[name] !== undefined)
  return {
    ...Object.fromEntries(sent.map((name) => [name, String(headers[name])])),
    // The library requires both types, although it answers with JSON.
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
  }
}

/** The library's copy of the arguments lacks a field named `__proto__`. */
function argumentsOf(message: unknown): Arguments {
  return (message as { params: { arguments?: Arguments } }).params.arguments ?? {}
}

/** '' for older versions of MCP: they name the client only in `initialize`. */
function agentOf(envelope: object | undefined): string {
  const client = (envelope as Record<string, unknown> | undefined)?.[CLIENT_INFO_META_KEY]
  const { name, version } = (client ?? {}) as { name?: unknown; version?: unknown }
  const given = [name, version].filter((part) => typeof part === 'string')
  return normaliseText(given.join('/').slice(0, 200))
}

async function toAnswer(response: Response): Promise<Answer> {
  const { status, headers } = response
  const body = await response.text()
  const type = headers.get('content-type')
  const ofType: Headers = type === null ? {} : { 'Content-Type': type }
  if (type === 'application/json') return answerOf({ status, type, body }, inert())
  return { ...emptyAnswer(status, ofType), body }
}

type Twin = ReturnType<typeof toTwin>

function toTwin({ path, name, title, description, markdown }: Page, baseUrl: string) {
  const uri = baseUrl + twinPathOf(path)
  return { uri, name, title, description, mimeType: 'text/markdown', text: markdown }
}
