/** Reads application/x-www-form-urlencoded (WHATWG URL, 5.1), without losing a name that is not UTF-8. */
import { isUtf8 } from 'node:buffer'

export type Pair = readonly [name: string, value: string]

export function readForm(bytes: Buffer): Pair[] {
  return readPlainForm(bytes) ?? readAnyForm(bytes)
}

/**
 * Where everything is ASCII once it is decoded, as in most forms: one pass over the bytes, one
 * string, and pieces of that. `undefined`: something is not, or an escape is malformed.
 */
function readPlainForm(bytes: Buffer): Pair[] | undefined {
  const decoded = Buffer.allocUnsafe(bytes.length)
  /** Where each name starts and ends, and where its value ends. */
  const marks: number[] = []
  let length = 0
  let start = 0
  let nameEnd = -1
  for (let at = 0; at < bytes.length; at += 1) {
    let byte = bytes[at]!
    if (byte === ampersand) {
      marks.push(start, nameEnd, length)
      start = length
      nameEnd = -1
      continue
    }
    if (byte === equals && nameEnd === -1) {
      nameEnd = length
      continue
    }
    if (byte === plus) byte = space
    else if (byte === percent) {
      byte = hexValue[bytes[at + 1]!]! * 16 + hexValue[bytes[at + 2]!]!
      at += 2
    }
    // Not a number after a malformed escape.
    if (!(byte < 0x80)) return undefined
    decoded[length++] = byte
  }
  marks.push(start, nameEnd, length)
  return toPairs(decoded.toString('latin1', 0, length), marks)
}

const [ampersand, equals, plus, percent, space] = [...Buffer.from('&=+% ')] as [
  number,
  number,
  number,
  number,
  number,
]
const hexValue = Array.from({ length: 256 }, (_, code) =>
  Number.parseInt(String.fromCharCode(code), 16),
)

function toPairs(text: string, marks: readonly number[]): Pair[] {
  const pairs: Pair[] = []
  for (let index = 0; index < marks.length; index += 3) {
    const start = marks[index]!
    const nameEnd = marks[index + 1]!
    const end = marks[index + 2]!
    // Nothing at all between two ampersands is no pair.
    if (nameEnd === -1 && start === end) continue
    pairs.push(
      nameEnd === -1
        ? [text.slice(start, end), '']
        : [text.slice(start, nameEnd), text.slice(nameEnd, end)],
    )
  }
  return pairs
}

function readAnyForm(bytes: Buffer): Pair[] {
  const text = bytes.toString('latin1')
  const pairs: Pair[] = []
  for (const part of text.split('&')) {
    if (part === '') continue
    const at = part.indexOf('=')
    pairs.push(
      at === -1
        ? [decodeBytes(part), '']
        : [decodeBytes(part.slice(0, at)), decodeBytes(part.slice(at + 1))],
    )
  }
  return pairs
}

/** Old browsers and scripts send windows-1252: `Jos%E9` is José, not Jos\ufffd. */
function decodeBytes(text: string): string {
  const bytes = Buffer.from(
    text
      .replaceAll('+', ' ')
      .replaceAll(/%([0-9A-Fa-f]{2})/g, (_, hex: string) =>
        String.fromCharCode(Number.parseInt(hex, 16)),
      ),
    'latin1',
  )
  return isUtf8(bytes) ? bytes.toString('utf8') : windows1252.decode(bytes)
}

const windows1252 = new TextDecoder('windows-1252')
