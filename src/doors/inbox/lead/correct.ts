/** Corrects and completes the details of a request. */
import { wordsOf } from '../../../contract/wording.ts'
import {
  checkDetails,
  checkNumbers,
  correctByMember,
  detailForm,
  givenDetailsOf,
  readDetails,
  type DetailProblem,
  type TypedDetails,
} from '../../../desk/details.ts'
import { type WholeLead } from '../../../desk/whole-lead.ts'
import { html } from '../../../html.ts'
import { type Answer } from '../../../http/message.ts'
import { type Lead } from '../../../store/leads/rows.ts'
import { goOn, missing, showPage } from '../frame/answers.ts'
import { formDoors, type Wrong } from '../frame/form.ts'
import { readVersion } from '../act-fields.ts'
import { placeFields } from '../frame/done-bar.ts'
import { said } from '../frame/words.ts'
import { actPath, leadPath } from '../paths.ts'
import { askedNumbers, detailFields, wrongDetails, type DetailHints } from './details-form.ts'
import { sentAs } from './facts.ts'
import { ofLead, placeInList, type LeadCaller } from './page.ts'

export const correctForm = ofLead(
  formDoors<LeadCaller, Typed, NotCorrected>({
    read: (field) => ({
      ...readDetails(field),
      asked: field('asked'),
      version: readVersion(field('version')),
    }),
    begin: ({ whole }) => ({ ...givenDetailsOf(whole.lead), asked: '', version: undefined }),
    act: saveCorrection,
    page: correctPage,
  }),
)

/** `asked`: see `askedNumbers`. */
type Typed = TypedDetails & { asked: string; version: number | undefined }

type NotCorrected = Wrong & { problems?: readonly DetailProblem[]; now?: Lead }

async function saveCorrection(caller: LeadCaller, sent: Typed): Promise<Answer | NotCorrected> {
  const { inbox, member, whole } = caller
  const { asked, version, ...typed } = sent
  const numbers = checkNumbers(typed, asked, givenDetailsOf(whole.lead))
  const problems = [...checkDetails(typed), ...numbers]
  if (problems.length > 0) return wrongDetails(problems)
  const leadIds = [whole.lead.id]
  const act = { leadId: whole.lead.id, by: member.id, at: inbox.now(), version }
  const outcome = await correctByMember(inbox.store, inbox.taker.keysOf, act, typed)
  if (outcome.kind === 'missing') return showPage(caller, missing)
  if (outcome.kind !== 'done') return { status: 409, problem: overtaken, now: outcome.lead }
  const path = leadPath(whole.lead.id, placeInList(caller))
  return goOn(caller, 'corrected', path, { what: 'corrected', leadIds })
}

const overtaken =
  'The details were corrected since you opened this page, so nothing was changed. Press again if you still want to.'

function correctPage(caller: LeadCaller, typed: Typed, wrong?: NotCorrected) {
  const { whole } = caller
  const { problems = [], now } = wrong ?? {}
  const lead = now ?? whole.lead
  const hints = now === undefined ? sentHints(whole) : changedHints(now, typed)
  const keys = detailForm.map(({ key }) => key)
  const say = wordsOf(caller.inbox.business)
  const place = placeInList(caller)
  const back = html`<a href="${leadPath(lead.id, place)}">${said(lead.values.name)}</a>`
  const main = html`<form method="post" action="${actPath(lead.id, 'details')}">
<input type="hidden" name="version" value="${lead.version}">
${placeFields(place)}
${wrong === undefined ? '' : askedNumbers(typed)}${detailFields(keys, typed, { say, problems, hints })}
<button type="submit" class="wide">Save</button>
</form>
<h2>This person</h2>
<p class="pair">
<a class="button quiet" href="${actPath(lead.id, 'export')}">Export</a>
<a class="button quiet danger" href="${actPath(lead.id, 'erase')}">Erase for good …</a>
</p>
`
  return { back, title: 'Correct the details', main }
}

/** Beside what was typed stands what the request says now. */
function changedHints(lead: Lead, typed: Typed): DetailHints {
  const now = givenDetailsOf(lead)
  const others = detailForm.filter(({ key }) => now[key] !== typed[key])
  const hints = others.map(({ key }) => [key, html`now: ${said(now[key] || 'nothing')}`])
  return Object.fromEntries(hints)
}

function sentHints(whole: WholeLead): DetailHints {
  const hints = detailForm.map(({ key }) => [key, sentAs(whole, key)])
  return Object.fromEntries(hints)
}
