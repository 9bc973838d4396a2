/** What a page of the inbox was sent: a short form, or JSON from its script. */
import { readForm } from '../../http/form.ts'
import type { Ask } from '../../http/message.ts'

/** The forms and answers of the inbox are shorter. */
const mostBytes = 16 * 1024

/** The value of a field; '' where it was not sent. */
export type SentFields = (name: string) => string

export function sentFields({ body }: Ask): SentFields {
  const sent = typeof body === 'string' || body.length > mostBytes ? [] : readForm(body)
  const fields = new Map(sent)
  return (name) => fields.get(name) ?? ''
}

/** `undefined`: it is no JSON. */
export function sentJson({ body }: Ask): unknown {
  if (typeof body === 'string' || body.length > mostBytes) return undefined
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}
