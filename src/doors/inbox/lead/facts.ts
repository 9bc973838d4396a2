import { fields, type FieldKey } from '../../../contract/fields.ts'
import { addressIn } from '../../../desk/plan.ts'
import { canReach } from '../../../desk/row.ts'
import { type WholeLead } from '../../../desk/whole-lead.ts'
import { html, type Html } from '../../../html.ts'
import { doorWords } from '../../../contract/states.ts'
import { type Lead } from '../../../store/leads/rows.ts'
import { callLinks, fillReply, replyLink, textLink } from '../../../lead/contact-links.ts'
import { type Reply } from '../../../contract/business.ts'
import { icon, inert, said, type Icon } from '../frame/words.ts'
import { type When } from './story.ts'

type Fact = { label: Html | string; value: Html | string }

export function leadFacts(whole: WholeLead, when: When): Html {
  const { lead } = whole
  return html`<section class="facts" aria-labelledby="facts">
<h2 id="facts" class="unseen">Details</h2>
${list([
  ...told(whole),
  { label: 'Received', value: when(lead.receivedAt) },
  { label: 'Reference', value: lead.reference },
])}</section>
`
}

const shownAbove: readonly FieldKey[] = ['name', 'message']

function told({ lead, place, unlisted }: WholeLead): Fact[] {
  const above = showsNumberAbove(lead) ? [...shownAbove, 'phone'] : shownAbove
  const listed = fields
    .filter(({ key }) => !above.includes(key) && lead.values[key] !== '')
    .map(({ key, label }) => ({
      label,
      value: said(
        key === 'postcode' && place !== lead.values.postcode
          ? `${lead.values.postcode}, ${place}`
          : lead.values[key],
      ),
    }))
  // The sender chose the names of unlisted fields, so `said` shows them as a stranger's text.
  const others = unlisted.map(({ name, text }) => ({ label: said(name), value: said(text) }))
  return [...listed, ...others]
}

export function leadOrigin({ lead, whyHeld }: WholeLead): Html {
  if (lead.state === 'erased') return html``
  const facts: Fact[] = [
    { label: 'Came by', value: doorWords[lead.door] },
    { label: 'Named itself', value: said(lead.agent) },
    { label: 'Program', value: said(lead.userAgent) },
    { label: 'In the hidden field', value: said(lead.botcheck) },
    {
      label: 'Judged',
      value: whyHeld.length === 0 ? 'nothing looked like spam' : `held: ${whyHeld.join('; ')}`,
    },
  ]
  const known = facts.filter(({ value }) => typeof value === 'string' || value.text !== empty)
  return html`<section aria-labelledby="origin">
<h2 id="origin">Where it came from</h2>
${list(known)}</section>
`
}

const empty = said('').text

function list(facts: readonly Fact[]): Html {
  return html`<dl>
${facts.map(
  ({ label, value }) => html`<div><dt>${label}</dt><dd>${value}</dd></div>
`,
)}</dl>
`
}

/** `state` is that of the business, such as NSW. */
export function contactBar({ lead, place }: WholeLead, state: string): Html {
  if (!canReach(lead)) return html``
  const { phone, email, postcode } = lead.values
  const text = textLink(phone)
  const area = place === postcode ? postcode : `${place} ${state} ${postcode}`
  const where = lead.visitPlace || addressIn(lead.values.message, area) || area
  const links: [Icon, string, string][] = callLinks(phone).map((call) => [
    'call',
    call.label,
    call.href,
  ])
  if (text) links.push(['text', 'Text', text])
  if (email) links.push(['mail', 'Mail', replyLink(email, lead.reference)])
  if (where) links.push(['map', 'Map', `${mapSearch}${encodeURIComponent(where)}`])
  const items = links.map(
    ([name, label, href]) =>
      html`<li><a href="${href}"${name === 'map' ? newPage : ''}>${icon(name)}${label}</a></li>
`,
  )
  return html`<nav class="reach" aria-label="Get in touch"><ul>
${items}<li class="to-acts"><a href="#next">${icon('move')}Move</a></li>
</ul></nav>
`
}

export function replyTexts({ lead }: WholeLead, replies: readonly Reply[]): Html {
  if (!canReach(lead) || isJudged(lead) || replies.length === 0) return html``
  const { reference, values } = lead
  const number = textLink(values.phone)
  const rows = replies.map(({ title, text }) => {
    const filled = fillReply(text, { name: values.name, reference })
    const byText = `${number}?body=${encodeURIComponent(filled)}`
    return html`<li class="row"><span>${title}<small>${inert(filled)}</small></span><span class="pair">${number && html`<a class="button quiet" href="${byText}" aria-label="Text: ${title}">Text</a>`}<a class="button quiet" href="${replyLink(values.email, reference, filled)}" aria-label="Mail: ${title}">Mail</a></span></li>
`
  })
  return html`<details class="replies"><summary>My own words</summary><ul class="sheet">
${rows}</ul></details>
`
}

export function showsNumberAbove(lead: Lead): boolean {
  return canReach(lead) && callLinks(lead.values.phone).length > 0
}

export function isJudged({ state }: Lead): boolean {
  return state === 'held' || state === 'spam'
}

const mapSearch = 'https://www.google.com/maps/search/?api=1&query='
const newPage = html` target="_blank" rel="noopener noreferrer"`
