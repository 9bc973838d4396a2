/** The requests of the load, prebuilt. */
export type Template = {
  bytes: Buffer
  /** Where the last digits of a new number are written before each sending. */
  placeholders: readonly { at: number; length: number }[]
  /** Expected of every answer. */
  status: number
}

const placeholder = '#########'
const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

export const health = toTemplate('GET /api/lead', { Accept: '*/*' })

/** The home page as a browser asks for it. */
export const page = toTemplate('GET /', {
  Accept: browser,
  'Accept-Encoding': 'gzip, deflate, br, zstd',
})

/** The home page as an agent asks for it. */
export const markdownPage = toTemplate('GET /', {
  Accept: 'text/markdown, text/html;q=0.9, */*;q=0.8',
  'Accept-Encoding': 'identity',
})

/**
 * All leads differ, as those of people do: a repeated lead takes another code path, and an index grows
 * at one place if all have the same phone number. Some of the postcodes are inside the areas.
 */
const lead = {
  name_1: `Robin Example ${placeholder}`,
  email_1: `robin.${placeholder}@example.com`,
  phone_1: '+61 4########',
  text_1: '24##',
  textarea_1: `A hardwood deck of about 4 by 6 metres, one step up from the lawn, with a pergola over the half that gets the afternoon sun. The old concrete slab can stay if that helps. We are home most mornings; the side gate is open. Our plan has the number ${placeholder}.`,
}

export const jsonLead = toTemplate(
  'POST /api/lead',
  { Accept: '*/*', 'Content-Type': 'application/json' },
  JSON.stringify(lead),
)

export const formLead = toTemplate(
  'POST /api/lead',
  { Accept: browser, 'Content-Type': 'application/x-www-form-urlencoded' },
  // The placeholders must not be escaped.
  new URLSearchParams(lead).toString().replaceAll('%23', '#'),
  303,
)

export const mcpLead = toTemplate(
  'POST /mcp',
  {
    Accept: 'application/json, text/event-stream',
    'Content-Type': 'application/json',
    'MCP-Protocol-Version': '2025-11-25',
  },
  JSON.stringify({
    jsonrpc: '2.0',
    id: placeholder,
    method: 'tools/call',
    params: { name: 'submit_consultation_lead', arguments: lead },
  }),
)

let numbers = 0

/** Writes the next number over the placeholders. */
export function writeNumber({ placeholders }: Template, bytes: Buffer): void {
  if (placeholders.length === 0) return
  numbers += 1
  const digits = String(numbers).padStart(placeholder.length, '0')
  for (const { at, length } of placeholders) bytes.write(digits.slice(-length), at, 'latin1')
}

function toTemplate(
  line: string,
  headers: Readonly<Record<string, string>>,
  body?: string,
  status = 200,
): Template {
  const head = {
    Host: 'localhost:3000',
    'User-Agent': 'lead-intake-bench',
    ...headers,
    ...(body !== undefined && { 'Content-Length': String(Buffer.byteLength(body)) }),
  }
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`)
  const text = `${line} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`
  const placeholders = [...text.matchAll(/#+/g)].map(({ index: at, 0: { length } }) => ({
    at,
    length,
  }))
  return { bytes: Buffer.from(text, 'latin1'), placeholders, status }
}
