/** A page made for one visitor: compressed for this request, and stored by no shared cache. */
import type { Html } from '../html.ts'
import { pageAnswer, type Answer, type Ask } from '../http/message.ts'
import { compressFor } from './resource.ts'
import type { Site } from '../site/site.ts'
import { varies } from './pages.ts'

/** `no-store`: it holds what the visitor typed. `private`: only this browser may reuse it. */
export type PersonalCacheControl = 'no-store' | 'private, no-cache'

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
  site: Pick<Site, 'show' | 'policy'>,
  ask: Ask,
  page: { status?: number; title: string; description?: string; main: Html; headers: string[] },
): Promise<Answer> {
  const { status = 200, title, description = title, main, headers } = page
  const body = site.show({ path: undefined, title, description, main })
  return personalPage(ask, { status, body, policy: site.policy, cacheControl: 'no-store', headers })
}
