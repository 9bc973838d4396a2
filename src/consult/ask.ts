/**
 * Requests to the site over HTTP, retried while a failure may be temporary. No redirects, a timeout
 * for each try, a limit on the size of an answer. Not `fetch`: in Node 20 it hangs when the server
 * closes a connection right after accepting it.
 */
import { once } from 'node:events'
import type http from 'node:http'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { request as requestHttps } from 'node:https'
import { createRequire } from 'node:module'
import { setTimeout as sleep } from 'node:timers/promises'
import { patience } from '../contract/commands.ts'
import { version } from './environment.ts'
import { Failed } from './failed.ts'
import { say } from './output.ts'
import type { Site } from './site.ts'

export type Question = {
  method: 'GET' | 'POST'
  path: string
  accept: string
  /** Sent as Idempotency-Key: makes a POST safe to retry. */
  key?: string
  /** Sent as JSON. */
  body?: unknown
}

export type Reply = { status: number; headers: IncomingHttpHeaders; text: string }

/** `lasting`: a retry would not help. */
type NoReply = { problem: string; lasting: boolean }

/** Not by an import statement, which would load node's `fetch`, too: a third of a short command. */
const { request: requestHttp } = createRequire(import.meta.url)('node:http') as typeof http

const maxAnswerBytes = 1024 * 1024
const firstWaitMs = 500

/** Call it only with requests that are safe to repeat. */
export async function ask(site: Site, question: Question): Promise<Reply> {
  for (let asked = 1; ; asked += 1) {
    const outcome = await askOnce(site, question)
    const problem = temporaryProblem(outcome)
    if (problem === undefined) return answered(outcome)
    const waitMs = waitBeforeRetry(outcome, asked)
    if (asked > site.retries || waitMs > patience.longestWaitS * 1_000) return answered(outcome)
    const seconds = Math.ceil(waitMs / 100) / 10
    const how = question.key === undefined ? '' : ' with the same key'
    say(`${problem} Trying again${how} in ${seconds} s (${asked} of ${site.retries}).`)
    await sleep(waitMs)
  }
}

/** `undefined`: a retry would change nothing. */
function temporaryProblem(outcome: Reply | NoReply): string | undefined {
  if ('problem' in outcome) return outcome.lasting ? undefined : outcome.problem
  return isTemporary(outcome.status) ? `The site answers ${outcome.status}.` : undefined
}

export function isTemporary(status: number): boolean {
  return status === 408 || status === 429 || status >= 500
}

function answered(outcome: Reply | NoReply): Reply {
  if (!('problem' in outcome)) return outcome
  throw new Failed('network', {
    message: outcome.problem,
    resolution: outcome.lasting ? 'Check the address of the site.' : 'Try again later.',
  })
}

/** `Retry-After` if there is one; otherwise exponential backoff with jitter. */
function waitBeforeRetry(outcome: Reply | NoReply, asked: number): number {
  const asksFor = 'problem' in outcome ? undefined : retryAfterMs(outcome.headers)
  return asksFor ?? firstWaitMs * 2 ** (asked - 1) * (0.75 + Math.random() / 2)
}

/** Seconds or a date (RFC 9110, 10.2.3). */
function retryAfterMs(headers: Reply['headers']): number | undefined {
  const text = headers['retry-after']?.trim() ?? ''
  if (/^\d+$/.test(text)) return Number(text) * 1_000
  const time = Date.parse(text)
  return Number.isNaN(time) ? undefined : Math.max(0, time - Date.now())
}

async function askOnce(site: Site, question: Question): Promise<Reply | NoReply> {
  const deadline = AbortSignal.timeout(site.timeoutMs)
  try {
    return await exchange(site, question, deadline)
  } catch (error) {
    if (error instanceof Failed) throw error
    if (!deadline.aborted) return toNoReply(site, error as NodeJS.ErrnoException)
    const seconds = site.timeoutMs / 1_000
    return { problem: `${site.baseUrl} did not answer within ${seconds} seconds.`, lasting: false }
  }
}

async function exchange(site: Site, question: Question, signal: AbortSignal): Promise<Reply> {
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
    // A fresh connection: a reused one may already be dead.
    agent: false,
    signal,
  })
  // A failure after the response head rejects the reading of the body instead.
  outgoing.on('error', () => {})
  outgoing.end(body === undefined ? undefined : JSON.stringify(body))
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
  const { statusCode: status = 0, headers } = incoming
  try {
    if (status >= 300 && status < 400) throw redirected(site, headers.location)
    return { status, headers, text: await readText(incoming) }
  } finally {
    outgoing.destroy()
  }
}

/** Following would send personal details to another address: that is the person's decision. */
function redirected({ baseUrl }: Site, location = ''): Failed {
  const target = URL.canParse(location, baseUrl) ? new URL(location, baseUrl) : undefined
  const isOther = target !== undefined && target.origin !== baseUrl
  return new Failed(isOther ? 'refused' : 'unexpected', {
    message: `${baseUrl} answers with a redirect${isOther ? ` to ${target.origin}` : ''}. It was not followed.`,
    resolution: isOther
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

function toNoReply({ baseUrl }: Site, { code = 'unknown' }: NodeJS.ErrnoException): NoReply {
  if (/CERT|TLS|SSL|VERIFY|EPROTO/.test(code)) {
    return { problem: `${baseUrl} cannot prove who it is (TLS: ${code}).`, lasting: true }
  }
  return { problem: `${baseUrl} cannot be reached (${code}).`, lasting: code === 'ENOTFOUND' }
}
