/** /inbox/step-up: a signed-in member proves once more who he is, for what is asked for only rarely. */
import type { Visit } from '../../access/sessions.ts'
import { howToType } from '../../how-to-type.ts'
import { html } from '../../html.ts'
import type { Html } from '../../html.ts'
import type { Answer, Ask } from '../../http/message.ts'
import { goTo, logged, scriptAnswer } from './answers.ts'
import { sentFields, sentJson } from './forms.ts'
import type { InboxRoute } from './guard.ts'
import { alertOf, codeField, tooOften } from './parts.ts'
import type { InboxParts } from './parts.ts'
import { sayRefused } from './passkey-words.ts'
import { paths, readAfterStepUp } from './paths.ts'

export function stepUpRoutes(parts: InboxParts): InboxRoute[] {
  const { access, cookies, showPage, mailsCodes } = parts
  const who = 'member'
  const forScript = true
  return [
    { path: paths.stepUp, method: 'GET', who, door: (ask, visit) => show(ask, visit, 200, '') },
    { path: paths.stepUp, method: 'POST', who, door: tryCode },
    { path: paths.stepUpMail, method: 'POST', who, door: mailCode },
    { path: paths.stepUpChallenge, method: 'POST', who, forScript, door: challenge },
    { path: paths.stepUpPasskey, method: 'POST', who, forScript, door: byPasskey },
  ]

  async function mailCode(ask: Ask, visit: Visit): Promise<Answer> {
    if (!mailsCodes) return show(ask, visit, 409, 'Codes by mail are not set up here.')
    const { member } = visit
    const asked = await access.askForCode(member.email, codeHolder(visit), ask.address.network)
    if (asked.kind === 'limited') return tooOften(parts, ask, asked)
    return goTo(`${paths.stepUp}${readAfterStepUp(ask.query).query}`)
  }

  async function tryCode(ask: Ask, visit: Visit): Promise<Answer> {
    const code = sentFields(ask)('code')
    const tried = await access.tryCode(code, codeHolder(visit), ask.address.network)
    switch (tried.kind) {
      case 'in':
        return renew(visit, 'code', (cookie) => goTo(cookie ? wayBack(ask) : paths.signIn, cookie))
      case 'wrong':
        return show(ask, visit, 403, 'That is not the code. Look at the letter again.')
      case 'over':
        return show(ask, visit, 403, 'This code is over. Ask for a new one.')
      case 'limited':
        return tooOften(parts, ask, tried)
    }
  }

  async function challenge(_ask: Ask, visit: Visit): Promise<Answer> {
    return scriptAnswer(200, await access.optionsToGet(passkeyHolder(visit), visit.member))
  }

  async function byPasskey(ask: Ask, visit: Visit): Promise<Answer> {
    const holder = passkeyHolder(visit)
    const checked = await access.checkPasskey(sentJson(ask), holder, visit.member)
    switch (checked.kind) {
      case 'in':
        return renew(visit, 'passkey', (cookie) =>
          cookie
            ? scriptAnswer(200, { to: wayBack(ask) }, cookie)
            : scriptAnswer(401, { to: paths.signIn }),
        )
      case 'refused':
        return sayRefused(checked.why)
    }
  }

  /** The session goes on under a new id; without a cookie where it was ended meanwhile. */
  async function renew(
    visit: Visit,
    way: string,
    answer: (cookie?: string[]) => Answer,
  ): Promise<Answer> {
    const value = await access.sessions.refresh(visit)
    if (value === undefined) return answer()
    return logged(answer(cookies.setSession(value)), `step-up by ${way}`, visit.member.id)
  }

  async function show(ask: Ask, visit: Visit, status: number, problem: string): Promise<Answer> {
    const { query } = readAfterStepUp(ask.query)
    const own = await access.store.listPasskeys(visit.member.id)
    const isWaiting = mailsCodes && (await access.isCodeWaiting(codeHolder(visit)))
    const main = html`<h1>Is it you?</h1>
${alertOf(problem)}<p>What you are about to do is asked for only rarely, so please show once more that it is you. It then works for ten minutes.</p>
${own.length > 0 ? passkeyButton(query) : ''}${isWaiting ? typeCode(query) : ''}${mailsCodes ? askForCode(query, isWaiting) : ''}<details class="help">
<summary>Another way</summary>
<p>On the machine of the service, <code>${howToType('inbox link')}</code> prints an address. Once you have signed in by it, you need not show anything else for ten minutes.</p>
</details>
`
    return showPage(ask, { status, title: 'Is it you?', main, visit })
  }
}

function wayBack({ query }: Ask): string {
  return readAfterStepUp(query).path
}

function codeHolder({ session }: Visit) {
  return { purpose: 'step-up', heldBy: session.id } as const
}

function passkeyHolder({ session }: Visit) {
  return { purpose: 'step-up', heldBy: session.id } as const
}

function passkeyButton(query: string): Html {
  return html`<div data-passkey="get" data-challenge="${paths.stepUpChallenge}" data-answer="${paths.stepUpPasskey}${query}" hidden>
<button type="button" class="wide">Use a passkey</button>
<p class="say" role="status"></p>
</div>
`
}

function typeCode(query: string): Html {
  return html`<form method="post" action="${paths.stepUp}${query}">
<p>A code was mailed to you. It works for ten minutes.</p>
${codeField}<button type="submit" class="wide">Go on</button>
</form>
`
}

function askForCode(query: string, again: boolean): Html {
  return html`<form method="post" action="${paths.stepUpMail}${query}">
<button type="submit" class="wide quiet">${again ? 'Mail me another code' : 'Mail me a code'}</button>
</form>
`
}
