/**
 * One question to the site over HTTP: no redirects, no endless waiting, no endless answers. Not with
 * `fetch`: that of Node 20 waits for ever when a connection is closed as soon as it is made.
 */
import { once } from 'node:events'
import { request as requestHttp } from 'node:http'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { request as requestHttps } from 'node:https'
import { Failed } from './failed.ts'
import type { Site } from './site.ts'
import { version } from './version.ts'

export type Question = {
  method: 'GET' | 'POST'
  path: string
  accept: string
  /** Makes it safe to ask a second time. */
  key?: string
  /** Sent as JSON. */
  body?: unknown
}

export type Answer = { status: number; headers: IncomingHttpHeaders; text: string }

/** `lasting`: asking again would not help. */
export type NoAnswer = { problem: string; lasting: boolean }

const maxAnswerBytes = 1024 * 1024

export async function askOnce(site: Site, question: Question): Promise<Answer | NoAnswer> {
  const deadline = AbortSignal.timeout(site.timeoutMs)
  try {
    return await exchange(site, question, deadline)
  } catch (error) {
    if (error instanceof Failed) throw error
    if (!deadline.aborted) return toNoAnswer(site, error as NodeJS.ErrnoException)
    const seconds = site.timeoutMs / 1_000
    return { problem: `${site.baseUrl} did not answer within ${seconds} seconds.`, lasting: false }
  }
}

async function exchange(site: Site, question: Question, signal: AbortSignal): Promise<Answer> {
  const { method, path, accept, key, body } = question
  const request = site.baseUrl.startsWith('https:') ? requestHttps : requestHttp
  const outgoing = request(site.baseUrl + path, {
    method,
    headers: {
      accept,
      'user-agent': `consult/${version}`,
      ...(key !== undefined && { 'idempotency-key': key }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    // A connection of its own: one kept from before may be dead already.
    agent: false,
    signal,
  })
  // A failure after the head of the answer is told by its body.
  outgoing.on('error', () => {})
  outgoing.end(body === undefined ? undefined : JSON.stringify(body))
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
  const { statusCode: status = 0, headers } = incoming
  try {
    if (status >= 300 && status < 400) throw sentElsewhere(site, headers.location)
    return { status, headers, text: await readText(incoming) }
  } finally {
    outgoing.destroy()
  }
}

/** Personal details would go along, so only the person may decide to follow. */
function sentElsewhere({ baseUrl }: Site, location = ''): Failed {
  const target = URL.canParse(location, baseUrl) ? new URL(location, baseUrl) : undefined
  const elsewhere = target !== undefined && target.origin !== baseUrl
  return new Failed(elsewhere ? 'refused' : 'unexpected', {
    message: `${baseUrl} answers with a redirect${elsewhere ? ` to ${target.origin}` : ''}. It was not followed.`,
    resolution: elsewhere
      ? `If that is the site you mean, use --base-url ${target.origin}.`
      : 'Check the address: this service does not do that.',
  })
}

async function readText(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxAnswerBytes) {
      throw new Failed('unexpected', {
        message: `The answer is larger than ${maxAnswerBytes / 1024} KiB; it was not read.`,
        resolution: 'Check the address of the site.',
      })
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function toNoAnswer({ baseUrl }: Site, { code = 'unknown' }: NodeJS.ErrnoException): NoAnswer {
  if (/CERT|TLS|SSL|VERIFY|EPROTO/.test(code)) {
    return { problem: `${baseUrl} cannot prove who it is (TLS: ${code}).`, lasting: true }
  }
  return { problem: `${baseUrl} cannot be reached (${code}).`, lasting: code === 'ENOTFOUND' }
}
