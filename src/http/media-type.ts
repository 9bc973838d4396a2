/** What kind of body a request says it has. */
import type { IncomingHttpHeaders } from 'node:http'

// As nearly all clients write them.
const json = 'application/json'
const form = 'application/x-www-form-urlencoded'

/** The type of a Content-Type header, without parameters, in lower case; '' when there is none. */
export function mediaType(contentType: string | undefined): string {
  if (contentType === undefined) return ''
  if (contentType === json || contentType === form) return contentType
  const end = contentType.indexOf(';')
  return (end === -1 ? contentType : contentType.slice(0, end)).trim().toLowerCase()
}

/** No Content-Encoding: we decompress nothing, so that a small body cannot become a large one. */
export function isUncompressed({ 'content-encoding': encoding }: IncomingHttpHeaders): boolean {
  return encoding === undefined || encoding.trim().toLowerCase() === 'identity'
}
