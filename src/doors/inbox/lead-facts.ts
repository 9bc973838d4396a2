/** All that a sender told, and where the lead came from. */
import { fields } from '../../contract/fields.ts'
import type { FieldKey } from '../../contract/fields.ts'
import type { WholeLead } from '../../desk/whole-lead.ts'
import { html } from '../../html.ts'
import type { Html } from '../../html.ts'
import { doorWords } from '../../lead/came-by.ts'
import type { When } from './lead-story.ts'
import { said } from './said.ts'

type Fact = { label: Html | string; value: Html | string }

export function leadFacts(whole: WholeLead, when: When): Html {
  const { lead } = whole
  return html`<section class="facts" aria-labelledby="facts">
<h2 id="facts" class="unseen">Details</h2>
<p class="reference"><span>Reference</span> <strong>${lead.reference}</strong></p>
${list([...told(whole), { label: 'Received', value: when(lead.receivedAt) }])}</section>
`
}

/** The form's labels speak to the sender. */
const ownLabels: Partial<Record<FieldKey, string>> = { message: 'Message' }

/** Name and message stand above. */
const shownAbove: readonly FieldKey[] = ['name', 'message']

function told({ lead, place, unlisted }: WholeLead): Fact[] {
  const listed = fields
    .filter(({ key }) => !shownAbove.includes(key) && lead.values[key] !== '')
    .map(({ key, label }) => ({
      label: ownLabels[key] ?? label,
      value: said(
        key === 'postcode' && place !== lead.values.postcode
          ? `${lead.values.postcode}, ${place}`
          : lead.values[key],
      ),
    }))
  // Under the names that the sender chose.
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
