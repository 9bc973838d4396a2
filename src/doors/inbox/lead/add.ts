/** Adds a request of somebody who rang. */
import { randomUUID } from 'node:crypto'
import { isKey } from '../../../contract/idempotency-key.ts'
import { senderMail } from '../../../contract/notices.ts'
import { longestNote, noteByMember } from '../../../desk/acts.ts'
import {
  checkDetails,
  checkMessage,
  findKnown,
  readDetails,
  readMessage,
  toValues,
  type DetailKey,
  type DetailProblem,
  type TypedDetails,
} from '../../../desk/details.ts'
import { html, type Html } from '../../../html.ts'
import { type Answer } from '../../../http/message.ts'
import { type Lead } from '../../../store/leads/rows.ts'
import { inWords } from '../../../time.ts'
import { goTo, logged, showPage } from '../frame/answers.ts'
import { sentFields, type Inbox, type SentFields, type SignedInCaller } from '../frame/inbox.ts'
import { said } from '../frame/words.ts'
import { leadPath, paths } from '../paths.ts'
import { detailFields, problemsAlert } from './details-form.ts'

type Typed = TypedDetails & { message: string; nonce: string; emails: boolean }

type AddPage = { status?: number; problems?: readonly DetailProblem[]; known?: readonly Lead[] }

export function showAdd(caller: SignedInCaller): Promise<Answer> {
  return addPage(caller, readTyped(caller.typed ?? (() => '')))
}

export async function addRequest(caller: SignedInCaller): Promise<Answer> {
  const { inbox, member } = caller
  const field = sentFields(caller)
  const typed = readTyped(field)
  const problems = [...checkDetails(typed), ...checkMessage(typed.message)]
  if (problems.length > 0) return addPage(caller, typed, { status: 400, problems })
  const known = await findKnown(inbox.store, inbox.taker.keysOf, typed)
  const chosen = known.find(({ id }) => id === field('to'))
  if (chosen !== undefined) return addToRequest(caller, chosen, typed)
  // The member has seen who is known, and chose a new request.
  if (known.length > 0 && field('to') !== 'new') {
    return addPage(caller, typed, { status: 409, known })
  }
  const id = await inbox.taker.addLead({
    values: toValues(typed, typed.message),
    by: member.id,
    nonce: typed.nonce,
    emailsCustomer: typed.emails,
  })
  return logged(goTo(leadPath(id)), 'added', member.id)
}

/** What was typed becomes a note of the person's earlier request. */
async function addToRequest(caller: SignedInCaller, lead: Lead, typed: Typed): Promise<Answer> {
  const { inbox, member } = caller
  const about = [typed.message, typed.phone, typed.email].filter(Boolean).join('\n')
  const words = `Rang. ${about}`.slice(0, longestNote)
  const act = { leadId: lead.id, by: member.id, at: inbox.now() }
  await noteByMember(inbox.store, act, words)
  return logged(goTo(`${leadPath(lead.id)}#notes`), 'noted', member.id)
}

function readTyped(field: SentFields): Typed {
  const nonce = field('nonce')
  return {
    ...readDetails(field),
    message: readMessage(field('message')),
    nonce: isKey(nonce) ? nonce : randomUUID(),
    emails: field('emails') !== '',
  }
}

const first: readonly DetailKey[] = ['name', 'phone']
const further: readonly DetailKey[] = ['email', 'postcode']

function addPage(caller: SignedInCaller, typed: Typed, page: AddPage = {}): Promise<Answer> {
  const { inbox } = caller
  const { status = 200, problems = [], known = [] } = page
  const back = html`<a href="${paths.list}">Inbox</a>`
  const main = html`${problemsAlert(problems)}<p class="soft">Somebody rang? A name or a number is enough.</p>
<form class="add" method="post" action="${paths.add}">
<input type="hidden" name="nonce" value="${typed.nonce}">
${knownChoices(inbox, known)}${detailFields(first, typed, problems)}<label for="message">What they want</label>
<textarea id="message" name="message" rows="4">${typed.message}</textarea>
${detailFields(further, typed, problems)}${emailChoice(inbox, typed)}<button type="submit" class="wide" name="to" value="${known.length > 0 ? 'new' : ''}">${known.length > 0 ? 'Add a new request' : 'Add the request'}</button>
</form>
`
  return showPage(caller, { status, back, title: 'Add a request', main })
}

/** Says that the person is known before the request is saved: "Wendy sent a request on 5 Nov". */
function knownChoices({ business, now }: Inbox, known: readonly Lead[]): Html {
  if (known.length === 0) return html``
  return html`<div class="known" role="alert">
${known.map((lead) => {
  const when = inWords(lead.receivedAt, business.timeZone, now())
  return html`<p>${said(lead.values.name)} sent a request on ${when}.
<button type="submit" class="quiet" name="to" value="${lead.id}">Add to it</button></p>
`
})}</div>
`
}

function emailChoice({ recipients }: Inbox, { emails }: Typed): Html {
  if (!recipients['lead.received'].includes(senderMail)) return html``
  return html`<label class="choice">
<input type="checkbox" name="emails" value="1"${emails ? html` checked` : ''}>
<span>Email them that I have their request</span>
</label>
`
}
