/** Draws how to reach the person, what was sent, and where it came from. */
import { type Reply } from '../../../contract/business.ts'
import { fields, type FieldKey } from '../../../contract/fields.ts'
import { doorWords } from '../../../contract/states.ts'
import { isJudged, townOf } from '../../../desk/choices.ts'
import { groupPhone } from '../../../desk/phone-text.ts'
import { addressIn } from '../../../desk/plan.ts'
import { canReach } from '../../../desk/row.ts'
import { type WholeLead } from '../../../desk/whole-lead.ts'
import { html, type Html } from '../../../html.ts'
import { callLinks, fillReply, replyLink, textLink } from '../../../lead/contact-links.ts'
import { type Lead } from '../../../store/leads/rows.ts'
import { icon, inert, said, type Icon } from '../frame/words.ts'

type Fact = { label: Html | string; value: Html | string }

export function leadFacts(whole: WholeLead, when: (at: number) => string): Html {
  const { lead } = whole
  const facts = [
    ...sentFacts(whole),
    { label: 'Received', value: when(lead.receivedAt) },
    { label: 'Reference', value: lead.reference },
  ]
  return html`<section class="facts" aria-labelledby="facts">
<h2 id="facts" class="unseen">Details</h2>
${factList(facts)}</section>
`
}

const shownAbove: readonly FieldKey[] = ['name', 'message']

function sentFacts(whole: WholeLead): Fact[] {
  const { lead, unlisted } = whole
  const isAbove = (key: FieldKey) =>
    shownAbove.includes(key) || (key === 'phone' && showsNumberAbove(lead))
  const listed = fields
    .filter(({ key }) => !isAbove(key) && lead.values[key] !== '')
    .map(({ key, label }) => ({ label, value: said(fieldWords(key, whole)) }))
  // The customer chose the names of unlisted fields, so `said` shows them as a stranger's text.
  const others = unlisted.map(({ name, text }) => ({ label: said(name), value: said(text) }))
  return [...listed, ...others]
}

function fieldWords(key: FieldKey, whole: WholeLead): string {
  const typed = whole.lead.values[key]
  if (key === 'phone') return groupPhone(typed)
  const town = townOf(whole)
  return key === 'postcode' && town !== typed ? `${typed}, ${town}` : typed
}

/** The number is the second line of the head if it can be called. */
function showsNumberAbove(lead: Lead): boolean {
  return canReach(lead) && callLinks(lead.values.phone).length > 0
}

/** Folded, because only a doubt about a request leads here. */
export function leadOrigin({ lead, whyHeld }: WholeLead): Html {
  if (lead.state === 'erased') return html``
  const facts: Fact[] = [
    { label: 'Came by', value: doorWords[lead.door] },
    { label: 'Calls itself', value: said(lead.agent) },
    { label: 'Browser', value: said(lead.userAgent) },
    { label: 'Hidden field', value: said(lead.botcheck) },
    {
      label: 'Spam check',
      value: whyHeld.length === 0 ? 'nothing looked like spam' : `held: ${whyHeld.join('; ')}`,
    },
  ]
  const known = facts.filter(({ value }) => typeof value === 'string' || value.text !== empty)
  return html`<details class="origin">
<summary>Where it came from</summary>
${factList(known)}</details>
`
}

const empty = said('').text

function factList(facts: readonly Fact[]): Html {
  return html`<dl>
${facts.map(
  ({ label, value }) => html`<div><dt>${label}</dt><dd>${value}</dd></div>
`,
)}</dl>
`
}

/** `state` is that of the business, such as NSW. */
export function contactBar(whole: WholeLead, state: string): Html {
  if (!canReach(whole.lead)) return html``
  return html`<nav class="reach" aria-label="Get in touch"><ul>
${contactLinks(whole, state).map(contactLink)}
<li class="to-acts"><a href="#next">${icon('move')}Outcome</a></li>
</ul></nav>
`
}

type ContactLink = { icon: Icon; label: string; href: string }

function contactLinks(whole: WholeLead, state: string): ContactLink[] {
  const { reference, values } = whole.lead
  const links: ContactLink[] = callLinks(values.phone).map((call) => ({ icon: 'call', ...call }))
  const text = textLink(values.phone)
  if (text) links.push({ icon: 'text', label: 'Text', href: text })
  if (values.email) {
    links.push({ icon: 'mail', label: 'Email', href: replyLink(values.email, reference) })
  }
  const where = mapWords(whole, state)
  if (where) links.push({ icon: 'map', label: 'Map', href: mapSearch + encodeURIComponent(where) })
  return links
}

function contactLink({ icon: name, label, href }: ContactLink): Html {
  return html`<li><a href="${href}"${name === 'map' ? newPage : ''}>${icon(name)}${label}</a></li>
`
}

const mapSearch = 'https://www.google.com/maps/search/?api=1&query='
const newPage = html` target="_blank" rel="noopener noreferrer"`

/** "12 Example Street, Lismore NSW 2480". */
function mapWords(whole: WholeLead, state: string): string {
  const { visitPlace, values } = whole.lead
  const area = mapArea(whole, state)
  return visitPlace || addressIn(values.message, area) || area
}

function mapArea(whole: WholeLead, state: string): string {
  const typed = whole.lead.values.postcode
  const town = townOf(whole)
  if (town !== typed) return `${town} ${state} ${typed}`
  // A postcode of no area may lie in another state.
  return /\p{L}/u.test(typed) ? `${typed} ${state}` : typed
}

export function replyTexts({ lead }: WholeLead, replies: readonly Reply[]): Html {
  if (!canReach(lead) || isJudged(lead) || replies.length === 0) return html``
  return html`<details class="replies">
<summary>Saved replies</summary>
<ul class="sheet">
${replies.map((reply) => replyRow(lead, reply))}</ul>
</details>
`
}

function replyRow({ reference, values }: Lead, { title, text }: Reply): Html {
  const number = textLink(values.phone)
  const filled = fillReply(text, { name: values.name, reference })
  const byText = html`<a class="button quiet" href="${number}?body=${encodeURIComponent(filled)}"
  aria-label="Text: ${title}">Text</a>
`
  const byEmail = html`<a class="button quiet" href="${replyLink(values.email, reference, filled)}"
  aria-label="Email: ${title}">Email</a>
`
  return html`<li class="row">
<span>${title}<small>${inert(filled)}</small></span>
<span class="pair">
${number === '' ? '' : byText}${values.email === '' ? '' : byEmail}</span>
</li>
`
}
