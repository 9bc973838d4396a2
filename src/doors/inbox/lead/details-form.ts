/** Draws the fields that a member types about a person: for a new request, and to correct one. */
import {
  detailForm,
  type DetailKey,
  type DetailProblem,
  type TypedDetails,
} from '../../../desk/details.ts'
import { html, type Html } from '../../../html.ts'
import { alertOf } from '../frame/answers.ts'

const autofocus = html` autofocus`

export function detailFields(
  keys: readonly DetailKey[],
  typed: Partial<TypedDetails>,
  problems: readonly DetailProblem[] = [],
  /** Of several groups of fields, one field has the focus. */
  focused: DetailProblem['key'] | 'none' = problems[0]?.key ?? 'name',
): Html {
  const rows = detailForm.filter(({ key }) => keys.includes(key))
  return html`${rows.map(({ key, label, input, maxLength }) => {
    const isWrong = problems.some((problem) => problem.key === key)
    return html`<label for="${key}">${label}</label>
<input
  type="${input}"
  id="${key}"
  name="${key}"
  value="${typed[key] ?? ''}"
  maxlength="${maxLength}"
  autocomplete="off"${isWrong ? html` aria-invalid="true"` : ''}${key === focused ? autofocus : ''}>
`
  })}`
}

export function problemsAlert(problems: readonly DetailProblem[]): Html {
  return alertOf(problems.map(({ words }) => words).join(' '))
}
