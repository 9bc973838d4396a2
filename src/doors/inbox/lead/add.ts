/** Adds a request of somebody who rang. */
import { capital } from '../../../words.ts'
import { randomUUID } from 'node:crypto'
import { isKey } from '../../../contract/idempotency-key.ts'
import { senderMail } from '../../../contract/notices.ts'
import { fieldKeys, isForCall, personFields, type FieldValues } from '../../../contract/fields.ts'
import { longestNote } from '../../../contract/limits.ts'
import { wordsOf } from '../../../contract/wording.ts'
import {
  checkDetails,
  checkMessage,
  checkNumbers,
  detailForm,
  findKnown,
  readDetails,
  readMessage,
  toValues,
  type DetailProblem,
  type TypedDetails,
} from '../../../desk/details.ts'
import { checkMoment, ringOffers } from '../../../desk/plan.ts'
import { shortWord } from '../../../desk/words.ts'
import { html, type Html, noHtml } from '../../../html.ts'
import { type Answer } from '../../../http/message.ts'
import { actOn } from '../../../lead/act.ts'
import { isOpen, move, note } from '../../../lead/life.ts'
import { detailsOf } from '../../../store/leads/details.ts'
import { type Lead } from '../../../store/leads/rows.ts'
import { minuteMs, partsOf, dayAndMonth } from '../../../time.ts'
import { goOn } from '../frame/answers.ts'
import { formDoors, type Wrong } from '../frame/form.ts'
import { type Inbox, type SentFields, type SignedInCaller } from '../frame/inbox.ts'
import { said } from '../frame/words.ts'
import { leadPath, paths } from '../paths.ts'
import { askedNumbers, detailFields, wrongDetails } from './details-form.ts'

export const addForm = formDoors<SignedInCaller, Typed, NotAdded>({
  read: readTyped,
  act: addRequest,
  page: addPage,
})

/**
 * `to` and `seen`: what the member chose, of which known requests. `asked`: see `askedNumbers`. `next`:
 * when to ring again, or `book`, if they have spoken; ''.
 */
type Typed = TypedDetails & {
  message: string
  nonce: string
  emails: boolean
  asked: string
  to: string
  seen: string
  next: string
}

/** `known`: requests of the same person, which the member has yet to choose from. */
type NotAdded = Wrong & { problems?: readonly DetailProblem[]; known?: readonly Lead[] }

async function addRequest(caller: SignedInCaller, typed: Typed): Promise<Answer | NotAdded> {
  const { inbox, member } = caller
  const problems = [...checkTyped(typed), ...checkNumbers(typed, typed.asked)]
  if (problems.length > 0) return wrongDetails(problems)
  const values = toValues(typed, typed.message)
  const known = await findKnown(inbox.store, inbox.taker.keysOf, typed)
  const same = known.find((lead) => isSameCall(lead, values, inbox.now()))
  if (same !== undefined) return leadOn(caller, same, typed)
  const chosen = known.filter(isOpen).find(({ id }) => id === typed.to)
  if (chosen !== undefined) return addToRequest(caller, chosen, typed)
  const seen = typed.to === 'new' ? typed.seen.split(' ') : []
  // He may have typed somebody else's number since the page named those who are known.
  if (known.some(({ id }) => !seen.includes(id))) return { status: 409, known }
  const id = await inbox.taker.addLead({
    values,
    by: member.id,
    nonce: typed.nonce,
    emailsCustomer: typed.emails,
  })
  return leadOn(caller, { id, state: 'new' }, typed)
}

/** If the member has said when next, they have spoken, so the request is contacted. */
async function leadOn(
  caller: SignedInCaller,
  { id, state }: Pick<Lead, 'id' | 'state'>,
  { next }: Typed,
): Promise<Answer> {
  const { inbox, member } = caller
  const at = Number(next)
  const isRing = /^\d{1,15}$/.test(next) && 'at' in checkMoment(at, inbox.now())
  const isBeforeVisit = state === 'new' || state === 'contacted'
  if (isBeforeVisit && (isRing || next === 'book')) {
    const date = isRing ? { next: { at, what: 'ring' } as const } : {}
    await actOn(inbox.store, id, move('contacted', date, { by: member.id, at: inbox.now() }))
  }
  return goOn(caller, 'added', `${leadPath(id)}${next === 'book' ? bookHash : ''}`)
}

/** With this hash the page opens the fields of a visit. */
const bookHash = '#book'

function checkTyped(typed: Typed): DetailProblem[] {
  const problems = [...checkDetails(typed), ...checkMessage(typed.message)]
  if (problems.length > 0 || !typed.emails || typed.email !== '') return problems
  return [{ key: 'email', words: 'Type their email, or leave the box unticked.' }]
}

const sameCallMs = 10 * minuteMs

/** Whether the lead was just added with the same words: the button was pressed twice. */
function isSameCall({ door, values, receivedAt }: Lead, typed: FieldValues, now: number): boolean {
  const isRecent = now - receivedAt < sameCallMs
  return door === 'phone' && isRecent && fieldKeys.every((key) => values[key] === typed[key])
}

/** The typed words become a note of the person's earlier request. */
async function addToRequest(caller: SignedInCaller, lead: Lead, typed: Typed): Promise<Answer> {
  const { inbox, member } = caller
  const words = noteOf(lead, typed)
  const notes = await inbox.store.leads.notesOf([lead])
  // The button was pressed twice.
  const isNoted = notes.some((each) => each.words === words && inbox.now() - each.at < sameCallMs)
  if (!isNoted) {
    await actOn(inbox.store, lead.id, note(words, { by: member.id, at: inbox.now() }))
  }
  return typed.next === ''
    ? goOn(caller, 'noted', `${leadPath(lead.id)}#notes`)
    : leadOn(caller, lead, typed)
}

/** "They rang: Now also a pergola", with the details that the request lacks. */
function noteOf(lead: Lead, typed: Typed): string {
  const here = detailsOf(lead)
  const news = detailForm.filter(({ key }) => typed[key] !== '' && typed[key] !== here[key])
  const details = news.map(({ key, label }) => `${label}: ${typed[key]}`)
  const rang = typed.message === '' ? 'They rang' : `They rang: ${typed.message}`
  return [rang, ...details].join('\n').slice(0, longestNote)
}

function readTyped(field: SentFields, { inbox }: SignedInCaller): Typed {
  const nonce = field('nonce')
  return {
    ...readDetails(field),
    message: readMessage(field('message')),
    nonce: isKey(nonce) ? nonce : randomUUID(),
    emails: mayEmail(inbox) && field('emails') !== '',
    asked: field('asked'),
    to: field('to'),
    seen: field('seen'),
    next: field('next'),
  }
}

/** A second phone and a street are added later, on the page of the request. */
const first = personFields.filter(isForCall).map(({ key }) => key)
const further = personFields.filter((field) => !isForCall(field)).map(({ key }) => key)

function addPage({ inbox }: SignedInCaller, typed: Typed, wrong?: NotAdded) {
  const { problems = [], known = [] } = wrong ?? {}
  const back = html`<a href="${paths.list}">Inbox</a>`
  // The choice comes before the fields, which a keyboard on a phone would hide.
  const focused = known.length === 0 ? undefined : 'none'
  const options = { say: wordsOf(inbox.business), problems, focused } as const
  const nameAndPhone = detailFields(first, typed, options)
  const main = html`<form class="add" method="post" action="${paths.add}">
<input type="hidden" name="nonce" value="${typed.nonce}">
${wrong === undefined ? '' : askedNumbers(typed)}
${known.length === 0 ? howMuch : knownChoices(inbox, known)}${nameAndPhone}<label for="message">What they want</label>
<textarea id="message" name="message" rows="3">${typed.message}</textarea>
${detailFields(further, typed, options)}${emailChoice(inbox, typed)}${addButton(known)}
${known.length === 0 ? whenNext(inbox) : html`<input type="hidden" name="next" value="${typed.next}">`}</form>
`
  return { back, title: 'Add a request', main }
}

const howMuch = html`<p class="soft">Somebody rang? A name or a number is enough.</p>
`

function addButton(known: readonly Lead[]): Html {
  if (known.length === 0) {
    return html`<button type="submit" class="wide">Add the request</button>
`
  }
  return html`<button type="submit" class="wide" name="to" value="new">Add a new request</button>
`
}

/** Comes after the button that adds the request, so that Enter presses that one. */
function whenNext({ business, now }: Inbox): Html {
  const offers = ringOffers(now(), business).map(({ label, at }) => ({ label, value: String(at) }))
  const buttons = [...offers, { label: 'Book a visit', value: 'book' }].map(
    ({
      label,
      value,
    }) => html`<button type="submit" class="quiet" name="next" value="${value}">${label}</button>
`,
  )
  return html`<section aria-labelledby="when">
<h2 id="when">When next?</h2>
<p class="soft">If you have spoken to them: this adds the request as contacted.</p>
<p class="offers">
${buttons}</p>
</section>
`
}

/** Says that the person is known before the request is saved: "Wendy sent a request on 5 Nov". */
function knownChoices({ business, now }: Inbox, known: readonly Lead[]): Html {
  const ids = known.map(({ id }) => id)
  return html`<input type="hidden" name="seen" value="${ids.join(' ')}">
<div class="known" role="alert">
${known.map((lead) =>
  knownChoice(lead, dayAndMonth(partsOf(lead.receivedAt, business.timeZone, now()))),
)}<p>
<span>Or is it something else?</span>
<button type="submit" class="quiet" name="to" value="new">New request</button>
</p>
</div>
`
}

/** A note on a closed request would bring nobody back, so only an open one can take the call. */
function knownChoice(lead: Lead, day: string): Html {
  const { id, values, door, state } = lead
  const did = door === 'phone' ? 'rang' : 'sent a request'
  const button = html`<button type="submit" name="to" value="${id}">Add to it</button>
`
  return html`<p>
<span>${said(values.name)} ${did} on ${day}<small>${capital(shortWord(state))}</small></span>
${isOpen(lead) ? button : ''}</p>
`
}

function mayEmail({ store }: Inbox): boolean {
  return store.recipients['lead.received'].includes(senderMail)
}

function emailChoice(inbox: Inbox, { emails }: Typed): Html {
  if (!mayEmail(inbox)) return noHtml
  return html`<label class="choice">
<input type="checkbox" name="emails" value="1"${emails ? html` checked` : ''}>
<span>Email them that I have their request</span>
</label>
`
}
