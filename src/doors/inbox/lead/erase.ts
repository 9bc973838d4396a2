/** Erases one request, or more of the same person, after a confirmation. */
import { plural } from '../../../words.ts'
import { erasePerson } from '../../../desk/erase.ts'
import { visitsAhead } from '../../../desk/visits.ts'
import { mostOthersRead, type WholeLead } from '../../../desk/whole-lead.ts'
import { html, type Html, noHtml } from '../../../html.ts'
import { type Answer } from '../../../http/message.ts'
import { eraseLead } from '../../../lead/act.ts'
import { isVisitAhead } from '../../../contract/visit.ts'
import { visitEmailWaitMs } from '../../../lead/hearing.ts'
import { type Lead } from '../../../store/leads/rows.ts'
import { dateInWords, minuteMs } from '../../../time.ts'
import { goOn } from '../frame/answers.ts'
import { readVersion, sends } from '../act-fields.ts'
import { formDoors, type Wrong } from '../frame/form.ts'
import { mailsVisits, type Inbox } from '../frame/inbox.ts'
import { said } from '../frame/words.ts'
import { actPath, leadPath, paths } from '../paths.ts'
import { ofLead, type LeadCaller } from './page.ts'

export const eraseForm = ofLead(
  formDoors<LeadCaller, Typed>({
    read: (field) => ({ which: field('which'), version: readVersion(field('version')) }),
    act: eraseChosen,
    page: erasePage,
  }),
)

type Typed = { which: string; version: number | undefined }

async function eraseChosen(caller: LeadCaller, { which, version }: Typed): Promise<Answer | Wrong> {
  const { inbox, member, whole } = caller
  const { store } = inbox
  const act = { leadId: whole.lead.id, by: member.id, at: inbox.now(), version }
  const isMore = which === 'email' || which === 'person'
  const outcome = isMore
    ? await erasePerson(store, act, which === 'person')
    : await eraseLead(store, act)
  if (outcome.kind === 'overtaken') return { status: 409, problem: overtaken }
  return goOn(caller, 'erased', paths.list, { what: 'erased', leadIds: [whole.lead.id] })
}

const overtaken = 'This request has changed since you opened the page. Check it once more.'

async function erasePage({ inbox, whole }: LeadCaller, { which }: Typed) {
  const { lead } = whole
  const along = await inbox.store.leads.referencesJoined(othersOf(whole))
  const back = html`<a href="${leadPath(lead.id)}">${said(lead.values.name)}</a>`
  const main = html`${visitWarnings(inbox, whole)}${form(whole, [...along.values()].flat(), which)}`
  return { back, title: 'Erase for good?', main }
}

/** The person's other requests. Joined ones are left out, because they go with the request. */
function othersOf({ ofPerson, joined }: WholeLead): Lead[] {
  return ofPerson.filter(({ id }) => !joined.some(({ lead }) => lead.id === id))
}

/** Erasing also deletes the email address, so the customer cannot be notified afterwards. */
function visitWarnings(inbox: Inbox, whole: WholeLead): Html {
  const { lead } = whole
  const now = inbox.now()
  const own = isVisitAhead(lead, now) ? [visitWarning(inbox, lead, 'has a visit')] : []
  const others = visitsAhead(othersOf(whole), now).map((other) => {
    const link = html`<a href="${leadPath(other.id)}">${other.reference}</a>`
    const label = labels[isSameEmail(lead, other) ? 'email' : 'person']
    const has = html`has a visit with another request, ${link}`
    return visitWarning(inbox, other, has, `"${label}" erases it, too.`)
  })
  return html`${own}${others}`
}

function visitWarning(inbox: Inbox, lead: Lead, has: Html | string, erasedBy = ''): Html {
  const mayMail = mailsVisits(inbox) && lead.values.email !== ''
  const when = dateInWords(lead.date!.at, inbox.business.timeZone, inbox.now())
  return html`<p>
<strong>${said(lead.values.name)} ${has}: ${when}.</strong>
${erasedBy}
No email calls it off.
${mayMail ? callOffFirst : ''}
</p>
`
}

/** The email leaves a moment after it is due. */
const callOffMinutes = visitEmailWaitMs / minuteMs + 1
const callOffFirst = `To send one, call off the visit first, and erase the request after ${callOffMinutes} minutes.`

/** `along`: the references of what is joined with the person's others. */
function form(whole: WholeLead, along: readonly string[], chosen: string): Html {
  const { lead } = whole
  return html`<p>
The request of <strong>${said(lead.values.name)}</strong>,
<span class="nowrap">${lead.reference}</span>: everything that was sent, and your notes.
This cannot be undone. Older backups keep a copy until they are deleted.
If one is brought back, the request is erased again automatically.
</p>
<form method="post" action="${actPath(lead.id, 'erase')}">
<input type="hidden" ${sends('version', lead.version)}>
${joinedToErase(whole)}${whichChoices(whole, othersOf(whole), { first: 'one', chosen })}
${alongWords(whole, along)}<p><button type="submit" class="wide danger">Erase for good</button></p>
<p><a class="button wide quiet" href="${leadPath(lead.id)}">Keep it</a></p>
</form>
`
}

function joinedToErase({ joined }: WholeLead): Html {
  if (joined.length === 0) return noHtml
  const names = joined.map(({ lead }) => html`<br>${said(lead.values.name)}, ${lead.reference}`)
  return html`<p>What is joined with it goes, too:${names}</p>
`
}

type Which = 'one' | 'email' | 'person'

/** Names what does not have the email or the phone number itself. */
function alongWords({ ofPerson }: WholeLead, along: readonly string[]): Html {
  const further = along.filter((reference) => ofPerson.every((own) => own.reference !== reference))
  if (further.length === 0) return noHtml
  return html`<p>With the others goes what is joined with them: ${further.join(', ')}</p>
`
}

/** Anybody can type any phone number, so the choice `person` names the others who typed this number. */
export function whichChoices(
  { lead }: WholeLead,
  others: readonly Lead[],
  { first, chosen }: { first: 'one' | 'email'; chosen: string },
): Html {
  const kept = others.filter(({ state }) => state !== 'erased')
  const sameEmail = kept.filter((other) => isSameEmail(lead, other))
  const samePhone = kept.filter((other) => !sameEmail.includes(other))
  const atLeast = others.length >= mostOthersRead ? 'at least ' : ''
  const about: Record<Which, Html> = {
    one: html`${lead.reference}`,
    email: html`${atLeast}${plural(sameEmail.length + 1, 'request')}`,
    person: html`Anyone can type any number. This one was also used by:${namesOf(samePhone, atLeast)}`,
  }
  const choices: Which[] = [first]
  if (first === 'one' && sameEmail.length > 0) choices.push('email')
  if (samePhone.length > 0) choices.push('person')
  const checked = choices.find((which) => which === chosen) ?? first
  return html`${choices.map((which) => choice(which, about[which], which === checked))}`
}

function isSameEmail(lead: Lead, other: Lead): boolean {
  const email = lead.values.email.toLowerCase()
  return email !== '' && other.values.email.toLowerCase() === email
}

const labels: Record<Which, string> = {
  one: 'Only this request',
  email: 'All with this email',
  person: 'All with this email or phone',
}

function choice(which: Which, about: Html, isChecked: boolean): Html {
  return html`<label class="choice">
<input type="radio" name="which" value="${which}"${isChecked ? html` checked` : ''}>
<span>${labels[which]}<small>${about}</small></span>
</label>
`
}

const mostNamed = 5

function namesOf(others: readonly Lead[], atLeast: string): Html {
  const names = others
    .slice(0, mostNamed)
    .map(({ values: { name, email } }) => html`<br>${said(name)}, ${said(email)}`)
  const unnamed = others.length - mostNamed
  return html`${names}${unnamed > 0 ? html`<br>and ${atLeast}${unnamed} more` : ''}`
}
