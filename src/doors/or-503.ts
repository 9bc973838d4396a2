/** Answers 503 while the store cannot be read, for doors that look up a stored lead. */
import { errors } from '../contract/errors.ts'
import { retryAfterS } from '../contract/limits.ts'
import { withHeaders, type Answer, type App, type Ask } from '../http/message.ts'
import { html } from '../html.ts'
import { phoneAndHours } from '../site/ring.ts'
import type { Site } from '../site/site.ts'
import { StorageUnavailable } from '../store/engine/engine.ts'
import { corsHeaders, wantsPage } from './clients.ts'
import { errorAnswer } from './errors.ts'
import { secretPage } from './personal-page.ts'

const code = 'LOOKUP_UNAVAILABLE'
const headers = ['Retry-After', String(retryAfterS)]
const title = 'Please come back in a moment'

export function or503(
  site: Pick<Site, 'show' | 'policy' | 'business'>,
  door: (ask: Ask) => Promise<Answer>,
): App {
  return async (ask) => {
    try {
      return await door(ask)
    } catch (error) {
      if (!(error instanceof StorageUnavailable)) throw error
      if (wantsPage(ask)) return showPage(ask)
      return withHeaders(errorAnswer(code), ...headers, ...corsHeaders(ask))
    }
  }

  function showPage(ask: Ask): Promise<Answer> {
    const main = html`<h1>${title}</h1>
<p>I can't look this up just now. What I received is safe. Wait ${retryAfterS} seconds, then open this page again.</p>
<p>If it is urgent, ring <span class="ring">${phoneAndHours(site.business)}</span></p>
`
    return secretPage(site, ask, { status: errors[code].status, title, main, headers })
  }
}
