/** Reads application/x-www-form-urlencoded (WHATWG URL, 5.1), without losing a name that is not UTF-8. */
import { isUtf8 } from 'node:buffer'

export type Pair = readonly [name: string, value: string]

export function readForm(bytes: Buffer): Pair[] {
  const pairs = bytes.toString('latin1').split('&')
  return pairs.filter((pair) => pair !== '').map(toPair)
}

function toPair(text: string): Pair {
  const equals = text.indexOf('=')
  if (equals === -1) return [decode(text), '']
  return [decode(text.slice(0, equals)), decode(text.slice(equals + 1))]
}

/** Each character of `text` stands for one byte. */
function decode(text: string): string {
  if (!/[+%\x80-\xff]/.test(text)) return text
  const unescaped = text
    .replaceAll('+', ' ')
    .replaceAll(/%[\da-f]{2}/gi, (escape) =>
      String.fromCharCode(Number.parseInt(escape.slice(1), 16)),
    )
  const bytes = Buffer.from(unescaped, 'latin1')
  // Old browsers and scripts send windows-1252: `Jos%E9` is José, not Jos\ufffd.
  return isUtf8(bytes) ? bytes.toString('utf8') : windows1252.decode(bytes)
}

const windows1252 = new TextDecoder('windows-1252')
