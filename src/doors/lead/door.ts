/** POST /api/lead: reads a form or JSON, takes the lead, and answers as the client prefers. */
import type { Problem } from '../../contract/check-fields.ts'
import type { ErrorCode } from '../../contract/errors.ts'
import { retryAfterS } from '../../contract/limits.ts'
import { routes } from '../../contract/routes.ts'
import { receivedMessage } from '../../contract/receipt.ts'
import { postAnswer, withHeaders, type Answer, type App, type Ask } from '../../http/message.ts'
import type { Seal } from '../../http/cookies.ts'
import type { Limits, Quota } from '../../lead/limits.ts'
import type { Outcome, Sending, TakeLead } from '../../lead/take.ts'
import { corsHeaders, isJsonClient } from '../clients.ts'
import { draftCookies } from './draft.ts'
import { errorAnswer, quotaHeaders, tooMany, unavailable } from '../errors.ts'
import { receiptCookie } from './cookies.ts'
import { type LogFacts } from '../../log.ts'
import { limitedFacts, outcomeFacts, withLogFacts } from '../log-facts.ts'
import {
  readLeadRequest,
  userAgentOf,
  type LeadBody,
  type ReadLead,
  type Unreadable,
} from './read-lead.ts'
import { reusedKey, shownProblems, toForm, toThanks, withdrawn } from './redirects.ts'
import type { ShowSendAgain } from './send-again.ts'

export type LeadDoorParts = {
  takeLead: TakeLead
  limits: Pick<Limits, 'countRequest'>
  now: () => number
  /** Without a slash at its end. */
  baseUrl: string
  draftSeal: Seal
  showSendAgain: ShowSendAgain
}

export function createLeadDoor(parts: LeadDoorParts): App {
  const { takeLead, limits, now, baseUrl, draftSeal, showSendAgain } = parts
  const secure = baseUrl.startsWith('https:')
  const successStart = `{"ok":true,"message":${JSON.stringify(receivedMessage)},"reference":"`
  const successMiddle = `","status_url":"${baseUrl}${routes.receipt.path}`
  const successEnd = '","receipt_token":"'

  return answerLead

  function answerLead(ask: Ask): Answer | Promise<Answer> {
    const toJson = isJsonClient(ask)
    const { limited, quota } = limits.countRequest(ask.address, now())
    if (limited) return logged(refuse(ask, toJson, quota), limitedFacts)
    const read = readLeadRequest(ask)
    if ('error' in read) return unread(ask, read, toJson, quota)
    const sending: Sending = {
      body: read.body,
      door: read.door,
      dedup: read.dedup,
      address: ask.address,
      userAgent: userAgentOf(ask),
      agent: '',
    }
    return takeLead(sending).then((outcome) => {
      const answer = toJson
        ? forJson(ask, outcome, read, quota)
        : forBrowser(ask, outcome, read, quota)
      return logged(answer, outcomeFacts(outcome))
    })
  }

  /** Only a form is read: what was typed goes back to its sender. */
  function refuse(ask: Ask, toJson: boolean, quota: Quota): Answer | Promise<Answer> {
    if (toJson) return tooMany(ask, quota.resetS, quota)
    return waitAndSend(readLeadRequest(ask).body, quota.resetS, quota)
  }

  function unread(
    ask: Ask,
    read: Unreadable,
    toJson: boolean,
    quota: Quota | undefined,
  ): Answer | Promise<Answer> {
    if (toJson) return toJsonFailure(ask, read.error, read.problems, quota)
    return backToForm(read, quota)
  }

  function forJson(ask: Ask, outcome: Outcome, read: ReadLead, quota: Quota | undefined): Answer {
    switch (outcome.kind) {
      case 'accepted':
      case 'repeated': {
        const { reference, token } = outcome
        const start = `${successStart}${reference}${successMiddle}${token}${successEnd}${token}"`
        // Without a key it would tell a stranger that this lead is known.
        const isReplay = outcome.kind === 'repeated' && read.dedup.by === 'key'
        return withHeaders(
          successAnswer(start, outcome.unlisted),
          ...(isReplay ? ['Idempotent-Replayed', 'true'] : []),
          ...quotaHeaders(quota),
          ...corsHeaders(ask),
        )
      }
      case 'invalid':
        return toJsonFailure(ask, 'VALIDATION_ERROR', outcome.problems, quota)
      case 'key-reused':
        return toJsonFailure(ask, 'IDEMPOTENCY_KEY_REUSED', [], quota)
      case 'withdrawn':
        return toJsonFailure(ask, 'REQUEST_WITHDRAWN', [], quota)
      case 'limited':
        return tooMany(ask, outcome.waitS, quota)
      case 'unavailable':
        return withHeaders(unavailable(), ...corsHeaders(ask))
    }
  }

  function forBrowser(
    ask: Ask,
    outcome: Outcome,
    read: ReadLead,
    quota: Quota | undefined,
  ): Answer | Promise<Answer> {
    switch (outcome.kind) {
      case 'accepted':
      case 'repeated':
        return withHeaders(toThanks(), ...receiptCookie(outcome, secure), ...quotaHeaders(quota))
      case 'invalid':
        return backToForm({ ...read, ...outcome, error: 'VALIDATION_ERROR' }, quota)
      case 'key-reused':
        return backToForm({ ...read, ...reusedKey }, quota)
      case 'withdrawn':
        return backToForm({ ...read, ...withdrawn }, quota)
      case 'limited':
        return waitAndSend(read.body, outcome.waitS, quota)
      case 'unavailable':
        return showSendAgain('STORAGE_UNAVAILABLE', read.body, retryAfterS, [])
    }
  }

  function waitAndSend(
    body: LeadBody,
    waitS: number,
    quota: Quota | undefined,
  ): Answer | Promise<Answer> {
    return showSendAgain('RATE_LIMITED', body, waitS, quotaHeaders(quota))
  }

  /** Typed text and problems go back to the form in an encrypted cookie. */
  function backToForm(failed: Unreadable, quota: Quota | undefined): Answer {
    const about = { secure, now: now() }
    const cookies = draftCookies(draftSeal, failed.body, shownProblems(failed), about)
    return toForm(failed, ...cookies, ...quotaHeaders(quota))
  }
}

function successAnswer(start: string, unlisted: readonly string[]): Answer {
  if (unlisted.length === 0) return postAnswer(`${start}}`)
  return postAnswer(`${start},"unlisted":${JSON.stringify(unlisted)}}`)
}

function logged(answer: Answer | Promise<Answer>, logFacts: LogFacts): Answer | Promise<Answer> {
  return answer instanceof Promise
    ? answer.then((later) => withLogFacts(later, logFacts))
    : withLogFacts(answer, logFacts)
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
