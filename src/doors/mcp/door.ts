/** POST /mcp: one JSON-RPC message in, one answer out, in every version of the protocol. */
import { normaliseText } from '../../contract/check-fields.ts'
import { readJson } from '../../http/json.ts'
import type { Answer, App, Ask } from '../../http/message.ts'
import { createLazy } from '../../lazy.ts'
import type { Page } from '../../site/page.ts'
import { errorFields, withLogFields } from '../log-fields.ts'
import { createCallTool } from './call-tool.ts'
import type { Called, ToolCall, ToolParts } from './call-tool.ts'
import { withFrameCache } from './frame-cache.ts'
import { createGuard } from './guard.ts'
import { isDeeperThan, isRpcObject, rpcFailure, rpcHeaders } from './rpc.ts'

export type McpParts = ToolParts & {
  /** Their twins are offered as resources. */
  pages?: readonly Page[]
}

/** Never throws. */
export function createMcpDoor({ pages = [], ...parts }: McpParts): App {
  const guard = createGuard(parts.baseUrl)
  const callTool = createCallTool(parts)
  // Loaded when first needed: the library costs more than the rest of the start.
  const library = createLazy(async () => {
    const { createProtocol } = await import('./protocol.ts')
    return createProtocol({ baseUrl: parts.baseUrl, pages })
  })
  const protocol = withFrameCache(async (exchange) => library.use((answer) => answer(exchange)))

  return async (ask) => {
    try {
      const guarded = guard(ask)
      return Buffer.isBuffer(guarded) ? await reply(ask, guarded) : guarded
    } catch (error) {
      return withLogFields(fault, errorFields(error))
    }
  }

  async function reply(ask: Ask, body: Buffer): Promise<Answer> {
    const json = readJson(body)
    if (json === undefined) return notJson
    const message = json.value
    if (Array.isArray(message)) return batch
    if (isDeeperThan(withoutArguments(message), mostLevels)) return tooDeep
    const call = readCall(ask, message)
    let logFields = ''
    const answer = await protocol({
      headers: rpcHeaders(ask.headers),
      message,
      callTool: () => call && callTool(call)?.then(toMembers),
    })
    return withLogFields(answer, logFields)

    function toMembers(called: Called): string {
      logFields = called.logFields ?? ''
      return called.members
    }
  }
}

const notJson = rpcFailure(400, 'parseError', 'The body is not JSON in UTF-8.')
const batch = rpcFailure(400, 'invalidRequest', 'Send one message at a time, not a batch.')
const tooDeep = rpcFailure(400, 'invalidRequest', 'The message is nested too deep.')
const fault = rpcFailure(500, 'internalError', 'Internal error')

/** In the message itself; the arguments of a tool are checked by the tool. */
const mostLevels = 32

function withoutArguments(message: unknown): unknown {
  if (!isRpcObject(message) || !isRpcObject(message['params'])) return message
  return { ...message, params: { ...message['params'], arguments: undefined } }
}

/** `undefined`: it calls no tool. */
function readCall(ask: Ask, message: unknown): ToolCall | undefined {
  if (!isRpcObject(message) || message['method'] !== 'tools/call') return undefined
  const { params } = message
  if (!isRpcObject(params)) return undefined
  const { name, arguments: args, _meta: meta } = params
  return {
    name: typeof name === 'string' ? name : '',
    args: isRpcObject(args) ? args : {},
    ask,
    agent: isRpcObject(meta) ? agentOf(meta['io.modelcontextprotocol/clientInfo']) : '',
  }
}

/** Older versions name the client in `initialize` only, and there are no sessions to remember it. */
function agentOf(client: unknown): string {
  if (!isRpcObject(client)) return ''
  const { name, version } = client
  const told = [name, version].filter((part) => typeof part === 'string')
  return normaliseText(told.join('/').slice(0, 200))
}
