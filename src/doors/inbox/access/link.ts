/**
 * /inbox/link/<token>: the one-time address that the operator prints. Opening it only shows a
 * button, since programs that scan mail and chats open links; pressing the button signs in.
 */
import { type FoundLink } from '../../../access/links.ts'
import { type MemberProblem } from '../../../access/members.ts'
import { howToType } from '../../../config.ts'
import { html, type Html } from '../../../html.ts'
import { type Answer, type Ask } from '../../../http/message.ts'
import { alertOf, goTo, logged, showPage } from '../frame/answers.ts'
import { sentFields } from '../frame/forms.ts'
import { type Inbox } from '../frame/inbox.ts'
import { paths } from '../paths.ts'
import { memberFields, memberProblem } from './members.ts'
import { beginSession, wayBack } from './sign-in.ts'

export async function showLink(inbox: Inbox, ask: Ask): Promise<Answer> {
  const found = await inbox.access.links.find(tokenOf(ask))
  return found === undefined ? expired(inbox, ask) : linkPage(inbox, ask, 200, found, [])
}

export async function useLink(inbox: Inbox, ask: Ask): Promise<Answer> {
  const { access } = inbox
  const found = await access.links.find(tokenOf(ask))
  if (found === undefined) return expired(inbox, ask)
  const field = sentFields(ask)
  const typed = { name: field('name'), email: field('email') }
  const used = await access.links.use(tokenOf(ask), typed)
  switch (used.kind) {
    case 'in': {
      const headers = await beginSession(inbox, ask, used.member)
      const passkeys = await access.store.listPasskeys(used.member.id)
      // Without a passkey, the next thing to do is to make one.
      const next = wayBack(inbox, ask, passkeys.length > 0 ? paths.list : paths.passkeys)
      return logged(goTo(next, headers), 'in by link', used.member.id)
    }
    case 'wrong':
      return linkPage(inbox, ask, 400, { ...found, ...typed }, used.problems)
    case 'expired':
      return expired(inbox, ask)
  }
}

function linkPage(
  inbox: Inbox,
  ask: Ask,
  status: number,
  found: FoundLink,
  problems: readonly MemberProblem[],
): Promise<Answer> {
  const title = found.kind === 'set-up' ? 'Set up your inbox' : `Hello, ${found.member.name}`
  const words = found.kind === 'set-up' ? setUp(found, problems) : signIn
  const main = html`<h1>${title}</h1>
${alertOf(memberProblem(problems))}<form method="post">
${words}</form>
`
  return showPage(inbox, ask, { status, title, main })
}

function setUp(
  { name, email }: { name: string; email: string },
  problems: readonly MemberProblem[],
): Html {
  const isKnown = name !== '' && email !== '' && problems.length === 0
  const fields = isKnown
    ? html`<p>For <strong>${name}</strong>, ${email}.</p>
`
    : memberFields({ name, email })
  return html`<p>You are the first member. Others can be added later, in the settings.</p>
${fields}<button type="submit" class="wide">Open the inbox</button>
`
}

const signIn = html`<p>This address signs you in once, in this browser. Your other browsers are signed out.</p>
<button type="submit" class="wide">Sign in</button>
`

function expired(inbox: Inbox, ask: Ask): Promise<Answer> {
  const title = 'This address has expired'
  const main = html`<h1>${title}</h1>
<p>It works once, for 30 minutes. On the machine of the service, <code>${howToType('inbox link')}</code> prints a new one.</p>
<p><a class="button" href="${paths.signIn}">Sign in another way</a></p>
`
  return showPage(inbox, ask, { status: 410, title, main })
}

function tokenOf({ path }: Ask): string {
  return path.slice(paths.link.length)
}
