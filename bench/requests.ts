/** Prebuilt requests. A placeholder in one is replaced by a new number for each request. */
export type Template = {
  bytes: Buffer
  /** Offsets in the bytes. */
  placeholders: readonly number[]
}

const placeholder = '#########'

export const health = toTemplate(
  [
    'GET /api/lead HTTP/1.1',
    'Host: localhost:3000',
    'User-Agent: lead-intake-bench',
    'Accept: */*',
  ],
  '',
)

export type PageForm = { accept: string; encoding: string }

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
const agent = 'text/markdown, text/html;q=0.9, */*;q=0.8'

export const pageForms = {
  html: { accept: browser, encoding: 'identity' },
  br: { accept: browser, encoding: 'gzip, deflate, br, zstd' },
  markdown: { accept: agent, encoding: 'identity' },
} as const satisfies Record<string, PageForm>

/** The home page. `etag`: of the copy that the client has cached. */
export function page({ accept, encoding }: PageForm, etag?: string): Template {
  return toTemplate(
    [
      'GET / HTTP/1.1',
      'Host: localhost:3000',
      'User-Agent: lead-intake-bench',
      `Accept: ${accept}`,
      `Accept-Encoding: ${encoding}`,
      ...(etag === undefined ? [] : [`If-None-Match: ${etag}`]),
    ],
    '',
  )
}

/** All leads differ, because a repeated lead takes another code path. */
const lead = {
  name_1: `Robin Example ${placeholder}`,
  email_1: `robin.${placeholder}@example.com`,
  phone_1: '0491 570 006',
  text_1: '2480',
  textarea_1: `A hardwood deck of about 4 by 6 metres, one step up from the lawn. Our plan is ${placeholder}.`,
}

export const jsonLead = toTemplate(
  [
    'POST /api/lead HTTP/1.1',
    'Host: localhost:3000',
    'User-Agent: lead-intake-bench',
    'Accept: */*',
    'Content-Type: application/json',
  ],
  JSON.stringify(lead),
)

export const formLead = toTemplate(
  [
    'POST /api/lead HTTP/1.1',
    'Host: localhost:3000',
    'User-Agent: lead-intake-bench',
    `Accept: ${browser}`,
    'Content-Type: application/x-www-form-urlencoded',
  ],
  // The placeholders must not be escaped.
  new URLSearchParams(lead).toString().replaceAll('%23', '#'),
)

/** `era`: the protocol version. */
export type ToolCall = { tool: 'info' | 'lead'; era: 2025 | 2026 }

export function toolCall({ tool, era }: ToolCall): Template {
  const name = tool === 'info' ? 'get_business_info' : 'submit_consultation_lead'
  const version = era === 2025 ? '2025-11-25' : '2026-07-28'
  const about = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': { name: 'lead-intake-bench', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const params = {
    name,
    arguments: tool === 'info' ? {} : lead,
    ...(era === 2026 && { _meta: about }),
  }
  return toTemplate(
    [
      'POST /mcp HTTP/1.1',
      'Host: localhost:3000',
      'User-Agent: lead-intake-bench',
      'Accept: application/json, text/event-stream',
      'Content-Type: application/json',
      `MCP-Protocol-Version: ${version}`,
      ...(era === 2026 ? ['Mcp-Method: tools/call', `Mcp-Name: ${name}`] : []),
    ],
    JSON.stringify({ jsonrpc: '2.0', id: placeholder, method: 'tools/call', params }),
  )
}

let requests = 0

/** Writes the next number over the placeholders. */
export function number({ placeholders }: Template, bytes: Buffer): void {
  if (placeholders.length === 0) return
  requests += 1
  for (const start of placeholders) {
    let rest = requests
    for (let at = start + placeholder.length - 1; at >= start; at -= 1) {
      bytes[at] = 0x30 + (rest % 10)
      rest = Math.trunc(rest / 10)
    }
  }
}

function toTemplate(head: readonly string[], body: string): Template {
  const length = body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]
  const text = `${[...head, ...length].join('\r\n')}\r\n\r\n${body}`
  const placeholders = [...text.matchAll(new RegExp(placeholder, 'g'))].map(({ index }) => index)
  return { bytes: Buffer.from(text, 'latin1'), placeholders }
}
