/** The form for a Consultation request, written from the rows of its fields: empty, or as it came back with its problems. */
import type { Problem } from '../contract/check-fields.ts'
import { fields, keyName, trapName } from '../contract/fields.ts'
import type { Field, FieldKey } from '../contract/fields.ts'
import { privacyPath, routes } from '../contract/routes.ts'
import { tools } from '../contract/tools.ts'
import { html } from '../html.ts'
import type { Html } from '../html.ts'

export type FormState = {
  /** One for each time the form is shown, so that a second press of the button sends nothing twice. */
  nonce: string
  /** By field name: what to put back. */
  typed: Readonly<Record<string, string>>
  problems: readonly Problem[]
  /** What goes along unseen. */
  carried?: readonly (readonly [name: string, value: string])[]
}

/**
 * The browser's own checks are left on: they name what is missing before anything leaves the phone,
 * and on a slow line that spares a round trip. What they let through comes back beside its field.
 * There is no maxlength: a browser would cut a long text without a word.
 */
export function leadForm(state: FormState, options: { submitLabel?: string } = {}): Html {
  const { nonce, typed, problems, carried = [] } = state
  return html`${summary(problems)}<form class="lead" method="post" action="${routes.lead.path}" accept-charset="utf-8" toolname="${tools.submitConsultationLead.name}" tooldescription="${toolDescription}">
${[[keyName, nonce] as const, ...carried].map(hiddenInput)}${fields.map((field) => fieldRow(field, typed[field.name] ?? '', problems))}<div hidden aria-hidden="true"><input name="${trapName}" type="text" readonly tabindex="-1" autocomplete="off"></div>
<button type="submit">${options.submitLabel ?? 'Ask for a Consultation'}</button>
<p class="small">I read every request myself, then get in touch to arrange a time. Sending this books nothing and binds you to nothing. <a href="${privacyPath}">How I treat your details</a></p>
</form>
`
}

function hiddenInput([name, value]: readonly [string, string]): Html {
  return html`<input type="hidden" name="${name}" value="${value}">
`
}

/** For an agent in the browser (WebMCP). It fills in; the person presses the button. */
const toolDescription =
  "Fills in a person's own details, with their consent, to ask for a Consultation about a deck or pergola. It is no booking and gives no price."

type Row = Field & { readonly key: FieldKey }

const hints: Partial<Record<FieldKey, string>> = {
  email: 'I answer to this address.',
  phone: 'If you would rather talk.',
  postcode: 'Tells me how far away you are.',
  message:
    'Where it goes, roughly how big, steps, shade: whatever you know by now. A few words will do.',
}

/** What a keyboard on the screen should look like. */
const keyboards: Partial<Record<FieldKey, Html>> = {
  name: html` autocapitalize="words" spellcheck="false"`,
  email: html` spellcheck="false"`,
  postcode: html` inputmode="numeric"`,
}

const shortFields: readonly FieldKey[] = ['phone', 'postcode']

/** Takes the focus when the page opens, so that nobody has to look for what went wrong. */
function summary(problems: readonly Problem[]): Html | '' {
  if (problems.length === 0) return ''
  const title =
    problems.length === 1 ? 'One thing needs another look' : 'Some things need another look'
  return html`<div class="problems" role="alert" id="problems" tabindex="-1" autofocus>
<h2>${title}</h2>
<ul class="plain">
${problems.map(summaryItem)}</ul>
</div>
`
}

function summaryItem(problem: Problem): Html {
  const words = sentence(problem)
  if (!fields.some(({ name }) => name === problem.field))
    return html`<li>${words}</li>
`
  return html`<li><a href="#${problem.field}">${words}</a></li>
`
}

/** "Email is missing." A problem of no field in the list is one of the form, or a sentence already. */
function sentence({ field, problem }: Problem): string {
  const row = fields.find(({ name }) => name === field)
  const isSentence = /^\p{Lu}/u.test(problem)
  const words = isSentence ? problem : `${row?.label ?? nameForPeople(field)} ${problem}`
  return words.endsWith('.') ? words : `${words}.`
}

/** Nobody typed the key, it is the form's own; other names come in brackets. */
function nameForPeople(field: string): string {
  if (field.toLowerCase().replaceAll('-', '_') === keyName) return 'This form'
  const plain = field.replaceAll(/[()]/g, '')
  return plain.charAt(0).toUpperCase() + plain.slice(1)
}

function fieldRow(field: Row, value: string, all: readonly Problem[]): Html {
  const { name, key, label, required } = field
  const problems = all.filter((problem) => problem.field === name)
  const isWrong = problems.length > 0
  const optional = required ? '' : html` <span>(optional)</span>`
  return html`<div class="field${shortFields.includes(key) ? ' half' : ''}">
<label for="${name}">${label}${optional}</label>
${hintText(field)}${isWrong ? problemText(field, value, problems) : ''}${control(field, value, isWrong)}
</div>
`
}

function hintText({ name, key }: Row): Html | '' {
  const hint = hints[key]
  if (hint === undefined) return ''
  return html`<p class="hint" id="${name}-hint">${hint}</p>
`
}

/** An example helps whoever typed something; an empty field needs none. */
function problemText(field: Field, value: string, problems: readonly Problem[]): Html {
  const example = value === '' ? '' : html` <span>For example: ${field.example}</span>`
  return html`<p class="problem" id="${field.name}-problem">${problems.map(sentence).join(' ')}${example}</p>
`
}

function control(field: Row, value: string, isWrong: boolean): Html {
  const { name, key, input, autocomplete, description, required } = field
  const notes = [isWrong ? `${name}-problem` : '', hints[key] ? `${name}-hint` : '']
  const describedBy = notes.filter((id) => id !== '').join(' ')
  const attributes = [
    html`id="${name}" name="${name}" autocomplete="${autocomplete}"`,
    html` toolparamdescription="${description}"`,
    keyboards[key] ?? html``,
    required ? html` required` : html``,
    describedBy === '' ? html`` : html` aria-describedby="${describedBy}"`,
    isWrong ? html` aria-invalid="true"` : html``,
  ]
  if (input !== 'textarea') return html`<input type="${input}" ${attributes} value="${value}">`
  // The parser drops the first newline of a textarea, so that one is ours and not the sender's.
  return html`<textarea rows="6" ${attributes}>
${value}</textarea>`
}
