/** Call, Text, Mail, Map: with the owner's own phone. On a phone it lies under the thumb. */
import { html } from '../../html.ts'
import type { Html } from '../../html.ts'
import { callLinks, replyLink, textLink } from '../../lead/contact-links.ts'
import type { WholeLead } from '../../desk/whole-lead.ts'
import { icon } from './icons.ts'
import type { Icon } from './icons.ts'

/** `state`: of the country, as in "NSW". Empty for those who do not want to be contacted. */
export function contactBar({ lead, place }: WholeLead, state: string): Html {
  if (lead.state === 'withdrawn' || lead.state === 'erased') return html``
  const { phone, email, postcode } = lead.values
  const text = textLink(phone)
  const where = place === postcode ? postcode : `${place} ${state} ${postcode}`
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
${items}</ul></nav>
`
}

const mapSearch = 'https://www.google.com/maps/search/?api=1&query='
const newPage = html` target="_blank" rel="noopener noreferrer"`
