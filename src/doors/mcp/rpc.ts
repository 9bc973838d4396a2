/** The parts of JSON-RPC that are the same in every version of MCP. */
import { jsonAnswer } from '../../http/answer.ts'
import { readJson } from '../../http/body.ts'
import type { Answer, Ask } from '../../http/message.ts'

export type RpcObject = Readonly<Record<string, unknown>>

const headerNames = ['mcp-protocol-version', 'mcp-method', 'mcp-name'] as const
export type RpcHeaders = { readonly [name in (typeof headerNames)[number]]?: string }

export const rpcCodes = {
  parseError: -32700,
  invalidRequest: -32600,
  invalidParams: -32602,
  internalError: -32603,
  /** Refused before the message was read. */
  refused: -32000,
} as const

/** For messages whose id could not be read. */
export function rpcFailure(status: number, code: keyof typeof rpcCodes, message: string): Answer {
  return jsonAnswer(status, { jsonrpc: '2.0', error: { code: rpcCodes[code], message }, id: null })
}

/**
 * For params that do not fit, the library answers with its validator's findings as JSON, mostly as
 * an internal error. The client gets invalidParams, and the findings in words.
 */
export function explainInvalidParams(reply: unknown): unknown {
  const error = isRpcObject(reply) && isRpcObject(reply['error']) ? reply['error'] : undefined
  const findings = error && readFindings(String(error['message']))
  if (findings === undefined) return reply
  const told = findings
    .slice(0, mostFindings)
    .map(({ path, message }) => `${path.join('.')}: ${message}`)
  return {
    ...(reply as RpcObject),
    error: { code: rpcCodes.invalidParams, message: `These do not fit. ${told.join('. ')}.` },
  }
}

const mostFindings = 5

type Finding = { path: (string | number)[]; message: string }

/** `undefined`: the message is not the validator's. */
function readFindings(message: string): Finding[] | undefined {
  const [, list] = /^(?:Invalid [\w/]+ request: )?(\[[^]*)$/.exec(message) ?? []
  const found = list === undefined ? undefined : readJson(Buffer.from(cut(list)))?.value
  return Array.isArray(found) && found.length > 0 && found.every(isFinding) ? found : undefined
}

const longestFindings = 4 * 1024

/** Whole findings at the start of a long list. Each ends on a line of its own, which no text in it can look like. */
function cut(list: string): string {
  if (list.length <= longestFindings) return list
  const end = list.lastIndexOf(findingEnd, longestFindings)
  return end === -1 ? list : `${list.slice(0, end)}${findingEnd.slice(0, -1)}]`
}

const findingEnd = '\n  },'

function isFinding(value: unknown): value is Finding {
  if (!isRpcObject(value) || typeof value['message'] !== 'string') return false
  const { path } = value
  return Array.isArray(path) && path.every((step) => /^(string|number)$/.test(typeof step))
}

export function isRpcObject(value: unknown): value is RpcObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Descends at most `levels` levels, so that no message can overflow the stack. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  return Object.values(value).some((inner) => isDeeperThan(inner, levels - 1))
}

/** The headers that the protocol reads. */
export function rpcHeaders(headers: Ask['headers']): RpcHeaders {
  const read: Record<string, string> = {}
  for (const name of headerNames) {
    const value = headers[name]
    if (typeof value === 'string') read[name] = value
  }
  return read
}
