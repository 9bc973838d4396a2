/** Lists the people whom the owner marked as spam, and allows them again. */
import { html, type Html } from '../../../html.ts'
import { type Answer } from '../../../http/message.ts'
import { type Lead } from '../../../store/leads/rows.ts'
import { type Store } from '../../../store/store.ts'
import { inWords } from '../../../time.ts'
import { goOn, showPage } from '../frame/answers.ts'
import { askedFields, sentFields, type SignedInCaller } from '../frame/inbox.ts'
import { inert, said } from '../frame/words.ts'
import { isLeadId, leadPath, listPath, paths } from '../paths.ts'

const mostShown = 200

export async function showBlocked(caller: SignedInCaller): Promise<Answer> {
  const { store, business, now } = caller.inbox
  const allowedId = askedFields(caller)('allowed')
  const allowed = isLeadId(allowedId) ? await store.leads.find(allowedId) : undefined
  const blocked = await store.blocked.list(mostShown)
  const leads = await store.leads.findMany(blocked.map(({ leadId }) => leadId))
  const byId = new Map(leads.map((lead) => [lead.id, lead]))
  const rows = blocked.map(({ leadId, at }) => {
    const when = inWords(at, business.timeZone, now())
    return row(leadId, { lead: byId.get(leadId), when })
  })
  const back = html`<a href="${listPath({ view: 'spam' })}">Spam</a>`
  const list = blocked.length === 0 ? nobody : listOf(rows)
  const main = html`${allowed ? await allowedBar(store, allowed) : ''}${list}`
  return showPage(caller, { back, title: 'Blocked', main })
}

/** What was held stays held: the owner may have allowed the sender for what comes next only. */
async function allowedBar(store: Store, lead: Lead): Promise<Html> {
  const keys = [lead.emailKey, lead.phoneKey].filter((key) => key !== '')
  const ofPerson = await store.views.ofPerson(keys, { limit: mostShown })
  const held = ofPerson.filter(({ state }) => state === 'held')
  return html`<div class="done" role="status"><p>Allowed again. ${heldWords(held)}</p></div>
`
}

function heldWords(held: readonly Lead[]): Html {
  const [first] = held
  if (first === undefined) return html``
  if (held.length === 1) {
    return html`<a href="${leadPath(first.id, { view: 'held' })}">One request</a> is still held.`
  }
  return html`<a href="${listPath({ view: 'held' })}">${held.length} requests</a> are still held.`
}

const nobody = html`<p class="empty">Nobody is blocked. Marking a request as spam blocks its email and phone number.</p>
`

function listOf(rows: readonly Html[]): Html {
  return html`<p class="soft">You marked these as spam. Whatever else they send is held, and you get no notice of it.</p>
<ul class="sheet">
${rows}</ul>
`
}

function row(leadId: string, { lead, when }: { lead: Lead | undefined; when: string }): Html {
  const isKnown = lead !== undefined && lead.state !== 'erased'
  const name = isKnown ? lead.values.name : 'Erased request'
  const who = isKnown ? knownSender(lead) : html`${name}`
  return html`<li class="row">
<span>${who}<small>marked as spam ${when}</small></span>
<form method="post" action="${paths.blocked}">
<input type="hidden" name="lead" value="${leadId}">
<button type="submit" class="quiet" aria-label="Allow again: ${inert(name)}">Allow again</button>
</form>
</li>
`
}

function knownSender({ id, values }: Lead): Html {
  const reach = [values.email, values.phone].filter(Boolean)
  return html`<a href="${leadPath(id)}">${said(values.name)}</a>
${reach.map((text) => html`<small>${said(text)}</small>\n`)}`
}

export async function allowAgain(caller: SignedInCaller): Promise<Answer> {
  const leadId = sentFields(caller)('lead')
  await caller.inbox.store.blocked.allow(leadId)
  const path = isLeadId(leadId) ? `${paths.blocked}?allowed=${leadId}` : paths.blocked
  return goOn(caller, 'allowed again', path)
}
