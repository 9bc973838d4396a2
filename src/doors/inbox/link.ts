/**
 * /inbox/link/<token>: the one-time address that the operator prints. Opening it only shows a
 * button, since programs that scan mail and chats open links; pressing the button signs in.
 */
import type { FoundLink } from '../../access/links.ts'
import type { MemberProblem } from '../../access/members.ts'
import { howToType } from '../../how-to-type.ts'
import { html } from '../../html.ts'
import type { Html } from '../../html.ts'
import type { Answer, Ask } from '../../http/message.ts'
import { sentFields } from './forms.ts'
import type { InboxRoute } from './guard.ts'
import { alertOf, beginSession, wantedPath, welcome } from './parts.ts'
import type { InboxParts } from './parts.ts'
import { memberFields, memberProblem } from './member-fields.ts'
import { paths } from './paths.ts'

export function linkRoutes(parts: InboxParts): InboxRoute[] {
  const { access, showPage } = parts
  const path = `${paths.link}*`
  return [
    { path, method: 'GET', who: 'nobody', door: show },
    { path, method: 'POST', who: 'nobody', door: use },
  ]

  async function show(ask: Ask): Promise<Answer> {
    const found = await access.findLink(tokenOf(ask))
    return found === undefined ? overPage(ask) : page(ask, 200, found, [])
  }

  async function use(ask: Ask): Promise<Answer> {
    const found = await access.findLink(tokenOf(ask))
    if (found === undefined) return overPage(ask)
    const field = sentFields(ask)
    const given = { name: field('name'), email: field('email') }
    const used = await access.useLink(tokenOf(ask), given)
    switch (used.kind) {
      case 'in': {
        const cookie = await beginSession(parts, ask, used.member)
        const hasPasskey = (await access.store.listPasskeys(used.member.id)).length > 0
        // Without a passkey, the next thing to do is to make one.
        return welcome(
          hasPasskey ? wantedPath(parts, ask) : paths.passkeys,
          cookie,
          'link',
          used.member,
        )
      }
      case 'wrong': {
        const typed = found.kind === 'set-up' ? { ...found, ...given } : found
        return page(ask, 400, typed, used.problems)
      }
      case 'over':
        return overPage(ask)
    }
  }

  function page(
    ask: Ask,
    status: number,
    found: FoundLink,
    problems: readonly MemberProblem[],
  ): Promise<Answer> {
    const { title, words } = found.kind === 'set-up' ? setUp(found, problems) : signIn(found)
    const main = html`<h1>${title}</h1>
${alertOf(memberProblem(problems))}<form method="post">
${words}</form>
`
    return showPage(ask, { status, title, main })
  }

  function overPage(ask: Ask): Promise<Answer> {
    const title = 'This address is over'
    const main = html`<h1>${title}</h1>
<p>It works once, for 30 minutes. On the machine of the service, <code>${howToType('inbox link')}</code> prints a new one.</p>
<p><a class="button" href="${paths.signIn}">Sign in another way</a></p>
`
    return showPage(ask, { status: 410, title, main })
  }
}

type Words = { title: string; words: Html }

function setUp(
  { name, email }: Extract<FoundLink, { kind: 'set-up' }>,
  problems: readonly MemberProblem[],
): Words {
  const title = 'Set up your inbox'
  const intro = html`<p>You are the first member. Others can be added later, in the settings.</p>
`
  const isKnown = name !== '' && email !== '' && problems.length === 0
  const fields = isKnown
    ? html`<p>For <strong>${name}</strong>, ${email}.</p>
`
    : memberFields({ name, email })
  return {
    title,
    words: html`${intro}${fields}<button type="submit" class="wide">Open the inbox</button>
`,
  }
}

function signIn({ member }: Extract<FoundLink, { kind: 'sign-in' }>): Words {
  return {
    title: `Hello, ${member.name}`,
    words: html`<p>This address signs you in once, in this browser. Your other devices are signed out.</p>
<button type="submit" class="wide">Sign in</button>
`,
  }
}

function tokenOf({ path }: Ask): string {
  return path.slice(paths.link.length)
}
