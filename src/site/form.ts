/** The form for a Consultation request, and the words for what is wrong with it. */
import { listsPostcodes, type Business } from '../contract/business.ts'
import { isLongerThan, type Problem } from '../contract/check-fields.ts'
import { hasNumericPostcode } from '../contract/country.ts'
import type { ErrorCode } from '../contract/errors.ts'
import { fields, keyName, messageField, trapName, type Field } from '../contract/fields.ts'
import { inThousands } from '../words.ts'
import { privacyPath, routes } from '../contract/routes.ts'
import { tools } from '../contract/tools.ts'
import { wordsOf } from '../contract/wording.ts'
import { html, type Html, noHtml } from '../html.ts'
import { placeToFillIn } from './come.ts'

export type FormState = {
  /** Identifies the form, so that pressing the button twice makes only one lead. */
  nonce: string
  /** By field name. */
  typed: Readonly<Record<string, string>>
  problems: readonly FormProblem[]
  /** Further hidden inputs. */
  carried?: readonly (readonly [name: string, value: string])[]
  submitLabel?: string
}

/** Fields have no `maxlength`, because browsers would silently cut long texts. */
export function leadForm(state: FormState, business: Business): Html {
  const { nonce, typed, problems, carried = [] } = state
  const { submitLabel = `Ask for ${business.asksFor.one}` } = state
  const hidden = [[keyName, nonce] as const, ...carried].map(hiddenInput)
  const rows = rowsFor(business).map((field) => {
    return fieldRow(field, typed[field.name] ?? '', problems)
  })
  return html`${summary(problems)}
<form class="lead" method="post" action="${routes.lead.path}" accept-charset="utf-8" ${toolAttributes(business)}>
${hidden}${rows}${trap}
<button type="submit">${submitLabel}</button>
<p class="small">I read every request myself, then get in touch to arrange a time. Sending this books nothing and binds you to nothing. <a href="${privacyPath}">How I treat your details</a></p>
</form>`
}

const trap = html`<div hidden aria-hidden="true">
<input name="${trapName}" type="text" readonly tabindex="-1" autocomplete="off">
</div>`

function hiddenInput([name, value]: readonly [string, string]): Html {
  return html`<input type="hidden" name="${name}" value="${value}">`
}

/** For an agent in the browser (WebMCP), which fills in the form. The person submits it. */
function toolAttributes(business: Business): Html {
  const { asksFor, trade } = business
  const { name, title } = wordsOf(business)(tools.submitConsultationLead)
  const words = `Fills in a person's own details, with their consent, to ask for ${asksFor.one} about ${trade.about}. It is not a booking, and it gives no price.`
  return html`toolname="${name}" tooltitle="${title}" tooldescription="${words}"`
}

/** A town, or a postcode that may have letters, needs the whole keyboard. */
function rowsFor(business: Business): readonly Field[] {
  const autocomplete = placeToFillIn(business)
  const isOfDigits = hasNumericPostcode(business.country) && listsPostcodes(business.areas)
  const own = { autocomplete, ...(!isOfDigits && { keyboard: {} }) }
  const rows: readonly Field[] = wordsOf(business)(fields)
  return rows.map((row) => (row.key === 'postcode' ? { ...row, ...own } : row))
}

/** Takes the focus when the page opens, so that the problems are seen and read out first. */
function summary(problems: readonly FormProblem[]): Html | '' {
  if (problems.length === 0) return ''
  const title =
    problems.length === 1 ? 'One thing needs another look' : 'A few things need another look'
  return html`<div class="problems" role="alert" id="problems" tabindex="-1" autofocus>
<h2>${title}</h2>
<ul class="plain">
${problems.map(summaryItem)}</ul>
</div>`
}

function summaryItem({ field, words }: FormProblem): Html {
  if (!fields.some(({ name }) => name === field)) return html`<li>${words}</li>`
  return html`<li><a href="#${field}">${words}</a></li>`
}

function fieldRow(field: Field, value: string, all: readonly FormProblem[]): Html {
  const { name, label, required, isHalf } = field
  const problems = all.filter((problem) => problem.field === name)
  const isWrong = problems.length > 0
  const optional = required ? '' : html` <span>(optional)</span>`
  const hint = field.hint ? html`<p class="hint" id="${name}-hint">${field.hint}</p>` : ''
  return html`<div class="field${isHalf ? ' half' : ''}">
<label for="${name}">${label}${optional}</label>
${hint}${isWrong ? problemText(field, value, problems) : ''}${control(field, value, isWrong)}
</div>`
}

function problemText(field: Field, value: string, problems: readonly FormProblem[]): Html {
  const words = problems.map((problem) => problem.words).join(' ')
  const example = value === '' ? '' : html` <span>For example: ${field.example}</span>`
  return html`<p class="problem" id="${field.name}-problem">${words}${example}</p>`
}

function control(field: Field, value: string, isWrong: boolean): Html {
  const { name, input, autocomplete, description, required, keyboard = {} } = field
  const notes = [isWrong ? `${name}-problem` : '', field.hint ? `${name}-hint` : '']
  const describedBy = notes.filter((id) => id !== '').join(' ')
  const attributes = [
    html`id="${name}" name="${name}" autocomplete="${autocomplete}"`,
    html` toolparamdescription="${description}"`,
    ...Object.entries(keyboard).map(([key, chosen]) => html` ${key}="${chosen}"`),
    required ? html` required` : noHtml,
    describedBy === '' ? noHtml : html` aria-describedby="${describedBy}"`,
    isWrong ? html` aria-invalid="true"` : noHtml,
  ]
  if (input !== 'textarea') return html`<input type="${input}" ${attributes} value="${value}">`
  // HTML parsers drop a newline at the start of a textarea, so one is added before the value.
  return html`<textarea rows="6" ${attributes}>
${value}</textarea>`
}

/** `field` is the name of a field, or of another part of the request, such as `(body)`. */
export type FormProblem = { field: string; words: string }

export function toFormProblems(
  problems: readonly Problem[],
  sent: Readonly<Record<string, unknown>>,
  business: Business,
): FormProblem[] {
  const rows = wordsOf(business)(fields)
  return problems.map(({ field }) => {
    const row = rows.find(({ name }) => name === field)
    return { field, words: row === undefined ? unclear : wordsFor(row, sent[field]) }
  })
}

export function wholeFormProblem(error: ErrorCode): FormProblem {
  return { field: '(body)', words: wholeForm[error] ?? unclear }
}

/** For a field whose text was too long for the cookie that brings the text back. */
export function lostText(field: string): FormProblem {
  return { field, words: `This was too long to show here again. ${backHasIt}` }
}

const backHasIt = 'Press Back in your browser to see what you typed.'

const { maxLength: longestMessage } = messageField

const unclear = 'Something in the form got lost on the way. Please check it and send it again.'

/** A form that is shown again with one of these problems has a new nonce, so sending it makes a new lead. */
const wholeForm: Partial<Record<ErrorCode, string>> = {
  PAYLOAD_TOO_LARGE: `That message is too long for me to receive, so it is gone from this form. ${backHasIt} Please keep it to ${inThousands(longestMessage)} characters.`,
  IDEMPOTENCY_KEY_REUSED:
    'You sent this form before, with different words. To send it as it is now, press the button.',
  REQUEST_WITHDRAWN:
    'You sent this request before and then withdrew it. To ask again, press the button.',
}

const wrongEmail =
  "This email address doesn't look right. It needs one @, a dot after it, and no spaces."

function wordsFor(row: Field, sent: unknown): string {
  const { label, maxLength, whenMissing = `${label} is missing.` } = row
  if (sent !== undefined && typeof sent !== 'string') {
    return `${label} came twice. Please fill it in once.`
  }
  const text = (sent ?? '').trim()
  if (text === '') return whenMissing
  if (isLongerThan(text, maxLength)) {
    const length = inThousands([...text].length)
    return `${label} is ${length} characters long, and ${inThousands(maxLength)} is the most I can receive. Please shorten it.`
  }
  return row.input === 'email' ? wrongEmail : unclear
}
