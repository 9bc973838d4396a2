/** Refuses scripts of other sites, and bodies that are not JSON, before the message is read. */
import { documents } from '../../contract/documents.ts'
import { errors } from '../../contract/errors.ts'
import { withHeaders } from '../../http/answer.ts'
import { isUncompressed, mediaType } from '../../http/body.ts'
import type { Answer, Ask } from '../../http/message.ts'
import type { WrongMethod } from '../../http/router.ts'
import { rpcFailure } from './rpc.ts'

/** The bytes of the message, or the answer that refuses it. */
export type Guard = (ask: Ask) => Buffer | Answer

const loopback = ['localhost', '127.0.0.1', '[::1]']

/** See docs/decisions/0009-mcp-origins.md. */
export function createGuard(baseUrl: string): Guard {
  const names = new Set([...loopback, new URL(baseUrl).hostname])

  return ({ headers, body }) => {
    const { origin } = headers
    // Any Host will do: only a browser can be led here by a foreign name, and it sends its Origin.
    if (origin !== undefined && !names.has(hostname(origin.replace(scheme, '')))) {
      return foreignOrigin
    }
    if (!isJson(headers)) return notJson
    return body === 'too-large' ? tooLarge : body
  }
}

const scheme = /^https?:\/\//

/** A name or an address, with or without a port. */
const hostPattern = /^([a-z\d.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i

function hostname(host: string): string {
  return hostPattern.exec(host)?.[1]?.toLowerCase() ?? ''
}

function isJson(headers: Ask['headers']): boolean {
  return mediaType(headers['content-type']) === 'application/json' && isUncompressed(headers)
}

const foreignOrigin = rpcFailure(
  403,
  'refused',
  'Scripts of other sites may not call this endpoint. They may send a request to /api/lead.',
)
const notJson = rpcFailure(
  415,
  'refused',
  'Send one JSON-RPC message as application/json, without Content-Encoding.',
)
/** The API description does not describe this endpoint; its card does. */
export const onlyPost: WrongMethod = (_ask, allow) => withHeaders(notPosted, 'Allow', allow)

const notPosted = rpcFailure(
  errors.METHOD_NOT_ALLOWED.status,
  'refused',
  `Send one JSON-RPC message with POST. The card has the versions and the tools: ${documents.mcpCard.path}`,
)
const tooLarge = rpcFailure(413, 'refused', errors.PAYLOAD_TOO_LARGE.message)
