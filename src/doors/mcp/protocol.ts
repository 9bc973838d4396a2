/**
 * MCP by its own library: version 2026-07-28, where every request stands alone, and the versions
 * before it, which begin with `initialize`. There are no sessions in either.
 */
import {
  classifyInboundRequest,
  createMcpHandler,
  ProtocolError,
  ResourceNotFoundError,
  Server,
} from '@modelcontextprotocol/server'
import type { CallToolResult, JSONRPCMessage, Tool, Transport } from '@modelcontextprotocol/server'
import type { Business } from '../../contract/business.ts'
import { routes } from '../../contract/routes.ts'
import { mcpServer, protocolVersions, toolsOf } from '../../contract/tools.ts'
import { emptyAnswer, postAnswer } from '../../http/answer.ts'
import type { Answer } from '../../http/message.ts'
import { twinPathOf } from '../../site/page.ts'
import type { Page } from '../../site/page.ts'
import { explainInvalidParams, isRpcObject, rpcCodes, rpcFailure } from './rpc.ts'
import type { RpcHeaders, RpcObject } from './rpc.ts'

export type Exchange = {
  headers: RpcHeaders
  message: unknown
  /** Calls the tool that the message names and returns the members of its result. `undefined`: no such tool. */
  callTool: () => Promise<string> | undefined
}

export type Protocol = (exchange: Exchange) => Promise<Answer>

export type ProtocolParts = {
  baseUrl: string
  business: Pick<Business, 'owner'>
  /** Their twins are offered as resources. */
  pages: readonly Page[]
}

export function createProtocol({ baseUrl, business, pages }: ProtocolParts): Protocol {
  const { instructions, capabilities, ...about } = mcpServer
  const url = baseUrl + routes.mcp.path
  const serverInfo = { ...about, websiteUrl: `${baseUrl}/` }
  const options = { capabilities, cacheHints, instructions }
  const toolList = { tools: toolsOf(business) as unknown as Tool[] }
  const twins = pages.filter(({ indexed }) => indexed).map((page) => toTwin(page, baseUrl))
  const resources = twins.map(({ text: _text, ...listed }) => listed)

  return (exchange) => {
    const route = classify(exchange)
    if (route.kind !== 'legacy') return standAlone(exchange)
    const version = exchange.headers['mcp-protocol-version']
    if (route.reason !== 'initialize' && !isKnown(version)) return Promise.resolve(unknownVersion)
    // Notifications and responses from the client need no action.
    const isWord = route.reason === 'notification' || route.reason === 'response'
    return isWord ? Promise.resolve(emptyAnswer(202)) : askOnce(exchange)
  }

  /** The library answers with a Response, and checks the headers against the message. */
  async function standAlone(exchange: Exchange): Promise<Answer> {
    const { headers, message } = exchange
    const handler = createMcpHandler(() => openServer(exchange), { legacy: 'reject' })
    const request = new Request(url, { method: 'POST', headers: { ...headers, ...jsonType } })
    return toAnswer(await handler.fetch(request, { parsedBody: message }))
  }

  /** A connection for one question and its answer. */
  function askOnce(exchange: Exchange): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const transport: Transport = {
        start: () => Promise.resolve(),
        close: () => Promise.resolve(),
        send(reply) {
          resolve(postAnswer(JSON.stringify(explainInvalidParams(reply))))
          return Promise.resolve()
        },
      }
      openServer(exchange)
        .connect(transport)
        .then(() => transport.onmessage!(exchange.message as JSONRPCMessage))
        .catch(reject)
    })
  }

  /** The low-level server is enough: our tools are data, and the fields are checked when the lead is taken. */
  function openServer({ callTool }: Exchange): Server {
    const server = new Server(serverInfo, options)
    server.setRequestHandler('tools/list', () => toolList)
    server.setRequestHandler('tools/call', () => {
      const called = callTool()
      if (called === undefined) throw noSuchTool
      return called.then((members) => JSON.parse(`{${members}}`) as CallToolResult)
    })
    server.setRequestHandler('resources/list', () => ({ resources }))
    server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [] }))
    server.setRequestHandler('resources/read', ({ params }) => readTwin(params.uri))
    return server
  }

  function readTwin(asked: string) {
    const twin = twins.find(({ uri }) => uri === asked)
    if (twin === undefined) throw new ResourceNotFoundError(asked)
    const { uri, mimeType, text } = twin
    return { contents: [{ uri, mimeType, text }] }
  }
}

const jsonType = { 'content-type': 'application/json' }

/** Tools and resources change only with a restart. */
const hint = { ttlMs: 3_600_000, cacheScope: 'public' } as const
const cacheHints = {
  'server/discover': hint,
  'tools/list': hint,
  'resources/list': hint,
  'resources/templates/list': hint,
  'resources/read': hint,
}

function classify({ headers, message }: Exchange) {
  const { 'mcp-protocol-version': version, 'mcp-method': method, 'mcp-name': name } = headers
  return classifyInboundRequest({
    httpMethod: 'POST',
    ...(version !== undefined && { protocolVersionHeader: version }),
    ...(method !== undefined && { mcpMethodHeader: method }),
    ...(name !== undefined && { mcpNameHeader: name }),
    body: message,
  })
}

async function toAnswer(response: Response): Promise<Answer> {
  const { status } = response
  const body = await response.text()
  const type = response.headers.get('content-type')
  if (type === jsonType['content-type']) {
    const reply = nameAllVersions(explainInvalidParams(JSON.parse(body)))
    return { ...postAnswer(JSON.stringify(reply)), status }
  }
  return { ...emptyAnswer(status, ...(type === null ? [] : ['Content-Type', type])), body }
}

/** In the answer to `server/discover` the library leaves out those that begin with `initialize`. */
function nameAllVersions(reply: unknown): unknown {
  const result = isRpcObject(reply) ? reply['result'] : undefined
  if (!isRpcObject(result) || !('supportedVersions' in result)) return reply
  return { ...(reply as RpcObject), result: { ...result, supportedVersions: protocolVersions } }
}

function isKnown(version: string | undefined): boolean {
  return version === undefined || (protocolVersions as readonly string[]).includes(version)
}

const unknownVersion = rpcFailure(
  400,
  'refused',
  `Bad Request: Unsupported protocol version (supported versions: ${protocolVersions.join(', ')})`,
)

const noSuchTool = new ProtocolError(
  rpcCodes.invalidParams,
  'There is no tool of this name; see tools/list.',
)

function toTwin({ path, name, title, description, markdown }: Page, baseUrl: string) {
  const uri = baseUrl + twinPathOf(path)
  return { uri, name, title, description, mimeType: 'text/markdown', text: markdown }
}
