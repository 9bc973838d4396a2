/** One request to an address that a setting names, which must not lead into the owner's own network. */
import { request as requestHttp, type IncomingMessage } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP } from 'node:net'
import type { LookupFunction } from 'node:net'
import type { Failure } from '../channel.ts'
import { isPublicAddress, publicLookup } from './public-address.ts'

export type GuardedRequest = {
  url: string
  allowPrivate: boolean
  lookup?: LookupFunction | undefined
  /** With a body it is a POST. */
  body?: string
  headers?: Record<string, string>
}

export type GuardedAnswer =
  | { status: number; headers: IncomingMessage['headers'] }
  | { failure: Failure }

/** Only the head of an answer matters. Its body is read up to this, so that the connection ends cleanly. */
const mostAnswerBytes = 64 * 1024
const answerMs = 2_000

/** Redirects are not followed: an endpoint must not choose where a request goes. */
export function requestGuarded(
  { url, allowPrivate, lookup, body = '', headers }: GuardedRequest,
  signal: AbortSignal,
): Promise<GuardedAnswer> {
  const target = new URL(url)
  const host = target.hostname.replaceAll(/^\[|\]$/g, '')
  // An IP address is never looked up, so the lookup cannot check it.
  if (!allowPrivate && isIP(host) !== 0 && !isPublicAddress(host)) {
    return Promise.resolve({ failure: 'address-not-allowed' })
  }
  const guard = allowPrivate ? lookup : (lookup ?? publicLookup())
  return new Promise((resolve) => {
    const request = (target.protocol === 'https:' ? requestHttps : requestHttp)(target, {
      method: body === '' ? 'GET' : 'POST',
      // No kept connections: their address was checked at another time.
      agent: false,
      ...(guard && { lookup: guard }),
      signal,
      headers: { ...headers, 'user-agent': 'lead-intake' },
    })
    request.on('response', (response) => {
      resolve({ status: response.statusCode ?? 0, headers: response.headers })
      letGo(response)
    })
    request.on('error', (error: NodeJS.ErrnoException) => resolve({ failure: toFailure(error) }))
    request.end(body)
  })
}

function letGo(response: IncomingMessage): void {
  let bytes = 0
  const impatience = setTimeout(() => response.destroy(), answerMs)
  response.on('close', () => clearTimeout(impatience))
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > mostAnswerBytes) response.destroy()
  })
  response.on('error', () => {})
}

function toFailure({ code = '', name }: NodeJS.ErrnoException): Failure {
  if (name === 'AbortError') return 'timed-out'
  if (/^(?:ERR_TLS|ERR_SSL|CERT|DEPTH_ZERO|UNABLE_TO|SELF_SIGNED)/.test(code)) return 'tls-failed'
  return failures[code] ?? 'connection-lost'
}

const failures: Record<string, Failure> = {
  EADDRNOTALLOWED: 'address-not-allowed',
  ECONNREFUSED: 'connection-refused',
  EHOSTUNREACH: 'connection-refused',
  ENETUNREACH: 'connection-refused',
  ENOTFOUND: 'unknown-host',
  EAI_AGAIN: 'unknown-host',
  ETIMEDOUT: 'timed-out',
}
