/**
 * The library's work costs several times that of a lead, so its answers are cached. Two messages are
 * the same when they differ only in their id and in the arguments of a tool: the library hands
 * arguments on unread, and puts the same frame around every result of a tool. So for a known message
 * only the tool is called, and its result put into the frame.
 */
import { postAnswer } from '../../http/answer.ts'
import { createRecent } from '../../recent.ts'
import type { Exchange, Protocol } from './protocol.ts'
import { isRpcObject } from './rpc.ts'

/** What stands before the members of a result, and between them and the id. */
type CachedFrame = { before: string; after: string }

type Key = { id: string | number; text: string }

const mostFrames = 200
const longestKey = 2_000

/** Answers as `protocol` does. */
export function withFrameCache(protocol: Protocol): Protocol {
  const frames = createRecent<string, CachedFrame>(mostFrames)

  return async (exchange) => {
    const key = cacheKeyOf(exchange)
    if (key === undefined) return protocol(exchange)
    const frame = frames.get(key.text)
    if (frame === undefined) return askAndLearn(exchange, key)
    const members = (await exchange.callTool()) ?? ''
    return postAnswer(`${frame.before}${members}${frame.after}${JSON.stringify(key.id)}}`)
  }

  async function askAndLearn(exchange: Exchange, { id, text }: Key) {
    let members = ''
    const callTool = () => exchange.callTool()?.then((called) => (members = called))
    const answer = await protocol({ ...exchange, callTool })
    const frame = frameIn(String(answer.body), members, id)
    if (frame !== undefined) frames.set(text, frame)
    return answer
  }
}

/** `undefined`: a message whose answer is not cached. */
function cacheKeyOf({ headers, message }: Exchange): Key | undefined {
  if (!isRpcObject(message)) return undefined
  const { id, params } = message
  if (!isId(id) || (params !== undefined && !isRpcObject(params))) return undefined
  const same: Record<string, unknown> = { ...message, id: 0 }
  if (message['method'] === 'tools/call') {
    const given = params?.['arguments']
    if (given !== undefined && !isRpcObject(given)) return undefined
    same['params'] = { ...params, arguments: undefined }
  }
  const { 'mcp-protocol-version': version, 'mcp-method': method, 'mcp-name': name } = headers
  const text = JSON.stringify([version, method, name, same])
  return text.length > longestKey ? undefined : { id, text }
}

function isId(id: unknown): id is string | number {
  return typeof id === 'string' || Number.isSafeInteger(id)
}

/** `undefined`: an error, or an answer of another shape. */
function frameIn(body: string, members: string, id: Key['id']): CachedFrame | undefined {
  const ending = `${JSON.stringify(id)}}`
  if (!body.startsWith('{"result":') || !body.endsWith(`"id":${ending}`)) return undefined
  const at = body.indexOf(members)
  if (at === -1) return undefined
  return { before: body.slice(0, at), after: body.slice(at + members.length, -ending.length) }
}
