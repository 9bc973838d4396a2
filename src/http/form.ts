/** Reads application/x-www-form-urlencoded (WHATWG URL, 5.1), without losing a name that is not UTF-8. */
import { Buffer, isAscii, isUtf8 } from 'node:buffer'

export type Pair = readonly [name: string, value: string]

/** Where a name begins and ends, and where its value ends, in the decoded bytes. */
type Span = readonly [start: number, nameEnd: number, end: number]

export function readForm(bytes: Buffer): Pair[] {
  const { decoded, spans } = decode(bytes)
  // Most forms are ASCII: then all texts are pieces of one string.
  const ascii = isAscii(decoded) ? decoded.toString('latin1') : undefined
  const textOf = (start: number, end: number) =>
    ascii === undefined ? decodeText(decoded.subarray(start, end)) : ascii.slice(start, end)
  return spans.map(([start, nameEnd, end]) => [textOf(start, nameEnd), textOf(nameEnd, end)])
}

/** One pass: splits at `&` and the first `=`, and resolves `+` and escapes. */
function decode(bytes: Buffer): { decoded: Buffer; spans: Span[] } {
  const decoded = Buffer.allocUnsafe(bytes.length)
  const spans: Span[] = []
  let length = 0
  let start = 0
  let nameEnd: number | undefined
  for (let at = 0; at <= bytes.length; at += 1) {
    const byte = at < bytes.length ? bytes[at]! : ampersand
    if (byte === ampersand) {
      // Nothing at all between two ampersands is no pair.
      if (nameEnd !== undefined || length > start) spans.push([start, nameEnd ?? length, length])
      start = length
      nameEnd = undefined
    } else if (byte === equals && nameEnd === undefined) nameEnd = length
    else if (byte === percent) {
      const escaped = hexValue[bytes[at + 1]!]! * 16 + hexValue[bytes[at + 2]!]!
      // A percent sign that begins no escape stands for itself.
      if (Number.isNaN(escaped)) decoded[length++] = percent
      else {
        decoded[length++] = escaped
        at += 2
      }
    } else decoded[length++] = byte === plus ? space : byte
  }
  return { decoded: decoded.subarray(0, length), spans }
}

const [ampersand, equals, plus, percent, space] = [0x26, 0x3d, 0x2b, 0x25, 0x20]

const hexValue = Array.from({ length: 256 }, (_, code) =>
  Number.parseInt(String.fromCharCode(code), 16),
)

/** Old browsers and scripts send windows-1252: `Jos%E9` is José, not Jos\ufffd. */
function decodeText(bytes: Buffer): string {
  return isUtf8(bytes) ? bytes.toString('utf8') : windows1252.decode(bytes)
}

const windows1252 = new TextDecoder('windows-1252')
