/** POST /mcp: limits, reads and checks a message before the protocol answers it. */
import { documents } from '../../contract/documents.ts'
import { errors } from '../../contract/errors.ts'
import { jsonAnswer } from '../../http/answers.ts'
import { withHeaders, type Answer, type Ask } from '../../http/message.ts'
import { isUncompressed, mediaType, readJson } from '../../http/body.ts'
import { type WrongMethod } from '../../http/router.ts'
import { type Limits, type Quota } from '../../lead/limits.ts'
import { errorFacts } from '../../log.ts'
import { waitHeaders } from '../clients.ts'
import { limitedFacts } from '../outcomes.ts'
import type { Protocol, ProtocolParts } from './protocol.ts'

type McpParts = ProtocolParts & { limits: Limits; now: () => number }

const loopback = ['localhost', '127.0.0.1', '[::1]']

export class McpDoor {
  readonly #parts: McpParts
  /** Hosts whose pages may call /mcp. See docs/decisions/0008-agents.md. */
  readonly #origins: ReadonlySet<string | undefined>
  #protocol: Promise<Protocol> | undefined

  constructor(parts: McpParts) {
    this.#parts = parts
    this.#origins = new Set([...loopback, new URL(parts.site.baseUrl).hostname])
  }

  /** The library of MCP takes a fifth of a start, so it is loaded afterwards. */
  load(): Promise<Protocol> {
    return (this.#protocol ??= import('./protocol.ts').then((own) => new own.Protocol(this.#parts)))
  }

  async answer(ask: Ask): Promise<Answer> {
    try {
      const { limits, now } = this.#parts
      const { limited, quota } = limits.countRequest(ask.address, now())
      const read = this.#read(ask)
      // A model sees no HTTP status, so a limited tool call gets a result in words.
      if (limited && !isToolCall(read.message)) return tooManyRequests(quota)
      if (read.refusal !== undefined) return read.refusal
      const caller = { ask, waitS: limited ? quota.resetS : undefined, logFacts: {} }
      const protocol = await this.load()
      const answer = await protocol.answer(read.message, caller)
      return { ...answer, logFacts: caller.logFacts }
    } catch (error) {
      return { ...fault, logFacts: errorFacts(error) }
    }
  }

  #read({ headers, body }: Ask): { message?: unknown; refusal?: Answer } {
    // The Host header is not checked: DNS rebinding needs a browser, and browsers send `Origin`.
    const { origin } = headers
    if (origin !== undefined && !this.#origins.has(URL.parse(origin)?.hostname)) {
      return { refusal: foreignOrigin }
    }
    const isJson = mediaType(headers['content-type']) === 'application/json'
    if (!isJson || !isUncompressed(headers)) return { refusal: wrongType }
    if (!Buffer.isBuffer(body)) return { refusal: tooLarge }
    const json = readJson(body)
    if (json === undefined) return { refusal: notJson }
    const message = json.value
    if (Array.isArray(message)) return { refusal: batch }
    return isTooMuch(message) ? { refusal: tooMuch } : { message }
  }
}

/** Points to the MCP card, because the API description does not describe this endpoint. */
export const onlyPost: WrongMethod = (_ask, allow) => withHeaders(notPosted, { Allow: allow })

function isToolCall(message: unknown): boolean {
  return (message as { method?: unknown } | null | undefined)?.method === 'tools/call'
}

/** The library takes about 20 microseconds for each invalid value. */
const mostValues = 500
/** Deeper than a tool's arguments may be, so that the tool itself can explain the limit. */
const mostLevels = 32

function isTooMuch(message: unknown): boolean {
  let values = 0
  const isMore = (value: unknown, levels: number): boolean => {
    values += 1
    if (values > mostValues || levels > mostLevels) return true
    if (typeof value !== 'object' || value === null) return false
    return Object.values(value).some((inner) => isMore(inner, levels + 1))
  }
  return isMore(message, 0)
}

function tooManyRequests(quota: Quota): Answer {
  const { status, message } = errors.RATE_LIMITED
  const words = `${message} Wait ${quota.resetS} seconds, then send it again.`
  const answer = failure(status, refused, words)
  return { ...withHeaders(answer, waitHeaders(quota.resetS, quota)), logFacts: limitedFacts }
}

const parseError = -32700
const invalidRequest = -32600
const internalError = -32603
/** JSON-RPC reserves this code for errors that the server defines. */
const refused = -32000

function failure(status: number, code: number, message: string): Answer {
  return jsonAnswer(status, { jsonrpc: '2.0', error: { code, message }, id: null })
}

const notPosted = failure(
  errors.METHOD_NOT_ALLOWED.status,
  refused,
  `Send one JSON-RPC message with POST. The card has the versions and the tools: ${documents.mcpCard.path}`,
)
const foreignOrigin = failure(
  403,
  refused,
  'Scripts of other sites may not call this endpoint. They may send a request to /api/lead.',
)
const wrongType = failure(
  415,
  refused,
  'Send one JSON-RPC message as application/json, without Content-Encoding.',
)
const tooLarge = failure(413, refused, errors.PAYLOAD_TOO_LARGE.message)
const notJson = failure(400, parseError, 'The body is not JSON in UTF-8.')
const batch = failure(400, invalidRequest, 'Send one message at a time, not a batch.')
const tooMuch = failure(
  400,
  invalidRequest,
  `The message has more than ${mostValues} values, or is nested deeper than ${mostLevels} levels. Leave out what is not needed, such as icons, and send it again.`,
)
const fault = failure(500, internalError, 'Internal error')
