/** In Spam: allows a blocked sender again, takes that back, and lists the blocked senders who have no row there. */
import { html, type Html, noHtml } from '../../../html.ts'
import { type Answer } from '../../../http/message.ts'
import { type Block } from '../../../store/leads/blocked.ts'
import { personKeysIn } from '../../../store/leads/persons.ts'
import { type Lead } from '../../../store/leads/rows.ts'
import { type Store } from '../../../store/store.ts'
import { inWords } from '../../../time.ts'
import { goTo, logged } from '../frame/answers.ts'
import { sentFields, type Caller, type SignedInCaller } from '../frame/inbox.ts'
import { withoutControls, said } from '../frame/words.ts'
import { isLeadId, leadPath, listPath, paths } from '../paths.ts'

const mostShown = 200
const spamPath = listPath({ view: 'spam' })

/** Somebody may still have the address of the page that once listed who is blocked. */
export function showBlocked(): Answer {
  return goTo(spamPath)
}

/** Without the name of a lead, it blocks again whom the press before allowed. */
export async function allowAgain(caller: SignedInCaller): Promise<Answer> {
  const { store, cookies } = caller.inbox
  const leadId = sentFields(caller)('allow')
  if (!isLeadId(leadId)) return blockAgain(caller)
  const blocks = await store.blocked.allow(leadId)
  const cookie = cookies.done.set(writeAllowed(leadId, blocks.slice(0, mostUndone)))
  return logged(goTo(spamPath, [cookie]), 'allowed again', caller.member.id)
}

async function blockAgain(caller: SignedInCaller): Promise<Answer> {
  const allowed = readAllowed(caller)
  if (allowed !== undefined) await caller.inbox.store.blocked.blockAgain(allowed.blocks)
  return logged(goTo(spamPath), 'blocked again', caller.member.id)
}

/** A cookie has no room for more. One person has a few. */
const mostUndone = 30

type Allowed = { leadId: string; blocks: Block[] }

function writeAllowed(leadId: string, blocks: readonly Block[]): string {
  const each = blocks.map((block) => `${block.leadId}.${block.at}.${block.key}`)
  return ['allowed', leadId, ...each].join('~')
}

function readAllowed({ inbox: { cookies }, ask }: Caller): Allowed | undefined {
  const [what, leadId = '', ...rest] = (cookies.done.read(ask) ?? '').split('~')
  if (what !== 'allowed' || !isLeadId(leadId) || !rest.every((each) => isBlock.test(each))) {
    return undefined
  }
  const blocks = rest.map((each) => {
    const [id = '', at = '', key = ''] = each.split('.')
    return { leadId: id, at: Number(at), key }
  })
  return { leadId, blocks }
}

const isBlock = /^[0-9a-f-]{36}\.\d{1,15}\.[ep][0-9a-f]{32}$/

/** Leads that were held stay held: the owner may have allowed the sender for later ones only. */
export async function allowedBar(caller: SignedInCaller): Promise<Html> {
  const { store } = caller.inbox
  const allowed = readAllowed(caller)
  const lead = allowed && (await store.leads.find(allowed.leadId))
  if (allowed === undefined || lead === undefined) return noHtml
  const name = nameOf(lead)
  const undo = html`<form method="post" action="${paths.blocked}">
<button type="submit">Undo</button>
</form>`
  return html`<div class="done" role="status"><p>Allowed again: ${said(name)}. ${await heldWords(store, lead)}</p>${allowed.blocks.length === 0 ? '' : undo}</div>
`
}

async function heldWords(store: Store, lead: Lead): Promise<Html> {
  const keys = personKeysIn(lead)
  const ofPerson = await store.views.ofPerson(keys, { limit: mostShown })
  const held = ofPerson.filter(({ state }) => state === 'held')
  const [first] = held
  if (first === undefined) return noHtml
  if (held.length === 1) {
    return html`<a href="${leadPath(first.id, { view: 'held' })}">One request</a> is still held.`
  }
  return html`<a href="${listPath({ view: 'held' })}">${held.length} requests</a> are still held.`
}

/** Senders whose request is erased or no spam any more, but who are blocked. */
export async function blockedElsewhere({ inbox }: SignedInCaller): Promise<Html> {
  const { store, business, now } = inbox
  const blocked = await store.blocked.list(mostShown)
  const leads = await store.leads.findMany(blocked.map(({ leadId }) => leadId))
  const byId = new Map(leads.map((lead) => [lead.id, lead]))
  const rows = blocked.flatMap(({ leadId, at }) => {
    const lead = byId.get(leadId)
    const when = inWords(at, business.timeZone, now())
    return lead?.state === 'spam' ? [] : [row(leadId, lead, when)]
  })
  if (rows.length === 0) return noHtml
  return html`<h2 class="day">Also blocked</h2>
<ul class="sheet">
${rows}</ul>
`
}

function row(leadId: string, lead: Lead | undefined, when: string): Html {
  const isKnown = lead !== undefined && lead.state !== 'erased'
  const who = isKnown ? html`<a href="${leadPath(leadId)}">${said(nameOf(lead))}</a>` : nameOf(lead)
  return html`<li class="row">
<span>${who}<small>marked as spam ${when}</small></span>
<form method="post" action="${paths.blocked}">
${allowButton(leadId, nameOf(lead))}</form>
</li>
`
}

function nameOf(lead: Lead | undefined): string {
  return lead?.values.name || 'Erased request'
}

/** In a form that sends something else, too, it goes its own way. */
export function allowButton(leadId: string, name: string): Html {
  return html`<button type="submit" class="quiet" name="allow" value="${leadId}"
  formaction="${paths.blocked}" aria-label="Allow again: ${withoutControls(name)}">Allow again</button>
`
}
