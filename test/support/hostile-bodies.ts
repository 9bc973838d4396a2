/** Bodies of up to 64 KiB that are made to be expensive: for each door five kinds each of nesting, repetition and size. */
import { maxBodyBytes } from '../../src/contract/limits.ts'
import { tools } from '../../src/contract/tools.ts'

export type HostileBody = {
  what: string
  path: '/api/lead' | '/mcp'
  headers: Record<string, string>
  body: string
}

/** From 0 up to, but not including, 1. */
export type Random = () => number

/** mulberry32: small, and the same on every machine. */
export function seeded(seed: number): Random {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** The nth body goes through all kinds in turn. */
export function hostileBody(n: number, random: Random): HostileBody {
  const { what, path, make, headers } = kinds[n % kinds.length]!
  const bytes = sizes[Math.floor(random() * sizes.length)]!(random)
  const body = make((before, piece, after = '') => before + fill(bytes, piece, random) + after)
  return { what, path, headers: headers(random), body }
}

/** As large as may be, of any size, or just within the 500 values of an MCP message. */
const sizes: readonly ((random: Random) => number)[] = [
  () => maxBodyBytes - 1_000,
  (random) => 64 + Math.floor(random() * (maxBodyBytes - 1_064)),
  () => 1_500,
]

/** Text between `before` and `after`: pieces that fill the room. */
type Fill = (before: string, piece: Piece, after?: string) => string
type Piece = string | ((n: number, random: Random) => string)

type Kind = Pick<HostileBody, 'what'> & {
  make: (filled: Fill) => string
  path: HostileBody['path']
  headers: (random: Random) => Record<string, string>
}

function fill(bytes: number, piece: Piece, random: Random): string {
  if (typeof piece === 'string') {
    return piece.repeat(Math.floor(bytes / Buffer.byteLength(piece)))
  }
  const pieces: string[] = []
  for (let size = 0, n = 0; ; n += 1) {
    const next = piece(n, random)
    size += Buffer.byteLength(next)
    if (size > bytes) return pieces.join('')
    pieces.push(next)
  }
}

/** Lists in lists, as many as fit; or what `open` and `close` say. */
function nest(filled: Fill, before: string, after: string, open = '[', close = ']'): string {
  const levels = filled('', open + close).length / (open + close).length
  return `${before}${open.repeat(levels)}0${close.repeat(levels)}${after}`
}

const person = '"name_1":"Sam","email_1":"sam@example.com"'
const words = (n: number, random: Random) => `${Math.floor(random() * 1e9).toString(36)}${n}`

const json: Record<string, Kind['make']> = {
  'nesting: lists in an unlisted field': (filled) => nest(filled, `{${person},"x":`, '}'),
  'nesting: objects in an unlisted field': (filled) =>
    nest(filled, `{${person},"x":`, '}', '{"a":', '}'),
  'nesting: lists as the message': (filled) => nest(filled, '{"textarea_1":', '}'),
  'nesting: nothing but lists': (filled) => nest(filled, '', ''),
  'nesting: many small trees': (filled) =>
    filled(`{${person},"x":[0`, ',[{"a":[{"b":[[]]}]}]', ']}'),
  'repetition: one name': (filled) => filled(`{${person}`, ',"name_1":1', '}'),
  'repetition: unlisted names': (filled) => filled(`{${person}`, (n) => `,"${n}":0`, '}'),
  'repetition: list of objects': (filled) => filled(`{${person},"x":[0`, ',{}', ']}'),
  'repetition: halves of pairs': (filled) =>
    filled(`{${person},"textarea_1":"`, '\\ud800\\u0000\\r', '"}'),
  'repetition: names that differ in blanks': (filled) =>
    filled(`{${person}`, (n) => `,"${' '.repeat(n % 90)}a${'\\t'.repeat(n % 7)}":0`, '}'),
  'size: message': (filled) => filled(`{${person},"textarea_1":"`, words, '"}'),
  'size: email': (filled) => filled('{"name_1":"Sam","email_1":"a@', 'a-a.', 'a!"}'),
  'size: name of pairs': (filled) => filled('{"email_1":"sam@example.com","name_1":"', '🦘', '"}'),
  'size: number': (filled) => filled(`{${person},"x":1`, '7', '}'),
  'size: links and the trap': (filled) =>
    filled(`{${person},"botcheck":"Sam","x":"`, 'www.http://', '"}'),
}

const sam = 'name_1=Sam&email_1=sam%40example.com'

const form: Record<string, Kind['make']> = {
  'nesting: brackets in a name': (filled) => filled(`${sam}&a`, '[b]', '=1'),
  'nesting: escaped escapes': (filled) => filled(`${sam}&textarea_1=`, '%25'),
  'nesting: JSON as the message': (filled) => nest(filled, `${sam}&textarea_1=`, ''),
  'nesting: equals signs': (filled) => filled(`${sam}&a`, '='),
  'nesting: pairs inside a pair': (filled) => filled(`${sam}&a=`, '%26a%3D'),
  'repetition: unlisted names': (filled) => filled(sam, (n) => `&${n}=`),
  'repetition: one name, other values': (filled) => filled(sam, (n) => `&a=${n}`),
  'repetition: a listed name': (filled) => filled('', (n) => `name_1=${n}&`),
  'repetition: ampersands': (filled) => filled(sam, '&'),
  'repetition: names to escape': (filled) => filled(sam, (n) => `&"${n}<=>`),
  'size: message to escape': (filled) => filled(`${sam}&textarea_1=`, '"'),
  'size: control characters': (filled) => filled(`${sam}&textarea_1=`, '%00%0d'),
  'size: windows-1252': (filled) => filled(`${sam}&textarea_1=`, '%E9'),
  'size: email': (filled) => filled('name_1=Sam&email_1=', (n, random) => words(n, random)),
  'size: key': (filled) => filled(`${sam}&idempotency_key=`, words),
}

const submitTool = tools.submitConsultationLead.name
const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${submitTool}"`
const hello =
  '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}'
const about = (client: string, capabilities = '{}') =>
  `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"a","version":"1"${client}},"io.modelcontextprotocol/clientCapabilities":${capabilities}`

const mcp: Record<string, Kind['make']> = {
  'nesting: arguments': (filled) => nest(filled, `${call},"arguments":{"x":`, '}}}'),
  'nesting: params': (filled) => nest(filled, `${call},"x":`, '}}'),
  'nesting: method': (filled) => nest(filled, '{"jsonrpc":"2.0","id":1,"method":', '}'),
  'nesting: id': (filled) => nest(filled, '{"jsonrpc":"2.0","method":"ping","id":', '}'),
  'nesting: many small trees': (filled) =>
    filled(`${hello},"clientInfo":{"name":"a","version":"1","icons":[0`, ',[{"a":[{}]}]', ']}}}'),
  'repetition: icons': (filled) =>
    filled(`${hello},"clientInfo":{"name":"a","version":"1","icons":[0`, ',{}', ']}}}'),
  'repetition: arguments': (filled) =>
    filled(`${call},"arguments":{${person}`, (n) => `,"${n}":{}`, '}}}'),
  'repetition: capabilities': (filled) =>
    filled(`${call},${about('', '{"a":{}')}`, (n) => `,"${n}":[]`, '}}}}'),
  'repetition: icons in every request': (filled) =>
    `${call},${about(filled(',"icons":[0', ',{}', ']'))}}}}`,
  'repetition: a batch': (filled) => filled('[0', ',{"jsonrpc":"2.0","id":1,"method":"ping"}', ']'),
  'size: method': (filled) => filled('{"jsonrpc":"2.0","id":1,"method":"', words, '"}'),
  'size: id': (filled) => filled('{"jsonrpc":"2.0","method":"ping","id":"', words, '"}'),
  'size: address of a resource': (filled) =>
    filled('{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"', '[{\\"', '"}}'),
  'size: message of a lead': (filled) =>
    filled(`${call},"arguments":{${person},"textarea_1":"`, words, '"}}}'),
  'size: name of a tool': (filled) =>
    filled('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"', words, '"}}'),
}

const eras = [
  { 'Mcp-Protocol-Version': '2025-11-25' },
  {
    'Mcp-Protocol-Version': '2026-07-28',
    'Mcp-Method': 'tools/call',
    'Mcp-Name': submitTool,
  },
]

const kinds: readonly Kind[] = [
  ...toKinds('JSON', json, '/api/lead', () => ({ 'Content-Type': 'application/json' })),
  ...toKinds('form', form, '/api/lead', () => ({
    'Content-Type': 'application/x-www-form-urlencoded',
    Accept: 'text/html,*/*;q=0.8',
  })),
  ...toKinds('MCP', mcp, '/mcp', (random) => ({
    'Content-Type': 'application/json',
    ...eras[Math.floor(random() * eras.length)],
  })),
]

function toKinds(
  door: string,
  makers: Record<string, Kind['make']>,
  path: Kind['path'],
  headers: Kind['headers'],
): Kind[] {
  return Object.entries(makers).map(([what, make]) => ({
    what: `${door}, ${what}`,
    make,
    path,
    headers,
  }))
}
