/** Reads a JSON body. The parser's own messages are never shown: they repeat the input. */
import { isUtf8 } from 'node:buffer'

/** `undefined`: not UTF-8, or not JSON. */
export function readJson(bytes: Buffer): { readonly value: unknown } | undefined {
  const text = bytes.toString('utf8')
  // Stands for bytes that are not UTF-8, unless it was sent.
  if (text.includes('\ufffd') && !isUtf8(bytes)) return undefined
  try {
    return { value: JSON.parse(text.startsWith('\ufeff') ? text.slice(1) : text) as unknown }
  } catch {
    return undefined
  }
}
