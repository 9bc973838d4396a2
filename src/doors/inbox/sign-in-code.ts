/** /inbox/sign-in/code: where the mailed code is typed, in the browser that asked for it. */
import { html } from '../../html.ts'
import type { Answer, Ask } from '../../http/message.ts'
import { sentFields } from './forms.ts'
import type { InboxRoute } from './guard.ts'
import { alertOf, beginSession, codeField, tooOften, wantedPath, welcome } from './parts.ts'
import type { InboxParts } from './parts.ts'
import { paths } from './paths.ts'

export function signInCodeRoutes(parts: InboxParts): InboxRoute[] {
  const { access, cookies, showPage } = parts
  return [
    { path: paths.signInCode, method: 'GET', who: 'nobody', door: show },
    { path: paths.signInCode, method: 'POST', who: 'nobody', door: tryCode },
  ]

  async function show(ask: Ask): Promise<Answer> {
    const heldBy = cookies.readBrowser(ask)
    const isWaiting = heldBy && (await access.isCodeWaiting({ purpose: 'sign-in', heldBy }))
    return isWaiting ? page(ask, 200, '') : overPage(ask, 200)
  }

  async function tryCode(ask: Ask): Promise<Answer> {
    const heldBy = cookies.readBrowser(ask)
    if (heldBy === undefined) return overPage(ask, 403)
    const holder = { purpose: 'sign-in', heldBy } as const
    const tried = await access.tryCode(sentFields(ask)('code'), holder, ask.address.network)
    switch (tried.kind) {
      case 'in':
        return welcome(
          wantedPath(parts, ask),
          await beginSession(parts, ask, tried.member),
          'code',
          tried.member,
        )
      case 'wrong':
        return page(ask, 403, 'That is not the code. Look at the letter again.')
      case 'over':
        return overPage(ask, 403)
      case 'limited':
        return tooOften(parts, ask, tried)
    }
  }

  function page(ask: Ask, status: number, problem: string): Promise<Answer> {
    const main = html`<h1>Type the code</h1>
${alertOf(problem)}<p>If that address belongs to a member, a letter with a code is on its way. It works for ten minutes, in this browser only.</p>
<form method="post" action="${paths.signInCode}">
${codeField}<button type="submit" class="wide">Sign in</button>
</form>
<p><a class="button quiet" href="${paths.signIn}">No letter? Start again</a></p>
`
    return showPage(ask, { status, title: 'Type the code', main })
  }

  function overPage(ask: Ask, status: number): Promise<Answer> {
    const title = 'This code is over'
    const main = html`<h1>${title}</h1>
<p>A code works once, for ten minutes, five tries, in the browser that asked for it.</p>
<p><a class="button" href="${paths.signIn}">Start again</a></p>
`
    return showPage(ask, { status, title, main })
  }
}
