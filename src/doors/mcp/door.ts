/** POST /mcp: one JSON-RPC message in, one answer out, in every version of the protocol. */
import { normaliseText } from '../../contract/check-fields.ts'
import { errors } from '../../contract/errors.ts'
import { inKibibytes, maxEnvelopeBytes } from '../../contract/limits.ts'
import { withHeaders } from '../../http/answer.ts'
import { readJson } from '../../http/body.ts'
import type { Answer, App, Ask } from '../../http/message.ts'
import { createLazy } from '../../lazy.ts'
import type { Limits, Quota } from '../../lead/limits.ts'
import type { Page } from '../../site/page.ts'
import { quotaHeaders } from '../errors.ts'
import { errorFields, limitedFields, withLogFields } from '../log-fields.ts'
import { createCallTool } from './call-tool.ts'
import type { Called, ToolCall, ToolParts } from './call-tool.ts'
import { withFrameCache } from './frame-cache.ts'
import { createGuard } from './guard.ts'
import { isDeeperThan, isRpcObject, rpcFailure, rpcHeaders } from './rpc.ts'

export type McpParts = ToolParts & {
  limits: Pick<Limits, 'countRequest'>
  now: () => number
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
    const { baseUrl, business } = parts
    return createProtocol({ baseUrl, business, pages })
  })
  const protocol = withFrameCache(async (exchange) => library.use((answer) => answer(exchange)))

  return async (ask) => {
    try {
      const { limited, quota } = parts.limits.countRequest(ask.address, parts.now())
      const guarded = guard(ask)
      if (Buffer.isBuffer(guarded)) return await reply(ask, guarded, limited ? quota : undefined)
      return limited ? tooManyRequests(quota) : guarded
    } catch (error) {
      return withLogFields(fault, errorFields(error))
    }
  }

  /** `past`: the client is past this quota. Only the call of a tool is then read, for a model sees no HTTP status. */
  async function reply(ask: Ask, body: Buffer, past: Quota | undefined): Promise<Answer> {
    const message = readJson(body)?.value
    const call = readCall(ask, message, past?.resetS)
    if (past !== undefined && call === undefined) return tooManyRequests(past)
    if (message === undefined) return notJson
    if (Array.isArray(message)) return batch
    const envelope = toEnvelope(message)
    if (isDeeperThan(envelope, mostLevels)) return tooDeep
    // With the arguments in it, the message is larger than its envelope.
    if (body.length > maxEnvelopeBytes && jsonBytes(envelope) > maxEnvelopeBytes) return tooLong
    let logFields = ''
    const answer = await protocol({
      headers: rpcHeaders(ask.headers),
      message: envelope,
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
const tooLong = rpcFailure(
  400,
  'invalidRequest',
  `The message is too long: without the arguments of a tool, at most ${inKibibytes(maxEnvelopeBytes)}. Leave out what is not needed, such as icons, and send it again.`,
)
const fault = rpcFailure(500, 'internalError', 'Internal error')

/** In the message itself; the arguments of a tool are checked by the tool. */
const mostLevels = 32

/** With empty arguments: the library does not read them, but would check each of their names. */
function toEnvelope(message: unknown): unknown {
  if (!isRpcObject(message) || message['method'] !== 'tools/call') return message
  const { params } = message
  if (!isRpcObject(params) || !isRpcObject(params['arguments'])) return message
  return { ...message, params: { ...params, arguments: {} } }
}

function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}

function tooManyRequests(quota: Quota): Answer {
  const { status, message } = errors.RATE_LIMITED
  const words = `${message} Wait ${quota.resetS} seconds, then send it again.`
  const retry = ['Retry-After', String(quota.resetS)]
  const answer = withHeaders(rpcFailure(status, 'refused', words), ...retry, ...quotaHeaders(quota))
  return withLogFields(answer, limitedFields)
}

/** `undefined`: it calls no tool. */
function readCall(ask: Ask, message: unknown, waitS: number | undefined): ToolCall | undefined {
  if (!isRpcObject(message) || message['method'] !== 'tools/call') return undefined
  const { params } = message
  if (!isRpcObject(params)) return undefined
  const { name, arguments: args, _meta: meta } = params
  return {
    name: typeof name === 'string' ? name : '',
    args: isRpcObject(args) ? args : {},
    ask,
    waitS,
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
