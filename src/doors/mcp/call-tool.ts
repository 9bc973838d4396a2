/** What the tools do. Errors come in the same envelope as over HTTP. */
import { errorEnvelope } from '../../contract/errors.ts'
import type { ErrorCode } from '../../contract/errors.ts'
import type { Problem } from '../../contract/check-fields.ts'
import type { Business } from '../../contract/business.ts'
import { retryAfterS } from '../../contract/limits.ts'
import { routes } from '../../contract/routes.ts'
import { receivedMessage } from '../../contract/receipt.ts'
import { listPublicEndpoints, toBusinessInfo, tools } from '../../contract/tools.ts'
import type { Ask } from '../../http/message.ts'
import type { Outcome, TakeLead } from '../../lead/take.ts'
import { errorFields, limitedFields, outcomeFields } from '../log-fields.ts'
import { userAgentOf, withDedup } from '../lead/read-lead.ts'
import type { RpcObject } from './rpc.ts'

export type ToolParts = {
  takeLead: TakeLead
  business: Business
  /** Without a slash at its end. */
  baseUrl: string
}

export type ToolCall = {
  name: string
  args: RpcObject
  ask: Ask
  /** Of a client past the hard limit: how long it has to wait. */
  waitS: number | undefined
  agent: string
}

export type Called = {
  /** The members of the tool's result: its JSON without the braces around it. */
  members: string
  logFields?: string
}

/** Never throws. `undefined`: there is no such tool. */
export type CallTool = (call: ToolCall) => Promise<Called> | undefined

export function createCallTool({ takeLead, business, baseUrl }: ToolParts): CallTool {
  const fixed = new Map<string, Promise<Called>>([
    [tools.getBusinessInfo.name, succeed(toBusinessInfo(business, baseUrl))],
    [tools.listPublicEndpoints.name, succeed(listPublicEndpoints(baseUrl))],
  ])
  const received = createReceived(baseUrl)

  return (call) => {
    if (call.waitS !== undefined) return Promise.resolve(limited(call.waitS))
    return call.name === tools.submitConsultationLead.name ? submit(call) : fixed.get(call.name)
  }

  async function submit({ args, ask, agent }: ToolCall): Promise<Called> {
    try {
      const read = withDedup({ body: args, door: 'mcp' })
      if ('error' in read) return { members: failure(read.error, read.problems) }
      const { body, door, dedup } = read
      const { address } = ask
      const sending = { body, door, dedup, address, userAgent: userAgentOf(ask), agent }
      const outcome = await takeLead(sending)
      return { members: membersOf(outcome), logFields: outcomeFields(outcome) }
    } catch (error) {
      return { members: failure('INTERNAL_ERROR'), logFields: errorFields(error) }
    }
  }

  function membersOf(outcome: Outcome): string {
    switch (outcome.kind) {
      case 'accepted':
      case 'repeated':
        return received(outcome)
      case 'invalid':
        return failure('VALIDATION_ERROR', outcome.problems)
      case 'key-reused':
        return failure('IDEMPOTENCY_KEY_REUSED')
      case 'withdrawn':
        return failure('REQUEST_WITHDRAWN')
      case 'limited':
        return failure('RATE_LIMITED', [], outcome.waitS)
      case 'unavailable':
        return failure('STORAGE_UNAVAILABLE', [], retryAfterS)
    }
  }
}

type Received = Pick<Extract<Outcome, { token: string }>, 'reference' | 'token' | 'unlisted'>

/** Most results differ only in reference and token, and neither needs escaping. */
function createReceived(baseUrl: string): (received: Received) => string {
  const toResult = (reference: string, token: string) => ({
    ok: true,
    message: receivedMessage,
    reference,
    status_url: `${baseUrl}${routes.receipt.path}${token}`,
    receipt_token: token,
  })
  const pattern = success(toResult('{reference}', '{token}'))
  return ({ reference, token, unlisted }) =>
    unlisted.length === 0
      ? pattern.replaceAll('{reference}', reference).replaceAll('{token}', token)
      : success({ ...toResult(reference, token), unlisted })
}

function succeed(structuredContent: object): Promise<Called> {
  return Promise.resolve({ members: success(structuredContent) })
}

/** As JSON, and as text for clients that read only text. */
function success(structuredContent: object): string {
  const json = JSON.stringify(structuredContent)
  return `"content":[${text(json)}],"structuredContent":${json}`
}

function limited(waitS: number): Called {
  return { members: failure('RATE_LIMITED', [], waitS), logFields: limitedFields }
}

/** As text only: some clients check structured content against the schema of a success. */
function failure(code: ErrorCode, problems: readonly Problem[] = [], waitS?: number): string {
  const content = [text(JSON.stringify(errorEnvelope(code, problems)))]
  // A model sees no HTTP headers.
  if (waitS !== undefined) content.push(text(`Retry-After: ${waitS} seconds`))
  return `"content":[${content.join(',')}],"isError":true`
}

function text(words: string): string {
  return `{"type":"text","text":${JSON.stringify(words)}}`
}
