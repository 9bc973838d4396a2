/** /inbox/sign-in: by passkey, or by a code to an email. The same answer for every email. */
import { howToType } from '../../how-to-type.ts'
import { html } from '../../html.ts'
import type { Html } from '../../html.ts'
import type { Answer, Ask } from '../../http/message.ts'
import { goTo } from './answers.ts'
import { sentFields } from './forms.ts'
import type { InboxRoute } from './guard.ts'
import { alertOf, tooOften } from './parts.ts'
import type { InboxParts } from './parts.ts'
import { paths } from './paths.ts'

export function signInRoutes(parts: InboxParts): InboxRoute[] {
  const { access, cookies, findVisit, showPage, mailsCodes } = parts
  return [
    { path: paths.signIn, method: 'GET', who: 'nobody', door: show },
    { path: paths.signIn, method: 'POST', who: 'nobody', door: askForCode },
  ]

  async function show(ask: Ask): Promise<Answer> {
    return (await findVisit(ask)) === undefined ? page(ask, 200, '') : goTo(paths.list)
  }

  async function askForCode(ask: Ask): Promise<Answer> {
    if (!mailsCodes) return page(ask, 409, 'Codes by mail are not set up here.')
    const email = sentFields(ask)('email')
    if (!email.includes('@')) return page(ask, 400, 'Type your email address.')
    const browser = cookies.browserOf(ask)
    const holder = { purpose: 'sign-in', heldBy: browser.value } as const
    const asked = await access.askForCode(email, holder, ask.address.network)
    if (asked.kind === 'limited') return tooOften(parts, ask, asked)
    return goTo(paths.signInCode, browser.headers)
  }

  function page(ask: Ask, status: number, problem: string): Promise<Answer> {
    const main = html`<h1>Sign in</h1>
${alertOf(problem)}${passkeyButton}${mailsCodes ? byMail : ''}<details class="help">
<summary>Another way in</summary>
<p>On the machine of the service, <code>${howToType('inbox link')}</code> prints an address that signs you in once.</p>
</details>
`
    return showPage(ask, { status, title: 'Sign in', main })
  }
}

/** Shown by the script, where the browser knows passkeys. */
const passkeyButton: Html = html`<div data-passkey="get" data-offer="yes" data-challenge="${paths.signInChallenge}" data-answer="${paths.signInPasskey}" hidden>
<button type="button" class="wide">Sign in with a passkey</button>
<p class="say" role="status"></p>
</div>
<noscript><p class="small">Passkeys need scripts, which are off in this browser.</p></noscript>
`

const byMail = html`<form method="post" action="${paths.signIn}">
<label for="email">Email</label>
<input type="email" id="email" name="email" autocomplete="username webauthn" inputmode="email" maxlength="254" required>
<button type="submit" class="wide quiet">Mail me a code</button>
</form>
`
