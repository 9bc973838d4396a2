/** The fields of a new member, and what may be wrong with them. */
import type { MemberProblem } from '../../access/members.ts'
import { html } from '../../html.ts'
import type { Html } from '../../html.ts'

export function memberFields({ name, email }: { name: string; email: string }): Html {
  return html`<label for="name">Name</label>
<input type="text" id="name" name="name" value="${name}" autocomplete="off" maxlength="80" required>
<label for="email">Email</label>
<input type="email" id="email" name="email" value="${email}" autocomplete="off" inputmode="email" maxlength="254" required>
`
}

const wrong: Record<MemberProblem, string> = {
  name: 'Type a name.',
  email: 'Type an email address such as robin@example.com.',
}

export function memberProblem(problems: readonly MemberProblem[]): string {
  return problems.map((each) => wrong[each]).join(' ')
}
