/** Signs a member in by a link. Opening a link only shows a button, because programs that scan mails and chats open links, too. */
import { type FoundLink } from '../../../access/links.ts'
import { linkMs } from '../../../contract/limits.ts'
import { durationInWords } from '../../../time.ts'
import { howToType } from '../../../words.ts'
import { html, type Html } from '../../../html.ts'
import { type Answer, type Ask } from '../../../http/message.ts'
import { goTo, logged, showPage, type RefusalPage } from '../frame/answers.ts'
import { formDoors, type Wrong } from '../frame/form.ts'
import { type Caller } from '../frame/inbox.ts'
import { paths } from '../paths.ts'
import { memberFields, readTypedMember, wrongMember, type TypedMember } from './members.ts'
import { beginSession, wayBack } from './sign-in.ts'

type LinkCaller = Caller & { readonly found: FoundLink }

const form = formDoors<LinkCaller, TypedMember>({
  read: readTypedMember,
  begin: ({ found }) => (found.kind === 'set-up' ? found : { name: '', email: '' }),
  act: useLink,
  page: linkPage,
})

export const showLink = withLink(form.show)
export const sendLink = withLink(form.send)

function withLink(door: (caller: LinkCaller) => Promise<Answer>) {
  return async (caller: Caller): Promise<Answer> => {
    const found = await caller.inbox.access.links.find(tokenOf(caller.ask))
    return found === undefined ? showPage(caller, expired) : door({ ...caller, found })
  }
}

async function useLink(caller: LinkCaller, typed: TypedMember): Promise<Answer | Wrong> {
  const { access } = caller.inbox
  const used = await access.links.use(tokenOf(caller.ask), typed)
  switch (used.kind) {
    case 'in': {
      const cookies = await beginSession(caller, used.member)
      const passkeys = await access.store.listPasskeys(used.member.id)
      const next = wayBack(caller, passkeys.length > 0 ? paths.list : paths.passkeys)
      return logged(goTo(next, cookies), 'in by link', used.member.id)
    }
    case 'wrong':
      return wrongMember(used.problems)
    case 'expired':
      return showPage(caller, expired)
  }
}

function linkPage({ found }: LinkCaller, typed: TypedMember) {
  const title = found.kind === 'set-up' ? 'Set up your inbox' : `Hello, ${found.member.name}`
  const main = html`<form method="post">
${found.kind === 'set-up' ? setUp(typed) : signIn}</form>
`
  return { title, main }
}

function setUp(known: TypedMember): Html {
  return html`<p>You are the first member. Others can be added later, in the settings.</p>
${memberFields(known)}<button type="submit" class="wide">Open the inbox</button>
`
}

const signIn = html`<p>This address signs you in once, in this browser. Signing in here signs out your other browsers.</p>
<button type="submit" class="wide">Sign in</button>
`

const expired: RefusalPage = {
  status: 410,
  title: 'This address has expired',
  main: html`<p>It works once, and only for ${durationInWords(linkMs)}. On the machine of the service, <code>${howToType('inbox link')}</code> prints a new one.</p>
<p><a class="button" href="${paths.signIn}">Sign in another way</a></p>
`,
}

function tokenOf({ path }: Ask): string {
  return path.slice(paths.link.length)
}
