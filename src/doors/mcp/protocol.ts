/**
 * Speaks MCP with the official library. In version 2026-07-28 every request stands alone; older
 * versions begin with `initialize`. We keep no sessions for either.
 */
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
import { normaliseText } from '../../contract/check-fields.ts'
import { errors, noReceipt } from '../../contract/errors.ts'
import { retryAfterS } from '../../contract/limits.ts'
import { routes } from '../../contract/routes.ts'
import { mcpServer, receiptTemplate, toolsOf } from '../../contract/tools.ts'
import { emptyAnswer, postAnswer, type Answer, type Ask } from '../../http/message.ts'
import { errorFacts } from '../../log.ts'
import { twinPathOf, type Page } from '../../site/page.ts'
import type { Receipts } from '../receipt.ts'
import { callTool, type Arguments, type Caller, type ToolParts } from './tools.ts'

/** The twins of `pages` and the receipts are offered as resources. */
export type ProtocolParts = ToolParts & {
  pages: readonly Page[]
  receipts: Pick<Receipts, 'find'>
}

export class Protocol {
  readonly #parts: ProtocolParts
  readonly #toolList: { tools: Tool[] }
  readonly #twins: readonly Twin[]

  constructor(parts: ProtocolParts) {
    const { business, pages, baseUrl } = parts
    this.#parts = parts
    this.#toolList = { tools: toolsOf(business) }
    this.#twins = pages.filter(({ indexed }) => indexed).map((page) => toTwin(page, baseUrl))
  }

  async answer(message: unknown, caller: Caller): Promise<Answer> {
    const headers = { ...protocolHeaders(caller.ask), ...jsonHeaders }
    const request = new Request(this.#parts.baseUrl + routes.mcp.path, { method: 'POST', headers })
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

  /** Makes a server for one message. The low-level `Server` is enough: our tools are data and check their own arguments. */
  #openServer(message: unknown, caller: Caller): Server {
    const { instructions, capabilities, ...about } = mcpServer
    const { baseUrl } = this.#parts
    const serverInfo = { ...about, websiteUrl: `${baseUrl}/` }
    const server = new Server(serverInfo, { capabilities, cacheHints, instructions })
    server.setRequestHandler('tools/list', () => this.#toolList)
    server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
      const args = argumentsOf(message)
      const agent = agentOf(mcpReq.envelope)
      const result = await callTool(this.#parts, { name: params.name, args, agent }, caller)
      if (result === undefined) throw noSuchTool
      return result
    })
    server.setRequestHandler('resources/list', () => ({
      resources: this.#twins.map(({ text: _text, ...listed }) => listed),
    }))
    server.setRequestHandler('resources/templates/list', () => ({
      resourceTemplates: [receiptTemplate(baseUrl)],
    }))
    server.setRequestHandler('resources/read', ({ params: { uri } }) =>
      uri.startsWith(baseUrl + routes.receipt.path)
        ? this.#readReceipt(uri, caller)
        : this.#readTwin(uri),
    )
    return server
  }

  /** A receipt changes with every move of its lead, and belongs to one person: nobody may cache it. */
  async #readReceipt(uri: string, caller: Caller) {
    const token = uri.slice(uri.lastIndexOf('/') + 1)
    const receipt = await this.#parts.receipts.find(token).catch((error: unknown) => {
      caller.logFacts = errorFacts(error)
      throw lookupUnavailable
    })
    if (receipt === undefined) throw new ResourceNotFoundError(shown(uri), noReceiptWords)
    const text = JSON.stringify(receipt)
    const contents = [{ uri, mimeType: 'application/json', text }]
    return { contents, ttlMs: 0, cacheScope: 'private' as const }
  }

  #readTwin(asked: string) {
    const twin = this.#twins.find(({ uri }) => uri === asked)
    if (twin === undefined) throw new ResourceNotFoundError(shown(asked))
    const { uri, mimeType, text } = twin
    return { contents: [{ uri, mimeType, text }] }
  }
}

/** Clients may cache for an hour: tools and resources change only with a restart. */
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

const noReceiptWords = `${noReceipt.error.message} ${noReceipt.error.resolution}`

const lookupUnavailable = new ProtocolError(
  ProtocolErrorCode.InternalError,
  `${errors.LOOKUP_UNAVAILABLE.message} Ask again in ${retryAfterS} seconds.`,
)

/** The library requires both types in `accept`, but answers with JSON. */
const jsonHeaders = {
  accept: 'application/json, text/event-stream',
  'content-type': 'application/json',
}

function protocolHeaders({ headers }: Ask): Record<string, string> {
  const names = ['mcp-protocol-version', 'mcp-method', 'mcp-name']
  const sent = names.filter((name) => headers[name] !== undefined)
  return Object.fromEntries(sent.map((name) => [name, String(headers[name])]))
}

/** Reads the arguments from the original message: the library's copy lacks a field named `__proto__`. */
function argumentsOf(message: unknown): Arguments {
  return (message as { params: { arguments?: Arguments } }).params.arguments ?? {}
}

/** Returns '' for older versions: they name the client only in `initialize`, and we keep no sessions. */
function agentOf(envelope: object | undefined): string {
  const client = (envelope as Record<string, unknown> | undefined)?.[CLIENT_INFO_META_KEY]
  const { name, version } = (client ?? {}) as { name?: unknown; version?: unknown }
  const told = [name, version].filter((part) => typeof part === 'string')
  return normaliseText(told.join('/').slice(0, 200))
}

/** An error repeats the start of an address, not 64 KiB of it. */
function shown(uri: string): string {
  return uri.slice(0, 200)
}

async function toAnswer(response: Response): Promise<Answer> {
  const { status, headers } = response
  const body = await response.text()
  const type = headers.get('content-type')
  if (type === 'application/json') return { ...postAnswer(body), status }
  return { ...emptyAnswer(status, ...(type === null ? [] : ['Content-Type', type])), body }
}

type Twin = ReturnType<typeof toTwin>

function toTwin({ path, name, title, description, markdown }: Page, baseUrl: string) {
  const uri = baseUrl + twinPathOf(path)
  return { uri, name, title, description, mimeType: 'text/markdown', text: markdown }
}
