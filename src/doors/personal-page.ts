/** A page made for one visitor: compressed for this request, and stored by no shared cache. */
import { errors } from '../contract/errors.ts'
import { retryAfterS } from '../contract/limits.ts'
import { html, type Html } from '../html.ts'
import { pageAnswer, withHeaders, type Answer, type App, type Ask } from '../http/message.ts'
import { phoneAndHours } from '../site/ring.ts'
import type { Site } from '../site/site.ts'
import { StorageUnavailable } from '../store/engine/engine.ts'
import { corsHeaders, wantsPage } from './clients.ts'
import { errorAnswer } from './errors.ts'
import { varies } from './pages.ts'
import { compressFor } from './resource.ts'

/** `no-store`: it holds what the visitor typed. `private`: only this browser may reuse it. */
type PersonalCacheControl = 'no-store' | 'private, no-cache'

export function personalPage(
  ask: Ask,
  page: {
    status?: number
    body: Html
    policy: string
    cacheControl: PersonalCacheControl
    headers?: string[]
  },
): Promise<Answer> {
  const { status = 200, body, policy, cacheControl, headers = [] } = page
  const answer = pageAnswer(status, body.text, policy, cacheControl, ...varies, ...headers)
  return compressFor(ask, answer)
}

/** A page under an address that only one person has: no path of the site, and never stored. */
export function secretPage(
  site: Site,
  ask: Ask,
  page: { status?: number; title: string; description?: string; main: Html; headers: string[] },
): Promise<Answer> {
  const { status = 200, title, description = title, main, headers } = page
  const body = site.show({ path: undefined, title, description, main })
  return personalPage(ask, { status, body, policy: site.policy, cacheControl: 'no-store', headers })
}

const code = 'LOOKUP_UNAVAILABLE'
const headers = ['Retry-After', String(retryAfterS)]
const title = 'Please come back in a moment'

/** Answers 503 while the store cannot be read, for doors that look up a stored lead. */
export function or503(site: Site, door: (ask: Ask) => Promise<Answer>): App {
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
