/** Corrects and completes the details of a request. */
import {
  checkDetails,
  checkNumbers,
  correctByMember,
  detailForm,
  readDetails,
  type DetailProblem,
  type TypedDetails,
} from '../../../desk/details.ts'
import { type WholeLead } from '../../../desk/whole-lead.ts'
import { html } from '../../../html.ts'
import { type Answer } from '../../../http/message.ts'
import { detailsOf } from '../../../store/leads/details.ts'
import { goOn, missing, showPage } from '../frame/answers.ts'
import { readVersion } from '../act-fields.ts'
import { doneCookie, placeFields } from '../frame/done-bar.ts'
import { askedFields, sentFields, type SignedInCaller } from '../frame/inbox.ts'
import { said } from '../frame/words.ts'
import { actPath, leadPath, readListPlace, type ListPlace } from '../paths.ts'
import { askedNumbers, detailFields, problemsAlert, type DetailHints } from './details-form.ts'
import { sentAs } from './facts.ts'
import { withLead } from './page.ts'

export const showCorrect = withLead((caller, whole) => {
  const typed = caller.typed ? readDetails(caller.typed) : detailsOf(whole.lead)
  return correctPage(caller, whole, { typed, place: readListPlace(askedFields(caller)) })
})

export const correctLead = withLead(async (caller, whole) => {
  const { inbox, member } = caller
  const field = sentFields(caller)
  const typed = readDetails(field)
  const place = readListPlace(field)
  const numbers = checkNumbers(typed, field('asked'), detailsOf(whole.lead))
  const problems = [...checkDetails(typed), ...numbers]
  if (problems.length > 0)
    return correctPage(caller, whole, { status: 400, typed, place, problems })
  const version = readVersion(field('version'))
  const act = { leadId: whole.lead.id, by: member.id, at: inbox.now(), version }
  const outcome = await correctByMember(inbox.store, inbox.taker.keysOf, act, typed)
  if (outcome.kind === 'missing') return showPage(caller, missing)
  if (outcome.kind !== 'done')
    return refuseOvertaken(caller, { ...whole, lead: outcome.lead }, { typed, place })
  const cookie = doneCookie(inbox, { what: 'corrected', leadIds: [whole.lead.id] })
  return goOn(caller, 'corrected', leadPath(whole.lead.id, place), [cookie])
})

/** Keeps what was typed, and says beside it what the request says now. */
function refuseOvertaken(
  caller: SignedInCaller,
  whole: WholeLead,
  { typed, place }: Pick<CorrectPage, 'typed' | 'place'>,
): Promise<Answer> {
  const now = detailsOf(whole.lead)
  const others = detailForm.filter(({ key }) => now[key] !== typed[key])
  const hints = others.map(({ key }) => [key, html`now: ${said(now[key] || 'nothing')}`])
  const problem =
    'The details were corrected since you opened this page, so nothing was changed. Press again if you still want to.'
  return correctPage(caller, whole, {
    status: 409,
    typed,
    place,
    problem,
    hints: Object.fromEntries(hints),
  })
}

type CorrectPage = {
  status?: number
  typed: TypedDetails
  place: ListPlace
  problem?: string
  problems?: readonly DetailProblem[]
  hints?: DetailHints
}

function correctPage(caller: SignedInCaller, whole: WholeLead, page: CorrectPage): Promise<Answer> {
  const { lead } = whole
  const { status = 200, typed, place, problem = '', problems = [], hints = sentHints(whole) } = page
  const keys = detailForm.map(({ key }) => key)
  const back = html`<a href="${leadPath(lead.id, place)}">${said(lead.values.name)}</a>`
  const main = html`${problemsAlert(problems)}<form method="post" action="${actPath(lead.id, 'details')}">
<input type="hidden" name="version" value="${lead.version}">
${placeFields(place)}
${status === 200 ? '' : askedNumbers(typed)}${detailFields(keys, typed, { problems, hints })}
<button type="submit" class="wide">Save</button>
</form>
`
  return showPage(caller, { status, back, title: 'Correct the details', main, problem })
}

function sentHints(whole: WholeLead): DetailHints {
  const hints = detailForm.map(({ key }) => [key, sentAs(whole, key)])
  return Object.fromEntries(hints)
}
