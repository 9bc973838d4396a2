/** POST /inbox/sign-out: ends the session of this browser, and empties what it keeps of the inbox. */
import type { Answer, Ask } from '../../http/message.ts'
import { goTo } from './answers.ts'
import type { InboxRoute } from './guard.ts'
import type { InboxParts } from './parts.ts'
import { paths } from './paths.ts'

const clearSite = ['Clear-Site-Data', '"cache", "storage"']

/** Open to nobody too: a browser whose session has ended gets rid of its cookie. */
export function signOutRoutes(parts: InboxParts): InboxRoute[] {
  return [{ path: paths.signOut, method: 'POST', who: 'nobody', door: signOut }]

  async function signOut(ask: Ask): Promise<Answer> {
    const visit = await parts.findVisit(ask)
    if (visit !== undefined) await parts.access.store.endSession(visit.session.id)
    return signedOut(parts)
  }
}

/** The answer to a browser whose session was just ended. */
export function signedOut({ cookies }: InboxParts): Answer {
  return goTo(paths.signIn, [...cookies.clearSession(), ...clearSite])
}
