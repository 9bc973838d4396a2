/** Reads application/x-www-form-urlencoded (WHATWG URL, 5.1), without losing a name that is not UTF-8. */
import { isAscii, isUtf8 } from 'node:buffer'

export type Pair = readonly [name: string, value: string]

export function readForm(bytes: Buffer): Pair[] {
  const text = bytes.toString('latin1')
  const decode = isAscii(bytes) ? decodeAscii : decodeBytes
  const pairs: Pair[] = []
  for (let start = 0; start < text.length;) {
    let end = text.indexOf('&', start)
    if (end === -1) end = text.length
    if (end > start) {
      const equals = text.indexOf('=', start)
      pairs.push(
        equals === -1 || equals > end
          ? [decode(text.slice(start, end)), '']
          : [decode(text.slice(start, equals)), decode(text.slice(equals + 1, end))],
      )
    }
    start = end + 1
  }
  return pairs
}

function decodeAscii(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text
  if (!spaced.includes('%')) return spaced
  try {
    return decodeURIComponent(spaced)
  } catch {
    // A stray per cent sign, or bytes that are not UTF-8.
    return decodeBytes(text)
  }
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
