/** Which requests of a person are meant. Anybody can write a number, so the page names who else wrote it. */
import { mostOthersRead } from '../../desk/whole-lead.ts'
import type { WholeLead } from '../../desk/whole-lead.ts'
import { html } from '../../html.ts'
import type { Html } from '../../html.ts'
import { said } from './said.ts'

/** One request, those with its email, or those with its email or phone. */
export type Which = 'one' | 'email' | 'person'

/** From `first`, which is chosen already. Only those that add requests. */
export function whichChoices({ lead, others }: WholeLead, first: 'one' | 'email'): Html {
  const kept = others.filter(({ state }) => state !== 'erased')
  const email = lead.values.email.toLowerCase()
  const sameEmail = kept.filter((other) => other.email.toLowerCase() === email)
  const samePhone = kept.filter((other) => !sameEmail.includes(other))
  const about: Record<Which, Html> = {
    one: html`${lead.reference}`,
    email: html`${inAll(sameEmail)}`,
    person: html`Look first: with the same number wrote${namesOf(samePhone)}. Anybody can write a number.`,
  }
  const choices: Which[] = [
    first,
    ...(first === 'one' && sameEmail.length > 0 ? (['email'] as const) : []),
    ...(samePhone.length > 0 ? (['person'] as const) : []),
  ]
  return html`${choices.map((which) => choice(which, about[which], which === first))}`
}

const labels: Record<Which, string> = {
  one: 'Only this request',
  email: 'All with this email',
  person: 'All with this email or phone',
}

function choice(which: Which, about: Html, chosen: boolean): Html {
  return html`<label class="choice"><input type="radio" name="which" value="${which}"${chosen ? html` checked` : ''}><span>${labels[which]}<small>${about}</small></span></label>
`
}

const mostNamed = 5

function namesOf(others: WholeLead['others']): Html {
  const names = others
    .slice(0, mostNamed)
    .map((other) => html` ${said(other.name)} (${said(other.email)})`)
  const more = others.length > mostNamed ? ` and ${others.length - mostNamed} more` : ''
  return html`${names}${more}`
}

/** The page knows no more than the newest others. */
function inAll({ length }: WholeLead['others']): string {
  if (length >= mostOthersRead) return `${mostOthersRead} or more requests`
  return length === 0 ? '1 request' : `${length + 1} requests`
}
