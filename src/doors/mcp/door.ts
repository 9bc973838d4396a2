/** POST /mcp: one JSON-RPC message in, one answer out, in every version of the protocol. */
import { normaliseText } from '../../contract/check-fields.ts'
import { postAnswer } from '../../http/answer.ts'
import { readJson } from '../../http/json.ts'
import type { Answer, App, Ask } from '../../http/message.ts'
import type { Page } from '../../site/page.ts'
import { errorFacts } from '../../log.ts'
import { withLogFields } from '../log-fields.ts'
import { createCallTool } from './call-tool.ts'
import type { Called, ToolCall, ToolParts } from './call-tool.ts'
import { createGuard } from './guard.ts'
import { createMemory, readQuestion } from './frame-cache.ts'
import type { Question } from './frame-cache.ts'
import type { Protocol } from './protocol.ts'
import { isDeeperThan, isRpcObject, rpcFailure, rpcHeaders } from './rpc.ts'

export type McpParts = ToolParts & {
  /** Their twins are offered as resources. */
  pages?: readonly Page[]
}

/** Never throws. */
export function createMcpDoor({ pages = [], ...parts }: McpParts): App {
  const guard = createGuard(parts.baseUrl)
  const callTool = createCallTool(parts)
  const memory = createMemory()
  let protocol: Promise<Protocol> | undefined

  return async (ask) => {
    try {
      return guard(ask) ?? (await reply(ask))
    } catch (error) {
      return withLogFields(fault, errorFacts(error))
    }
  }

  async function reply(ask: Ask): Promise<Answer> {
    const json = readJson(ask.body as Buffer)
    if (json === undefined) return notJson
    const message = json.value
    if (Array.isArray(message)) return batch
    if (isDeeperThan(withoutArguments(message), mostLevels)) return tooDeep
    const call = readCall(ask, message)
    const question = readQuestion(ask.headers, message)
    const framed = question && memory.recall(question)
    if (framed === undefined) return askLibrary({ ask, message, call, question })
    const { members, logFields = {} } = (call && (await callTool(call))) ?? nothing
    return withLogFields(postAnswer(framed(members)), logFields)
  }

  async function askLibrary({ ask, message, call, question }: Asked): Promise<Answer> {
    let called = nothing
    const run = () => {
      const running = call && callTool(call)
      return running && Promise.resolve(running).then((done) => (called = done).members)
    }
    const answerTo = await load()
    const answer = await answerTo({ headers: rpcHeaders(ask.headers), message, callTool: run })
    if (question !== undefined) memory.learn(question, String(answer.body), called.members)
    return withLogFields(answer, called.logFields ?? {})
  }

  /** Not before it is needed: the library costs more than the rest of the start. */
  function load(): Promise<Protocol> {
    protocol ??= import('./protocol.ts').then(
      ({ createProtocol }) => createProtocol({ baseUrl: parts.baseUrl, pages }),
      (error: unknown) => {
        protocol = undefined
        throw error
      },
    )
    return protocol
  }
}

type Asked = {
  ask: Ask
  message: unknown
  call: ToolCall | undefined
  question: Question | undefined
}

const notJson = rpcFailure(400, 'parseError', 'The body is not JSON in UTF-8.')
const batch = rpcFailure(400, 'invalidRequest', 'Send one message at a time, not a batch.')
const tooDeep = rpcFailure(400, 'invalidRequest', 'The message is nested too deep.')
const fault = rpcFailure(500, 'internalError', 'Internal error')

const nothing: Called = { members: '' }

/** Of a message's own parts; what is given to a tool is checked by the tool. */
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

/** Older versions tell it with `initialize` only, which is over and forgotten by the time of a call. */
function agentOf(client: unknown): string {
  if (!isRpcObject(client)) return ''
  const { name, version } = client
  const told = [name, version].filter((part) => typeof part === 'string')
  return normaliseText(told.join('/').slice(0, 200))
}
