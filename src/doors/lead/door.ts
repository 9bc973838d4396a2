/** POST /api/lead: takes a lead from a browser's form or as JSON. */
import { errorEnvelope, errors } from '../../contract/errors.ts'
import { contactPath, thanksPath } from '../../contract/routes.ts'
import { wordsOf } from '../../contract/wording.ts'
import type { Seal } from '../../http/cookies.ts'
import { inert, jsonAnswer, seeOther } from '../../http/answers.ts'
import { withCookies, withHeaders, type Answer, type Ask } from '../../http/message.ts'
import type { Limits, Quota } from '../../lead/limits.ts'
import type { LeadTaker } from '../../lead/take.ts'
import { toFormProblems, wholeFormProblem } from '../../site/form.ts'
import type { Site } from '../../site/site.ts'
import { corsHeaders, isJsonClient, quotaHeaders } from '../clients.ts'
import {
  failureAnswer,
  isTaken,
  limitedFacts,
  outcomeFacts,
  toDoorError,
  toSuccess,
  tooMany,
  type DoorError,
  type Taken,
} from '../outcomes.ts'
import { clearDraft, draftCookies, receiptCookie } from './cookies.ts'
import { readLeadRequest, userAgentOf, type LeadBody, type ReadLead } from './read-lead.ts'
import { sendAgainPage } from './send-again.ts'

type LeadDoorParts = {
  taker: LeadTaker
  limits: Limits
  site: Site
  draftSeal: Seal
  now: () => number
}

export class LeadDoor {
  readonly #parts: LeadDoorParts
  readonly #secure: boolean

  constructor(parts: LeadDoorParts) {
    this.#parts = parts
    this.#secure = parts.site.baseUrl.startsWith('https:')
  }

  async answer(ask: Ask): Promise<Answer> {
    const { taker, limits, now } = this.#parts
    const { limited, quota } = limits.countRequest(ask.address, now())
    if (limited) {
      // A form is read nevertheless, because the answer gives the typed text back to the sender.
      const body = isJsonClient(ask) ? {} : readLeadRequest(ask).body
      return { ...this.#fail(ask, tooMany(quota), body, quota), logFacts: limitedFacts }
    }
    const read = readLeadRequest(ask)
    if ('error' in read) return this.#fail(ask, read, read.body, quota)
    const outcome = await taker.takeLead({
      ...read,
      address: ask.address,
      userAgent: userAgentOf(ask),
      agent: '',
    })
    const answer = isTaken(outcome)
      ? this.#thank(ask, outcome, read, quota)
      : this.#fail(ask, toDoorError(outcome), read.body, quota)
    return { ...answer, logFacts: outcomeFacts(outcome) }
  }

  #thank(ask: Ask, taken: Taken, { body, dedup }: ReadLead, quota: Quota | undefined): Answer {
    const success = toSuccess(taken, body, this.#parts.site)
    if (!isJsonClient(ask)) {
      const { message, reference, status_url: url } = success
      const words = `${message}\nReference: ${reference}\nReceipt: ${url}\n${forPrograms}`
      const cookies = [clearDraft, receiptCookie(taken, this.#secure)]
      return withCookies(withHeaders(seeOther(thanksPath, words), quotaHeaders(quota)), cookies)
    }
    // Only with a key: otherwise a stranger could learn that somebody has sent this lead.
    const isReplay = taken.kind === 'repeated' && dedup.by === 'key'
    // There is no Cache-Control, because caches do not store answers to a POST.
    return jsonAnswer(200, success, {
      ...inert(),
      ...(isReplay && { 'Idempotent-Replayed': 'true' }),
      ...quotaHeaders(quota),
      ...corsHeaders(ask),
    })
  }

  /** A browser gets the typed text back: in the form, or on a page with the button "Send again". */
  #fail(ask: Ask, failure: DoorError, body: LeadBody, counted: Quota | undefined): Answer {
    const { site, draftSeal, now } = this.#parts
    const { error, waitS = 0 } = failure
    const problems = wordsOf(site.business)(failure.problems ?? [])
    const quota = error === 'STORAGE_UNAVAILABLE' ? undefined : counted
    if (isJsonClient(ask)) return failureAnswer(ask, { ...failure, problems }, quota)
    if (error === 'RATE_LIMITED' || error === 'STORAGE_UNAVAILABLE') {
      return sendAgainPage(site, { error, waitS }, body, quota)
    }
    const { message } = errorEnvelope(error, problems).error
    const words = `Nothing was received. ${message} ${errors[error].resolution} ${forPrograms}`
    const shown =
      problems.length > 0
        ? toFormProblems(problems, body, site.business)
        : [wholeFormProblem(error)]
    const draft = draftCookies(draftSeal, body, shown, { secure: this.#secure, now: now() })
    return withCookies(withHeaders(seeOther(contactPath, words), quotaHeaders(quota)), draft)
  }
}

const forPrograms = 'To get the answer as JSON, send Accept: application/json.'
