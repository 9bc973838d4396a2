/** Draws the fields that a member types about a person: for a new request, and to correct one. */
import { type Say } from '../../../contract/wording.ts'
import {
  detailForm,
  typedNumbers,
  type DetailKey,
  type DetailProblem,
  type TypedDetails,
} from '../../../desk/details.ts'
import { html, type Html } from '../../../html.ts'

/** What stands below a field. */
export type DetailHints = Partial<Record<DetailKey, Html>>

type FieldOptions = {
  say: Say
  problems?: readonly DetailProblem[]
  hints?: DetailHints
  /** One field of all groups has the focus. */
  focused?: DetailProblem['key'] | 'none' | undefined
}

const autofocus = html` autofocus`

export function detailFields(
  keys: readonly DetailKey[],
  typed: Partial<TypedDetails>,
  { say, problems = [], hints = {}, ...given }: FieldOptions,
): Html {
  const focused = given.focused ?? problems[0]?.key ?? 'name'
  const rows = detailForm.filter(({ key }) => keys.includes(key))
  return html`${rows.map(({ key, label, input, maxLength }) => {
    const isWrong = problems.some((problem) => problem.key === key)
    const hint = hints[key]
    const hinted =
      hint &&
      html`<small class="hint" id="${key}-hint">${hint}</small>
`
    const named = html`id="${key}"
  name="${key}"`
    const more = html`maxlength="${maxLength}"
  autocomplete="off"
  ${hint ? html`aria-describedby="${key}-hint"` : ''}
  ${isWrong ? html`aria-invalid="true"` : ''}${key === focused ? autofocus : ''}`
    const value = typed[key] ?? ''
    const control =
      input === 'textarea'
        ? html`<textarea ${named} ${more}>\n${value}</textarea>`
        : html`<input
  type="${input}"
  ${named}
  value="${value}"
  ${more}>`
    return html`<label for="${key}">${say(label)}</label>
${control}
${hinted ?? ''}`
  })}`
}

/** Says that the member was asked about the numbers, so that the second press saves them. */
export function askedNumbers(typed: TypedDetails): Html {
  return html`<input type="hidden" name="asked" value="${typedNumbers(typed)}">
`
}

export function wrongDetails(problems: readonly DetailProblem[]) {
  return { status: 400, problems, problem: problems.map(({ words }) => words).join(' ') }
}
