/** Runs the MCP tools. Their errors have the same envelope as over HTTP. */
import { type Business } from '../../contract/business.ts'
import { errorEnvelope } from '../../contract/errors.ts'
import { listPublicEndpoints, toBusinessInfo, tools } from '../../contract/tools.ts'
import { type Ask } from '../../http/message.ts'
import { type LeadTaker } from '../../lead/take.ts'
import { errorFacts, type LogFacts } from '../../log.ts'
import { userAgentOf, withDedup } from '../lead/read-lead.ts'
import {
  isTaken,
  limitedFacts,
  outcomeFacts,
  toFailure,
  toSuccess,
  type Failure,
} from '../outcomes.ts'

export type Arguments = Readonly<Record<string, unknown>>

type Call = { name: string; args: Arguments; agent: string }

export type Caller = {
  readonly ask: Ask
  /** Seconds that a client above the hard limit has to wait; `undefined` below the limit. */
  readonly waitS: number | undefined
  /** Facts that the tool sets for the log line of the request. */
  logFacts: LogFacts
}

export type ToolParts = {
  taker: LeadTaker
  business: Business
  /** Has no slash at its end. */
  baseUrl: string
}

type ToolResult = {
  content: { type: 'text'; text: string }[]
  structuredContent?: Record<string, unknown>
  isError?: true
}

/** Never throws. Returns `undefined` if there is no such tool. */
export async function callTool(
  parts: ToolParts,
  call: Call,
  caller: Caller,
): Promise<ToolResult | undefined> {
  if (caller.waitS !== undefined) {
    caller.logFacts = limitedFacts
    return toError({ error: 'RATE_LIMITED', problems: [], waitS: caller.waitS })
  }
  switch (call.name) {
    case tools.getBusinessInfo.name:
      return withoutArguments(call) ?? success(toBusinessInfo(parts.business, parts.baseUrl))
    case tools.listPublicEndpoints.name:
      return withoutArguments(call) ?? success(listPublicEndpoints(parts.baseUrl))
    case tools.submitConsultationLead.name:
      return submit(parts, call, caller)
    default:
      return undefined
  }
}

/** Refuses a call with arguments: its agent probably means another tool. Returns `undefined` if there are none. */
function withoutArguments({ args }: Call): ToolResult | undefined {
  const [name] = Object.keys(args)
  if (name === undefined) return undefined
  const words = `This tool takes no arguments. Call it again without ${JSON.stringify(name)}.`
  return { content: [text(words)], isError: true }
}

async function submit(
  parts: ToolParts,
  { args, agent }: Call,
  caller: Caller,
): Promise<ToolResult> {
  try {
    const read = withDedup({ body: args, door: 'mcp' })
    if ('error' in read) return toError(read)
    const { address } = caller.ask
    const userAgent = userAgentOf(caller.ask)
    const outcome = await parts.taker.takeLead({ ...read, address, userAgent, agent })
    caller.logFacts = outcomeFacts(outcome)
    return isTaken(outcome) ? success(toSuccess(outcome, args, parts)) : toError(toFailure(outcome))
  } catch (error) {
    caller.logFacts = errorFacts(error)
    return toError({ error: 'INTERNAL_ERROR', problems: [] })
  }
}

/** A success is sent as data, and as text for clients that read only text. */
function success(structuredContent: Record<string, unknown>): ToolResult {
  return { content: [text(JSON.stringify(structuredContent))], structuredContent }
}

/** An error is text only: some clients check structured content against the schema of a success. */
function toError({ error, problems, waitS }: Failure): ToolResult {
  const content = [text(JSON.stringify(errorEnvelope(error, problems)))]
  // The wait is part of the text: a model sees no HTTP headers.
  if (waitS !== undefined) content.push(text(`Retry-After: ${waitS} seconds`))
  return { content, isError: true }
}

function text(words: string) {
  return { type: 'text' as const, text: words }
}
