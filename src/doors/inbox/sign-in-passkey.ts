/** Signing in by passkey: a challenge for this browser, and the answer to it. Only the script asks. */
import type { Answer, Ask } from '../../http/message.ts'
import { logged, scriptAnswer } from './answers.ts'
import { sentJson } from './forms.ts'
import type { InboxRoute } from './guard.ts'
import { beginSession, wantedPath } from './parts.ts'
import type { InboxParts } from './parts.ts'
import { sayRefused } from './passkey-words.ts'
import { paths } from './paths.ts'

export function signInPasskeyRoutes(parts: InboxParts): InboxRoute[] {
  const { access, cookies } = parts
  const forScript = true
  return [
    { path: paths.signInChallenge, method: 'POST', who: 'nobody', forScript, door: challenge },
    { path: paths.signInPasskey, method: 'POST', who: 'nobody', forScript, door: signIn },
  ]

  async function challenge(ask: Ask): Promise<Answer> {
    const browser = cookies.browserOf(ask)
    const options = await access.optionsToGet({ purpose: 'sign-in', heldBy: browser.value })
    return scriptAnswer(200, options, browser.headers)
  }

  async function signIn(ask: Ask): Promise<Answer> {
    const holder = { purpose: 'sign-in', heldBy: cookies.readBrowser(ask) ?? '' } as const
    const checked = await access.checkPasskey(sentJson(ask), holder)
    switch (checked.kind) {
      case 'in': {
        const cookie = await beginSession(parts, ask, checked.member)
        const answer = scriptAnswer(200, { to: wantedPath(parts, ask) }, cookie)
        return logged(answer, 'in by passkey', checked.member.id)
      }
      case 'refused':
        return sayRefused(checked.why)
    }
  }
}
