/** The page of the members. */
import { readMember, type MemberProblem } from '../../../access/members.ts'
import { howToType } from '../../../words.ts'
import { html, type Html } from '../../../html.ts'
import { type Answer } from '../../../http/message.ts'
import { type Member } from '../../../store/access/store.ts'
import { goOn, goTo, showPage } from '../frame/answers.ts'
import { sentFields, type SignedInCaller } from '../frame/inbox.ts'
import { paths } from '../paths.ts'
import { settingsLink } from './settings.ts'

type Typed = { name: string; email: string }

export function showMembers(caller: SignedInCaller): Promise<Answer> {
  const { typed = () => '' } = caller
  return membersPage(caller, { name: typed('name'), email: typed('email') })
}

async function membersPage(
  caller: SignedInCaller,
  typed: Typed,
  { status, problem } = { status: 200, problem: '' },
): Promise<Answer> {
  const { inbox, member } = caller
  const members = await inbox.access.store.listMembers()
  const next = inbox.mailsCodes
    ? 'They get an email with the address of this inbox, and sign in with a code by email.'
    : html`Then type <code>${howToType('inbox link --email …')}</code> on the machine of the service. It prints an address that signs the person in once.`
  const main = html`<p>Everyone here can do everything you can.</p>
<ul class="sheet">
${members.map((each) => row(each, each.id === member.id))}</ul>
<h2>Add someone you trust</h2>
<p class="soft">${next}</p>
<form method="post" action="${paths.members}">
${memberFields(typed)}<button type="submit" class="wide">Add to the inbox</button>
</form>
`
  return showPage(caller, { status, back: settingsLink, title: 'Members', problem, main })
}

function row({ id, name, email }: Member, isSelf: boolean): Html {
  const removing = html`<details class="end">
<summary aria-label="Remove ${name} …">Remove …</summary>
<form method="post" action="${paths.endMember}">
<input type="hidden" name="id" value="${id}">
<button type="submit" class="danger">Remove ${name}</button>
</form>
</details>
`
  return html`<li class="row">
<span>${name}${isSelf ? ' (you)' : ''}<small>${email}</small></span>
${isSelf ? '' : removing}</li>
`
}

export async function addMember(caller: SignedInCaller): Promise<Answer> {
  const { inbox, member } = caller
  const field = sentFields(caller)
  const typed = { name: field('name'), email: field('email') }
  const read = readMember(typed, inbox.now())
  if ('problems' in read) {
    return membersPage(caller, typed, { status: 400, problem: memberProblem(read.problems) })
  }
  if (!(await inbox.access.store.addMember(read.member))) {
    const problem = 'A member has this email already.'
    return membersPage(caller, typed, { status: 409, problem })
  }
  // The answer does not wait for the email, because the new member can sign in without it.
  void inbox.invite(member.name, read.member.email).catch((error: unknown) => {
    inbox.reportFailure('inbox.invitation-not-sent', error)
  })
  return goOn(caller, 'member added', paths.members)
}

/** Members cannot end their own membership, so that the inbox always has a member. */
export async function endMember(caller: SignedInCaller): Promise<Answer> {
  const { inbox, member } = caller
  const { store } = inbox.access
  const id = sentFields(caller)('id')
  const hasEnded = id !== member.id && (await store.endMember(id, member.id, inbox.now()))
  if (!hasEnded) return goTo(paths.members)
  return goOn(caller, 'member ended', paths.members)
}

export function memberFields({ name, email }: Typed): Html {
  return html`<label for="name">Name</label>
<input type="text" id="name" name="name" value="${name}"
  autocomplete="off" maxlength="80" required>
<label for="email">Email</label>
<input type="email" id="email" name="email" value="${email}"
  autocomplete="off" inputmode="email" maxlength="254" required>
`
}

const wrong: Record<MemberProblem, string> = {
  name: 'Type a name.',
  email: 'Type an email address such as robin@example.com.',
}

export function memberProblem(problems: readonly MemberProblem[]): string {
  return problems.map((each) => wrong[each]).join(' ')
}
