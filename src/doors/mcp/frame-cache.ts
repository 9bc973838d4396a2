/**
 * What the library once answered is kept for whoever asks the same again. Two questions are the
 * same when they differ only in their id, or in what they give to a tool: that the library hands on
 * unread, and it puts the same frame around every result. So a tool can be called, and its result
 * framed, without the library, whose own work costs several times that of a lead.
 */
import type { Ask } from '../../http/message.ts'
import { createRecent } from '../../recent.ts'
import { isRpcObject } from './rpc.ts'

export type Question = {
  id: string | number
  /** The same for all questions that are the same. */
  key: string
}

/** `members` are those of the tool's result; '' where no tool was called. */
export type Memory = {
  /** Puts the frame around a result. `undefined`: this has not been answered yet. */
  recall(question: Question): ((members: string) => string) | undefined
  learn(question: Question, body: string, members: string): void
}

/** What stands before the members of a result, and between them and the id. */
type Frame = { before: string; after: string }

const mostFrames = 200
const longestKey = 2_000

/** `undefined`: a message that is not to be remembered. */
export function readQuestion(headers: Ask['headers'], message: unknown): Question | undefined {
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
  const key = JSON.stringify([version, method, name, same])
  return key.length > longestKey ? undefined : { id, key }
}

export function createMemory(): Memory {
  const frames = createRecent<string, Frame>(mostFrames)
  return {
    recall({ id, key }) {
      const frame = frames.get(key)
      if (frame === undefined) return undefined
      return (members) => `${frame.before}${members}${frame.after}${JSON.stringify(id)}}`
    },
    learn({ id, key }, body, members) {
      const ending = `${JSON.stringify(id)}}`
      if (!body.startsWith('{"result":') || !body.endsWith(`"id":${ending}`)) return
      const at = body.indexOf(members)
      if (at === -1) return
      const after = body.slice(at + members.length, -ending.length)
      frames.set(key, { before: body.slice(0, at), after })
    },
  }
}

function isId(id: unknown): id is string | number {
  return typeof id === 'string' || Number.isSafeInteger(id)
}
