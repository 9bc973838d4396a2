/** One question to the site over HTTP: no redirects, no endless waiting, no endless answers. */
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

export type Answer = { status: number; headers: Headers; text: string }

/** `lasting`: asking again would not help. */
export type NoAnswer = { problem: string; lasting: boolean }

const maxAnswerBytes = 1024 * 1024

export async function askOnce(site: Site, question: Question): Promise<Answer | NoAnswer> {
  try {
    const response = await fetch(site.baseUrl + question.path, {
      method: question.method,
      headers: {
        accept: question.accept,
        'user-agent': `consult/${version}`,
        ...(question.key !== undefined && { 'idempotency-key': question.key }),
        ...(question.body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(question.body !== undefined && { body: JSON.stringify(question.body) }),
      redirect: 'manual',
      signal: AbortSignal.timeout(site.timeoutMs),
    })
    const location = response.headers.get('location')
    if (response.status >= 300 && response.status < 400) throw sentElsewhere(site, location)
    return { status: response.status, headers: response.headers, text: await readText(response) }
  } catch (error) {
    if (error instanceof Failed) throw error
    return toNoAnswer(site, error)
  }
}

/** Personal details would go along, so only the person may decide to follow. */
function sentElsewhere({ baseUrl }: Site, location: string | null): Failed {
  const target = URL.canParse(location ?? '', baseUrl) ? new URL(location!, baseUrl) : undefined
  const elsewhere = target !== undefined && target.origin !== baseUrl
  return new Failed(elsewhere ? 'refused' : 'unexpected', {
    message: `${baseUrl} answers with a redirect${elsewhere ? ` to ${target.origin}` : ''}. It was not followed.`,
    resolution: elsewhere
      ? `If that is the site you mean, use --base-url ${target.origin}.`
      : 'Check the address: this service does not do that.',
  })
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
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

function toNoAnswer({ baseUrl, timeoutMs }: Site, error: unknown): NoAnswer {
  const { name, cause } = error as Error & { cause?: { code?: string; message?: string } }
  if (name === 'TimeoutError') {
    return {
      problem: `${baseUrl} did not answer within ${timeoutMs / 1_000} seconds.`,
      lasting: false,
    }
  }
  const code = cause?.code || cause?.message || name
  if (/CERT|TLS|SSL|SELF_SIGNED|VERIFY_LEAF/.test(code)) {
    return { problem: `${baseUrl} cannot prove who it is (TLS: ${code}).`, lasting: true }
  }
  return { problem: `${baseUrl} cannot be reached (${code}).`, lasting: code === 'ENOTFOUND' }
}
