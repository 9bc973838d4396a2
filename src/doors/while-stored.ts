/** A door behind which something kept is looked up says so while it cannot be: nothing is lost, and nothing need be sent again. */
import { errors } from '../contract/errors.ts'
import { retryAfterS } from '../contract/limits.ts'
import { withHeaders } from '../http/answer.ts'
import { html } from '../html.ts'
import type { Answer, App, Ask } from '../http/message.ts'
import type { Site } from '../site/site.ts'
import { StorageUnavailable } from '../store/engine/engine.ts'
import { isJsonClient } from './client-type.ts'
import { corsHeaders } from './cors.ts'
import { errorAnswer } from './errors.ts'
import { ownPage } from './own-page.ts'

const code = 'LOOKUP_UNAVAILABLE'
const headers = ['Retry-After', String(retryAfterS)]
const title = 'Please come back in a moment'

export function whileStored(
  site: Pick<Site, 'show' | 'policy'>,
  door: (ask: Ask) => Promise<Answer>,
): App {
  return async (ask) => {
    try {
      return await door(ask)
    } catch (error) {
      if (!(error instanceof StorageUnavailable)) throw error
      return isJsonClient(ask)
        ? withHeaders(errorAnswer(code), ...headers, ...corsHeaders(ask))
        : showPage(ask)
    }
  }

  function showPage(ask: Ask): Promise<Answer> {
    const main = html`<h1>${title}</h1>
<p>I can't look this up just now. What I received is safe. Wait ${retryAfterS} seconds, then open this page again.</p>
`
    const body = site.show({ path: undefined, title, description: title, main })
    const { status } = errors[code]
    return ownPage(ask, { status, body, policy: site.policy, cacheControl: 'no-store', headers })
  }
}
