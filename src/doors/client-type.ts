/** Is it a program that speaks JSON, or a browser? */
import { mediaType } from '../http/media-type.ts'
import type { Ask } from '../http/message.ts'
import { rememberedPreference } from '../http/negotiate.ts'

export const prefersJson = rememberedPreference('application/json', 'text/html')

/** For whoever sends something: what it sends counts as well as what it likes to get. */
export function isJsonClient({ headers }: Ask): boolean {
  return mediaType(headers['content-type']) === 'application/json' || prefersJson(headers.accept)
}
