/** Requests ready to send. Where one carries marks, each sending gets a number of its own. */
export type Template = {
  bytes: Buffer
  /** Where in the bytes the number stands. */
  marks: readonly number[]
}

const mark = '#########'

export const health = toTemplate(
  [
    'GET /api/lead HTTP/1.1',
    'Host: localhost:3000',
    'User-Agent: lead-intake-bench',
    'Accept: */*',
  ],
  '',
)

/** A page as a browser asks for it, or an agent; `known`: what it has already. */
export function page(how: { accept: string; encoding: string; known?: string }): Template {
  return toTemplate(
    [
      'GET / HTTP/1.1',
      'Host: localhost:3000',
      'User-Agent: lead-intake-bench',
      `Accept: ${how.accept}`,
      `Accept-Encoding: ${how.encoding}`,
      ...(how.known === undefined ? [] : [`If-None-Match: ${how.known}`]),
    ],
    '',
  )
}

/** A second sending of the same lead would take another road, so no two are alike. */
const lead = {
  name_1: `Robin Example ${mark}`,
  email_1: `robin.${mark}@example.com`,
  phone_1: '0491 570 006',
  text_1: '2480',
  textarea_1: `A hardwood deck of about 4 by 6 metres, one step up from the lawn. Our plan is ${mark}.`,
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
    'Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    'Content-Type: application/x-www-form-urlencoded',
  ],
  // The marks are not to be escaped.
  new URLSearchParams(lead).toString().replaceAll('%23', '#'),
)

/** A tool called as a client of each era does. `fresh`: with something in it that no call had before. */
export type ToolCall = { tool: 'info' | 'lead'; era: 2025 | 2026; fresh?: true }

export function toolCall({ tool, era, fresh }: ToolCall): Template {
  const name = tool === 'info' ? 'get_business_info' : 'submit_consultation_lead'
  const version = era === 2025 ? '2025-11-25' : '2026-07-28'
  const about = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': { name: 'lead-intake-bench', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const meta = { ...(era === 2026 && about), ...(fresh && { progressToken: mark }) }
  const params = {
    name,
    arguments: tool === 'info' ? {} : lead,
    ...(Object.keys(meta).length > 0 && { _meta: meta }),
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
    JSON.stringify({ jsonrpc: '2.0', id: mark, method: 'tools/call', params }),
  )
}

let sendings = 0

/** Writes the next number over the marks. */
export function number({ marks }: Template, bytes: Buffer): void {
  if (marks.length === 0) return
  sendings += 1
  for (const start of marks) {
    let rest = sendings
    for (let at = start + mark.length - 1; at >= start; at -= 1) {
      bytes[at] = 0x30 + (rest % 10)
      rest = Math.trunc(rest / 10)
    }
  }
}

function toTemplate(head: readonly string[], body: string): Template {
  const length = body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]
  const text = `${[...head, ...length].join('\r\n')}\r\n\r\n${body}`
  const marks = [...text.matchAll(new RegExp(mark, 'g'))].map(({ index }) => index)
  return { bytes: Buffer.from(text, 'latin1'), marks }
}
