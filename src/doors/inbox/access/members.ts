/** The page of the members. */
import { readMember, type MemberProblem } from '../../../access/members.ts'
import { longestEmail } from '../../../contract/fields.ts'
import { longestName } from '../../../contract/limits.ts'
import { howToType } from '../../../words.ts'
import { html, type Html } from '../../../html.ts'
import { type Answer } from '../../../http/message.ts'
import { type Member } from '../../../store/access/store.ts'
import { goOn } from '../frame/answers.ts'
import { buttonDoor, formDoors, type Wrong } from '../frame/form.ts'
import { type SentFields, type SignedInCaller } from '../frame/inbox.ts'
import { paths } from '../paths.ts'
import { settingsLink } from './settings.ts'

export type TypedMember = { name: string; email: string }

export const membersForm = formDoors({ read: readTypedMember, act: addMember, page: membersPage })

/** Members cannot end their own membership, so that the inbox always has a member. */
export const endMember = buttonDoor({
  did: 'member ended',
  path: paths.members,
  async act({ inbox, member }, field) {
    const id = field('id')
    return id !== member.id && inbox.access.store.endMember(id, member.id, inbox.now())
  },
})

export function readTypedMember(field: SentFields): TypedMember {
  return { name: field('name'), email: field('email') }
}

async function membersPage({ inbox, member }: SignedInCaller, typed: TypedMember) {
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
  return { back: settingsLink, title: 'Members', main }
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

async function addMember(caller: SignedInCaller, typed: TypedMember): Promise<Answer | Wrong> {
  const { inbox, member } = caller
  const read = readMember(typed, inbox.now())
  if ('problems' in read) return wrongMember(read.problems)
  if (!(await inbox.access.store.addMember(read.member))) {
    return { status: 409, problem: 'A member has this email already.' }
  }
  // The answer does not wait for the email, because the new member can sign in without it.
  void inbox.invite(member.name, read.member.email).catch((error: unknown) => {
    inbox.reportFailure('inbox.invitation-not-sent', error)
  })
  return goOn(caller, 'member added', paths.members)
}

export function memberFields({ name, email }: TypedMember): Html {
  return html`<label for="name">Name</label>
<input type="text" id="name" name="name" value="${name}"
  autocomplete="off" maxlength="${longestName}" required>
<label for="email">Email</label>
<input type="email" id="email" name="email" value="${email}"
  autocomplete="off" inputmode="email" maxlength="${longestEmail}" required>
`
}

const wrong: Record<MemberProblem, string> = {
  name: 'Type a name.',
  email: 'Type an email address such as robin@example.com.',
}

export function wrongMember(problems: readonly MemberProblem[]): Wrong {
  return { status: 400, problem: problems.map((each) => wrong[each]).join(' ') }
}
