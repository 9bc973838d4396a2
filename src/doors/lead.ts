/** POST /api/lead: a form or JSON in, the road behind, the answer that suits the client. */
import type { Problem } from '../contract/check-fields.ts'
import { errors } from '../contract/errors.ts'
import type { ErrorCode } from '../contract/errors.ts'
import { contactPath, receiptPath, thanksPath } from '../contract/routes.ts'
import { receivedMessage } from '../contract/success.ts'
import { postAnswer, seeOther, withHeaders } from '../http/answer.ts'
import type { Seal } from '../http/cookies.ts'
import type { Answer, App, Ask } from '../http/message.ts'
import { rememberedPreference } from '../http/negotiate.ts'
import { mediaType } from '../http/media-type.ts'
import type { Quota } from '../lead/limits.ts'
import type { Outcome, Sending, TakeLead } from '../lead/take.ts'
import { clearDraft, draftCookies } from './draft.ts'
import { errorAnswer } from './errors.ts'
import { corsHeaders } from './cors.ts'
import { readLead } from './read-lead.ts'
import type { ReadLead, Unreadable } from './read-lead.ts'
import { sendAgainPage } from './send-again.ts'

export type LeadDoorParts = {
  takeLead: TakeLead
  /** Without a slash at its end. */
  baseUrl: string
  draftSeal: Seal
}

export function createLeadDoor({ takeLead, baseUrl, draftSeal }: LeadDoorParts): App {
  const secure = baseUrl.startsWith('https:')
  const successStart = `{"ok":true,"message":${JSON.stringify(receivedMessage)},"reference":"`
  const successMiddle = `","status_url":"${baseUrl}${receiptPath}`

  return (ask) => {
    const read = readLead(ask)
    const toJson = isJsonClient(ask)
    if ('error' in read) {
      if (toJson) return toJsonFailure(ask, read.error, read.problems)
      return backToForm({ body: read.body, problems: problemsOf(read) })
    }
    const sending: Sending = {
      body: read.body,
      channel: read.channel,
      claim: read.claim,
      address: ask.address,
      userAgent: (ask.headers['user-agent'] ?? '').slice(0, 400),
      agent: '',
    }
    return takeLead(sending, (outcome) => {
      const answer = toJson ? forJson(ask, outcome, read) : forBrowser(ask, outcome, read)
      return {
        status: answer.status,
        headers: answer.headers,
        body: answer.body,
        note: noteOf(outcome),
      }
    })
  }

  function forJson(ask: Ask, outcome: Outcome, read: ReadLead): Answer {
    switch (outcome.kind) {
      case 'accepted':
      case 'repeated': {
        const body = `${successStart}${outcome.reference}${successMiddle}${outcome.token}"}`
        // Without the caller's own key it would tell a stranger that this lead is known.
        const isReplay = outcome.kind === 'repeated' && read.claim.by === 'key'
        return withHeaders(
          postAnswer(body),
          ...(isReplay ? ['Idempotent-Replayed', 'true'] : []),
          ...quotaHeaders(outcome.quota),
          ...corsHeaders(ask),
        )
      }
      case 'invalid':
        return toJsonFailure(ask, 'VALIDATION_ERROR', outcome.problems, outcome.quota)
      case 'key-reused':
        return toJsonFailure(ask, 'IDEMPOTENCY_KEY_REUSED', [], outcome.quota)
      case 'limited':
        return withHeaders(
          toJsonFailure(ask, 'RATE_LIMITED', [], outcome.quota),
          'Retry-After',
          String(outcome.quota.resetS),
        )
      case 'unavailable':
        return withHeaders(toJsonFailure(ask, 'STORAGE_UNAVAILABLE'), 'Retry-After', retryAfterS)
    }
  }

  function forBrowser(ask: Ask, outcome: Outcome, read: ReadLead): Answer {
    switch (outcome.kind) {
      case 'accepted':
      case 'repeated':
        return seeOther(
          thanksPath,
          'Set-Cookie',
          `receipt=${outcome.token}; Max-Age=600; Path=${thanksPath}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`,
          ...clearDraft(ask),
          ...quotaHeaders(outcome.quota),
        )
      case 'invalid':
        return backToForm({ body: read.body, problems: outcome.problems })
      case 'key-reused':
        return backToForm({ body: read.body, problems: [keyProblem] })
      case 'limited':
        return sendAgainPage(
          'RATE_LIMITED',
          read.body,
          outcome.quota.resetS,
          quotaHeaders(outcome.quota),
        )
      case 'unavailable':
        return sendAgainPage('STORAGE_UNAVAILABLE', read.body, Number(retryAfterS), [])
    }
  }

  /** Every typed word goes back to the form, with the problems, in a cookie that nobody else can read. */
  function backToForm({
    body,
    problems,
  }: Pick<ReadLead, 'body'> & { problems: Problem[] }): Answer {
    return seeOther(contactPath, ...draftCookies(draftSeal, body, problems, secure))
  }
}

const retryAfterS = '5'

const keyProblem: Problem = {
  field: 'Idempotency-Key',
  problem: 'was used before, with other content',
  example: 'a new random text',
}

/** A form shows problems only; one that has none of its own is put in the words of its error. */
function problemsOf({ error, problems }: Unreadable): Problem[] {
  if (problems.length > 0) return problems
  return [{ field: '(body)', problem: errors[error].message, example: '' }]
}

const acceptsJson = rememberedPreference('application/json', 'text/html')

function isJsonClient({ headers }: Ask): boolean {
  return mediaType(headers['content-type']) === 'application/json' || acceptsJson(headers.accept)
}

function toJsonFailure(ask: Ask, code: ErrorCode, problems: Problem[] = [], quota?: Quota): Answer {
  const encodings = code === 'UNSUPPORTED_MEDIA_TYPE' ? ['Accept-Encoding', 'identity'] : []
  return withHeaders(
    errorAnswer(code, problems),
    ...encodings,
    ...quotaHeaders(quota),
    ...corsHeaders(ask),
  )
}

/** draft-ietf-httpapi-ratelimit-headers. A client that is never limited is told of no limit. */
function quotaHeaders(quota: Quota | undefined): string[] {
  if (quota === undefined) return []
  const { limit, windowS, remaining, resetS } = quota
  return [
    'RateLimit-Policy',
    `"leads";q=${limit};w=${windowS}`,
    'RateLimit',
    `"leads";r=${remaining};t=${resetS}`,
  ]
}

function noteOf(outcome: Outcome): string {
  if (outcome.kind === 'accepted') return `,"outcome":"accepted","lead":"${outcome.id}"`
  if (outcome.kind === 'repeated') return `,"outcome":"repeated","lead":"${outcome.id}"`
  if (outcome.kind === 'unavailable') return `,"outcome":"unavailable","reason":"${outcome.reason}"`
  return `,"outcome":"${outcome.kind}"`
}
