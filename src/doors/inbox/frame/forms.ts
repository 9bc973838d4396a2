/** What a page of the inbox was sent: a short form, or JSON from its script. */
import { readForm, type Pair } from '../../../http/body.ts'
import { type Ask } from '../../../http/message.ts'

/** A long note is the largest, with every character as an escape. */
const mostBytes = 64 * 1024

/** The value of a field; '' where it was not sent. */
export type SentFields = (name: string) => string

/** The guard refuses it: half a form must not pass for an empty one. */
export function isTooLarge({ body }: Ask): boolean {
  return typeof body === 'string' || body.length > mostBytes
}

export function sentFields(ask: Ask): SentFields {
  return toFields(sentPairs(ask))
}

export function toFields(pairs: readonly Pair[]): SentFields {
  const fields = new Map(pairs)
  return (name) => fields.get(name) ?? ''
}

/** Every value of a field that may come several times. */
export function sentList(ask: Ask, name: string): string[] {
  return sentPairs(ask)
    .filter(([given]) => given === name)
    .map(([, value]) => value)
}

/** Without NULs: no field holds any, and PostgreSQL refuses them. Half surrogates cannot come in. */
export function sentPairs({ body }: Ask): Pair[] {
  if (typeof body === 'string') return []
  return readForm(body).map(([name, value]) => [name, value.replaceAll('\0', '')])
}

/** `undefined`: it is no JSON. */
export function sentJson({ body }: Ask): unknown {
  if (typeof body === 'string') return undefined
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}
