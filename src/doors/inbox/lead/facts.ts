/** Draws how to reach the person, what was sent, and where it came from. */
import { type Near, type Reply } from '../../../contract/business.ts'
import { doorWords } from '../../../contract/states.ts'
import { type Say } from '../../../contract/wording.ts'
import { isJudged, type Stage } from '../../../desk/choices.ts'
import { townOf } from '../../../desk/visit-choice.ts'
import { detailForm, type DetailKey } from '../../../desk/details.ts'
import { addressIn } from '../../../desk/plan.ts'
import { canReach } from '../../../desk/row.ts'
import { type WholeLead } from '../../../desk/whole-lead.ts'
import { html, type Html, noHtml } from '../../../html.ts'
import {
  callLinks,
  callLinksOf,
  fillReply,
  groupPhone,
  hasNumber,
  replyLink,
  textLink,
} from '../../../lead/contact-links.ts'
import { detailsOf } from '../../../store/leads/details.ts'
import { type Lead } from '../../../store/leads/rows.ts'
import { icon, withoutControls, said, type Icon } from '../frame/words.ts'
import { actPath, placeQuery, type ListPlace } from '../paths.ts'

type Fact = { label: Html | string; value: Html | string }

type FactWords = { when: (at: number) => string; say: Say }

export function leadFacts(whole: WholeLead, { when, say }: FactWords, place: ListPlace): Html {
  const { lead } = whole
  const facts = [
    ...detailFacts(whole, say),
    ...unlistedFacts(whole),
    { label: 'Received', value: when(lead.receivedAt) },
    { label: 'Reference', value: lead.reference },
    ...originFacts(whole),
  ]
  const change = html`<p><a href="${actPath(lead.id, 'details')}${placeQuery(place)}">Correct, export or erase</a></p>
`
  return html`<section class="facts" aria-labelledby="facts">
<h2 id="facts" class="unseen">Details</h2>
${factList(facts)}${lead.state === 'erased' ? '' : change}</section>
`
}

/** What the head says is said again only if it was corrected, with what the customer sent. */
function detailFacts(whole: WholeLead, say: Say): Fact[] {
  const { lead, asSent } = whole
  const details = detailsOf(lead)
  return detailForm
    .filter(({ key }) => {
      const isAbove = key === 'name' || isNumberAbove(key, lead)
      return asSent[key] || (details[key] !== '' && !isAbove)
    })
    .map(({ key, label }) => ({
      label: say(label),
      value: html`${said(detailWords(key, whole))}${sentBeside(whole, key)}`,
    }))
}

function detailWords(key: DetailKey, whole: WholeLead): string {
  const text = detailsOf(whole.lead)[key]
  if (key === 'phone' || key === 'secondPhone') return groupPhone(text)
  const town = townOf(whole)
  return key === 'postcode' && text !== '' && town !== text ? `${text}, ${town}` : text
}

/** A number that can be called is in the head. */
function isNumberAbove(key: DetailKey, lead: Lead): boolean {
  if (key !== 'phone' && key !== 'secondPhone') return false
  return canReach(lead) && callLinks(detailsOf(lead)[key]).length > 0
}

function sentBeside(whole: WholeLead, key: DetailKey): Html {
  const sent = sentAs(whole, key)
  return sent ? html`\n<small>${sent}</small>` : noHtml
}

/** What the customer sent stays readable beside the corrected detail. */
export function sentAs({ lead, asSent }: WholeLead, key: DetailKey): Html | undefined {
  const sent = asSent[key]
  if (!sent) return undefined
  // The first words of a request that was added after a call are the member's own.
  return html`${lead.door === 'phone' ? 'at first' : 'sent as'}: ${said(sent)}`
}

/** The customer chose the names of unlisted fields, so `said` shows them as a stranger's text. */
function unlistedFacts({ unlisted }: WholeLead): Fact[] {
  return unlisted.map(({ name, text }) => ({ label: said(name), value: said(text) }))
}

/** How it came; if there is a doubt about it, with every sign. */
function originFacts({ lead, whyHeld }: WholeLead): Fact[] {
  if (lead.state === 'erased') return []
  const origin = { label: 'Came by', value: html`${doorWords[lead.door]}` }
  const known = [origin, { label: 'Calls itself', value: said(lead.agent) }]
  if (isJudged(lead)) {
    known.push(
      { label: 'Browser', value: said(lead.userAgent) },
      { label: 'Hidden field', value: said(lead.botcheck) },
    )
  }
  if (whyHeld.length > 0) known.push({ label: 'Was held', value: html`${whyHeld.join('; ')}` })
  return known.filter(({ value }) => value.text !== empty)
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

export function contactBar(whole: WholeLead, near: Near): Html {
  if (!canReach(whole.lead)) return noHtml
  return html`<nav class="reach" aria-label="Get in touch"><ul>
${contactLinks(whole, near).map(contactLink)}
</ul></nav>
`
}

type ContactLink = { icon: Icon; label: string; href: string }

function contactLinks(whole: WholeLead, near: Near): ContactLink[] {
  const { reference, values } = whole.lead
  const links: ContactLink[] = callLinksOf(whole.lead).map((call) => ({ icon: 'call', ...call }))
  const text = textLink(values.phone)
  if (text) links.push({ icon: 'text', label: 'Text', href: text })
  if (values.email) {
    links.push({ icon: 'mail', label: 'Email', href: replyLink(values.email, reference) })
  }
  const where = mapWords(whole, near)
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
function mapWords(whole: WholeLead, near: Near): string {
  const { visitPlace, street, values } = whole.lead
  const area = mapArea(whole, near)
  return visitPlace || street || addressIn(values.message, area) || area
}

function mapArea(whole: WholeLead, { country, state = '' }: Near): string {
  const typed = whole.lead.values.postcode
  const town = townOf(whole)
  const join = (...words: readonly string[]) => words.filter(Boolean).join(' ')
  if (town !== typed) return join(town, state, typed)
  if (typed === '') return ''
  // A postcode of no area may lie in another state, but digits alone are postcodes of many countries.
  const isName = /\p{L}/u.test(typed)
  return join(typed, (isName && state) || countryName(country))
}

/** "New Zealand" */
function countryName(code: string): string {
  return new Intl.DisplayNames('en', { type: 'region' }).of(code) ?? code
}

/** "I tried to ring" is for those who are rung now. */
export function replyTexts({ lead }: WholeLead, stage: Stage, replies: readonly Reply[]): Html {
  if (!canReach(lead) || stage === 'judging' || stage === 'closed') return noHtml
  const isRung = hasNumber(lead) && stage !== 'visit ahead'
  const fitting = replies.filter(({ afterCall }) => !afterCall || isRung)
  if (fitting.length === 0) return noHtml
  return html`<details class="replies">
<summary>Saved replies</summary>
<ul class="sheet">
${fitting.map((reply) => replyRow(lead, reply))}</ul>
</details>
`
}

/** Opens in the messages of the phone or, for somebody without a mobile number, in an email. */
function replyRow({ reference, values }: Lead, { title, text }: Reply): Html {
  const filled = fillReply(text, { name: values.name, reference })
  const number = textLink(values.phone)
  const byEmail = values.email === '' ? '' : replyLink(values.email, reference, filled)
  const href = number === '' ? byEmail : `${number}?body=${encodeURIComponent(filled)}`
  const words = html`<span>${title}<small>${withoutControls(filled)}</small></span>`
  if (href === '')
    return html`<li class="row">${words}</li>
`
  return html`<li class="row"><a href="${href}">${icon(number === '' ? 'mail' : 'text')}${words}</a></li>
`
}
