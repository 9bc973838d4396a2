/** Checks of the request line and the headers that node's parser does not make. */
import type { IncomingMessage } from 'node:http'

/** node accepts a second Host header, an `HTTP/2.0` request line and a compressed transfer coding. */
export function isWellFramed(request: IncomingMessage): boolean {
  const { httpVersionMajor, httpVersionMinor, rawHeaders } = request
  const count = hosts(rawHeaders)
  const transfer = request.headers['transfer-encoding']
  return (
    httpVersionMajor === 1 &&
    (count === 1 || (count === 0 && httpVersionMinor === 0)) &&
    (transfer === undefined || transfer.trim().toLowerCase() === 'chunked')
  )
}

export type Target = { path: string; query: string }

/** Three of the four forms of RFC 9112, 3.2: a path, an absolute URL, or `*`; not an authority. */
export function readTarget(url: string): Target | undefined {
  if (url.startsWith('/')) {
    const mark = url.indexOf('?')
    return mark === -1
      ? { path: url, query: '' }
      : { path: url.slice(0, mark), query: url.slice(mark + 1) }
  }
  if (url === '*') return { path: '*', query: '' }
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return undefined
  const { pathname, search } = new URL(url)
  return { path: pathname, query: search.slice(1) }
}

function hosts(rawHeaders: readonly string[]): number {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!
    if (name === 'Host' || (name.length === 4 && name.toLowerCase() === 'host')) count += 1
  }
  return count
}
