/** What the tools do. Errors come in the same envelope as over HTTP. */
import { type Business } from '../../contract/business.ts'
import { type Problem } from '../../contract/check-fields.ts'
import { errorEnvelope, type ErrorCode } from '../../contract/errors.ts'
import { retryAfterS } from '../../contract/limits.ts'
import { receivedMessage } from '../../contract/receipt.ts'
import { routes } from '../../contract/routes.ts'
import { listPublicEndpoints, toBusinessInfo, tools } from '../../contract/tools.ts'
import { type Ask } from '../../http/message.ts'
import { type Outcome, type TakeLead } from '../../lead/take.ts'
import { errorFacts, type LogFacts } from '../../log.ts'
import { userAgentOf, withDedup } from '../lead/read-lead.ts'
import { limitedFacts, outcomeFacts } from '../log-facts.ts'

export type Arguments = Readonly<Record<string, unknown>>

type Call = { name: string; args: Arguments; agent: string }

export type Caller = {
  readonly ask: Ask
  /** How long a client past the hard limit has to wait. */
  readonly waitS: number | undefined
  /** Set by the tool, for the log line of the request. */
  logFacts: LogFacts
}

type ToolResult = {
  content: { type: 'text'; text: string }[]
  structuredContent?: Record<string, unknown>
  isError?: true
}

export class Tools {
  readonly #takeLead: TakeLead
  readonly #business: Business
  readonly #baseUrl: string

  /** `baseUrl`: without a slash at its end. */
  constructor(takeLead: TakeLead, business: Business, baseUrl: string) {
    this.#takeLead = takeLead
    this.#business = business
    this.#baseUrl = baseUrl
  }

  /** Never throws. `undefined`: there is no such tool. */
  async call(call: Call, caller: Caller): Promise<ToolResult | undefined> {
    if (caller.waitS !== undefined) {
      caller.logFacts = limitedFacts
      return failure('RATE_LIMITED', [], caller.waitS)
    }
    switch (call.name) {
      case tools.getBusinessInfo.name:
        return success(toBusinessInfo(this.#business, this.#baseUrl))
      case tools.listPublicEndpoints.name:
        return success(listPublicEndpoints(this.#baseUrl))
      case tools.submitConsultationLead.name:
        return this.#submit(call, caller)
      default:
        return undefined
    }
  }

  async #submit({ args, agent }: Call, caller: Caller): Promise<ToolResult> {
    try {
      const read = withDedup({ body: args, door: 'mcp' })
      if ('error' in read) return failure(read.error, read.problems)
      const { address } = caller.ask
      const userAgent = userAgentOf(caller.ask)
      const outcome = await this.#takeLead({ ...read, address, userAgent, agent })
      caller.logFacts = outcomeFacts(outcome)
      return this.#toResult(outcome)
    } catch (error) {
      caller.logFacts = errorFacts(error)
      return failure('INTERNAL_ERROR')
    }
  }

  #toResult(outcome: Outcome): ToolResult {
    switch (outcome.kind) {
      case 'accepted':
      case 'repeated':
        return success({
          ok: true,
          message: receivedMessage,
          reference: outcome.reference,
          status_url: `${this.#baseUrl}${routes.receipt.path}${outcome.token}`,
          receipt_token: outcome.token,
          ...(outcome.unlisted.length > 0 && { unlisted: outcome.unlisted }),
        })
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

/** The answer as data, and as text for clients that read only text. */
function success(structuredContent: Record<string, unknown>): ToolResult {
  return { content: [text(JSON.stringify(structuredContent))], structuredContent }
}

/** An error is text only: some clients check structured content against the schema of a success. */
function failure(code: ErrorCode, problems: readonly Problem[] = [], waitS?: number): ToolResult {
  const content = [text(JSON.stringify(errorEnvelope(code, problems)))]
  // A model sees no HTTP headers.
  if (waitS !== undefined) content.push(text(`Retry-After: ${waitS} seconds`))
  return { content, isError: true }
}

function text(words: string) {
  return { type: 'text' as const, text: words }
}
