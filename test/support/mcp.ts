/** Messages to the MCP endpoint, as clients of both eras send them. */
import type { TestAnswer, TestApp, TestRequest } from './app.ts'

/** An undefined one is left out. */
type Headers = Record<string, string | undefined>

export function post(body: unknown, more: Headers = {}): TestRequest {
  const headers = { host: 'decks.example.com', 'content-type': 'application/json', ...more }
  return {
    headers: Object.fromEntries(
      Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined),
    ),
    body: typeof body === 'string' ? body : JSON.stringify(body),
  }
}

/** A request of a client before 2026-07-28, after its `initialize`. */
export function older(method: string, params?: object, headers: Headers = {}): TestRequest {
  const message = { jsonrpc: '2.0', id: 1, method, ...(params && { params }) }
  return post(message, { 'mcp-protocol-version': '2025-11-25', ...headers })
}

export const agentMeta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'helper', version: '2.1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

type Params = { name?: string; uri?: string; [other: string]: unknown }

/** A request of a client from 2026-07-28 on: it says who asks, and what for. */
export function newer(method: string, params: Params = {}, headers: Headers = {}): TestRequest {
  const message = { jsonrpc: '2.0', id: 1, method, params: { _meta: agentMeta, ...params } }
  return post(message, {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    'mcp-name': params.name ?? params.uri,
    ...headers,
  })
}

export type ToolResult = {
  content: { type: string; text: string }[]
  structuredContent?: Record<string, unknown>
  isError?: boolean
}

type CallOptions = { era?: typeof older | typeof newer; from?: string; headers?: Headers }

export async function callTool(
  app: TestApp,
  name: string,
  args: object = {},
  { era = older, headers, ...more }: CallOptions = {},
): Promise<ToolResult> {
  const request = era('tools/call', { name, arguments: args }, headers)
  return resultOf(await app.ask('POST', '/mcp', { ...request, ...more }))
}

export function resultOf(answer: TestAnswer): ToolResult {
  return (answer.json as { result: ToolResult }).result
}
