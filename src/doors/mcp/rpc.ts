/** JSON-RPC, as far as it is the same in every version of the protocol. */
import { jsonAnswer } from '../../http/answer.ts'
import type { Answer, Ask } from '../../http/message.ts'

export type RpcObject = Readonly<Record<string, unknown>>

const headerNames = ['mcp-protocol-version', 'mcp-method', 'mcp-name'] as const
export type RpcHeaders = { readonly [name in (typeof headerNames)[number]]?: string }

export const rpcCodes = {
  parseError: -32700,
  invalidRequest: -32600,
  invalidParams: -32602,
  internalError: -32603,
  /** Refused before the message was looked at. */
  refused: -32000,
} as const

/** Where no id could be read, there is none to repeat. */
export function rpcFailure(status: number, code: keyof typeof rpcCodes, message: string): Answer {
  return jsonAnswer(status, { jsonrpc: '2.0', error: { code: rpcCodes[code], message }, id: null })
}

export function isRpcObject(value: unknown): value is RpcObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Looks no further than the given number of levels, so that no message is too deep to be looked at. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  return Object.values(value).some((inner) => isDeeperThan(inner, levels - 1))
}

/** All that the protocol reads of a request beside its message. */
export function rpcHeaders(headers: Ask['headers']): RpcHeaders {
  const read: Record<string, string> = {}
  for (const name of headerNames) {
    const value = headers[name]
    if (typeof value === 'string') read[name] = value
  }
  return read
}
