/** Reads a JSON body. The parser's own words are never shown: they repeat the input. */
import { isUtf8 } from 'node:buffer'

export type Json = {
  readonly value: unknown
  /** ASCII without an escape: no text in it holds a control character, or half of another one. */
  readonly isPlain: boolean
}

/** `undefined`: not UTF-8, or not JSON. */
export function readJson(bytes: Buffer): Json | undefined {
  if (!isUtf8(bytes)) return undefined
  const text = bytes.toString('utf8')
  try {
    const value: unknown = JSON.parse(text.startsWith('\ufeff') ? text.slice(1) : text)
    return { value, isPlain: text.length === bytes.length && !text.includes('\\') }
  } catch {
    return undefined
  }
}
