/** Lists the people whom the owner marked as spam, and allows them again. */
import { html, type Html } from '../../../html.ts'
import { type Answer } from '../../../http/message.ts'
import { type Lead } from '../../../store/leads/rows.ts'
import { inWords } from '../../../time.ts'
import { goTo, logged, showPage } from '../frame/answers.ts'
import { sentFields, type SignedInCaller } from '../frame/inbox.ts'
import { said } from '../frame/words.ts'
import { leadPath, paths } from '../paths.ts'

const mostShown = 200

export async function showBlocked(caller: SignedInCaller): Promise<Answer> {
  const { store, business, now } = caller.inbox
  const blocked = await store.blocked.list(mostShown)
  const leads = await store.leads.findMany(blocked.map(({ leadId }) => leadId))
  const byId = new Map(leads.map((lead) => [lead.id, lead]))
  const rows = blocked.map(({ leadId, at }) => {
    const when = inWords(at, business.timeZone, now())
    return row(leadId, { lead: byId.get(leadId), when })
  })
  const back = html`<a href="${paths.list}">Inbox</a>`
  const none = html`<p class="empty">Nobody is blocked. Marking a request as spam blocks its email and phone number.</p>
`
  const list = html`<p>New requests from these people are held. You get no notice of them.</p>
<ul class="sheet">
${rows}</ul>
`
  const main = blocked.length === 0 ? none : list
  return showPage(caller, { back, title: 'Blocked', main })
}

function row(leadId: string, { lead, when }: { lead: Lead | undefined; when: string }): Html {
  const isKnown = lead !== undefined && lead.state !== 'erased'
  const who = isKnown
    ? html`<a href="${leadPath(leadId)}">${said(lead.values.name)}</a><small>${said(lead.values.email)}</small>`
    : html`Erased request`
  return html`<li class="row">
<span>${who}<small>marked as spam ${when}</small></span>
<form method="post" action="${paths.blocked}">
<input type="hidden" name="lead" value="${leadId}">
<button type="submit" class="quiet">Allow again</button>
</form>
</li>
`
}

export async function allowAgain(caller: SignedInCaller): Promise<Answer> {
  const { inbox, member } = caller
  await inbox.store.blocked.allow(sentFields(caller)('lead'))
  return logged(goTo(paths.blocked), 'allowed again', member.id)
}
