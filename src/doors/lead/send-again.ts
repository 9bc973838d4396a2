/** The page for a browser whose request could not be taken now: what was typed, and "Send again". */
import type { Business } from '../../contract/business.ts'
import { isLongerThan } from '../../contract/check-fields.ts'
import { errors } from '../../contract/errors.ts'
import { fields, keyName } from '../../contract/fields.ts'
import { isKey } from '../../contract/idempotency-key.ts'
import { unlistedLimits } from '../../contract/limits.ts'
import { html, type Html } from '../../html.ts'
import { pageAnswer, personalPolicy } from '../../http/answers.ts'
import type { WholeAnswer } from '../../http/message.ts'
import { isListedField, readUnlisted } from '../../lead/check.ts'
import type { Quota } from '../../lead/limits.ts'
import { leadForm } from '../../site/form.ts'
import { phoneAndHours } from '../../site/ring.ts'
import type { Site } from '../../site/site.ts'
import { waitHeaders } from '../clients.ts'
import { typedText } from './cookies.ts'
import type { LeadBody } from './read-lead.ts'

type Cause = 'RATE_LIMITED' | 'STORAGE_UNAVAILABLE'

const title = 'Please send it again'

const words: Record<Cause, string> = {
  RATE_LIMITED: 'Many requests came from your network, so yours has to wait a moment.',
  STORAGE_UNAVAILABLE: 'I could not save your request just now, so I have not received it yet.',
}

type NotTaken = { error: Cause; waitS: number }

export function sendAgainPage(
  site: Site,
  failure: NotTaken,
  body: LeadBody,
  quota: Quota | undefined,
): WholeAnswer {
  const { error, waitS } = failure
  const form = formWith(body, site.business)
  const advice =
    form === undefined
      ? goBack
      : `Everything you typed is still here. Wait ${secondsInWords(waitS)}, then press the button. I will receive it only once.`
  const main = html`<h1>${title}</h1>
<p>${words[error]} ${advice}</p>
<p>Or ring me: <span class="ring">${phoneAndHours(site.business)}</span></p>
${form ?? ''}`
  const page = site.show({ path: undefined, title, description: title, main })
  const policy = { ...personalPolicy(site), ...waitHeaders(waitS, quota) }
  return pageAnswer(errors[error].status, page.text, policy)
}

const goBack =
  'Wait a moment, then press Back in your browser, where everything you typed still is, and send it again.'

function secondsInWords(seconds: number): string {
  if (seconds < 120) return `${seconds} seconds`
  return seconds < 7_200
    ? `${Math.ceil(seconds / 60)} minutes`
    : `${Math.ceil(seconds / 3_600)} hours`
}

/** `undefined`: nothing was typed, or more than a lead may hold. */
function formWith(body: LeadBody, business: Business): Html | undefined {
  const typed = typedText(body)
  const carried = carriedAlong(body)
  const tooLong = fields.some(({ name, maxLength }) => isLongerThan(typed[name] ?? '', maxLength))
  if (carried === undefined || tooLong || Object.keys(typed).length === 0) return undefined
  const sent = Object.hasOwn(body, keyName) ? body[keyName] : undefined
  const nonce = isKey(sent) ? sent : ''
  const state = { nonce, typed, problems: [], carried, submitLabel: 'Send again' }
  return leadForm(state, business)
}

function carriedAlong(body: LeadBody): [name: string, value: string][] | undefined {
  if ('problem' in readUnlisted(body)) return undefined
  const inputs = Object.entries(body)
    .filter(([name]) => !isListedField(name))
    .flatMap(([name, value]) =>
      [value].flat().map((each): [string, string] => [name, String(each)]),
    )
  return inputs.length > unlistedLimits.fields ? undefined : inputs
}
