/** Corrects and completes the details of a request. */
import {
  checkDetails,
  correctByMember,
  detailForm,
  readDetails,
  type DetailProblem,
  type TypedDetails,
} from '../../../desk/details.ts'
import { type WholeLead } from '../../../desk/whole-lead.ts'
import { html, type Html } from '../../../html.ts'
import { type Answer } from '../../../http/message.ts'
import { detailsOf } from '../../../store/leads/details.ts'
import { goTo, logged, showPage } from '../frame/answers.ts'
import { readVersion } from '../act-fields.ts'
import { doneCookie } from '../frame/done-bar.ts'
import { sentFields, type SignedInCaller } from '../frame/inbox.ts'
import { said } from '../frame/words.ts'
import { actPath, leadPath } from '../paths.ts'
import { detailFields, problemsAlert } from './details-form.ts'
import { withLead } from './page.ts'

export const showCorrect = withLead((caller, whole) => {
  const typed = caller.typed ? readDetails(caller.typed) : detailsOf(whole.lead)
  return correctPage(caller, whole, { typed })
})

export const correctLead = withLead(async (caller, whole) => {
  const { inbox, member } = caller
  const field = sentFields(caller)
  const typed = readDetails(field)
  const problems = checkDetails(typed)
  if (problems.length > 0) return correctPage(caller, whole, { status: 400, typed, problems })
  const version = readVersion(field('version'))
  const act = { leadId: whole.lead.id, by: member.id, at: inbox.now(), version }
  const outcome = await correctByMember(inbox.store, inbox.taker.keysOf, act, typed)
  if (outcome.kind !== 'done') {
    const words =
      'Somebody else corrected this just now, so nothing was changed. Press again if you still want to.'
    const overtaken = { status: 409, typed, problems: [{ key: 'name', words }] as const }
    return correctPage(caller, whole, overtaken)
  }
  const cookie = doneCookie(inbox, { what: 'corrected', leadIds: [whole.lead.id] })
  return logged(goTo(leadPath(whole.lead.id), cookie), 'corrected', member.id)
})

type CorrectPage = {
  status?: number
  typed: TypedDetails
  problems?: readonly DetailProblem[]
}

function correctPage(
  caller: SignedInCaller,
  { lead, asSent }: WholeLead,
  page: CorrectPage,
): Promise<Answer> {
  const { status = 200, typed, problems = [] } = page
  const keys = detailForm.map(({ key }) => key)
  const back = html`<a href="${leadPath(lead.id)}">${said(lead.values.name)}</a>`
  const main = html`${problemsAlert(problems)}<form method="post" action="${actPath(lead.id, 'details')}">
<input type="hidden" name="version" value="${lead.version}">
${detailFields(keys, typed, problems)}<button type="submit" class="wide">Save</button>
</form>
${asSentList(asSent)}`
  return showPage(caller, { status, back, title: 'Correct the details', main })
}

/** What the customer sent stays readable beside the corrected details. */
export function asSentList(asSent: WholeLead['asSent']): Html {
  if (asSent.length === 0) return html``
  return html`<section class="as-sent">
<h2>As it was sent</h2>
<dl>
${asSent.map(
  ({
    label,
    text,
  }) => html`<div><dt>${label}</dt><dd>${text === '' ? 'nothing' : said(text)}</dd></div>
`,
)}</dl>
</section>
`
}
