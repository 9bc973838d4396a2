/** Ties routes to doors: one function from a request to its answer. No port, no environment. */
import { contactPath, routes, thanksPath } from './contract/routes.ts'
import type { PublishedSite } from './discovery/open-site.ts'
import { createContactDoor } from './doors/contact.ts'
import { preflightHeaders } from './doors/cors.ts'
import { errorAnswer } from './doors/errors.ts'
import { createHealthDoor } from './doors/health.ts'
import { createLeadDoor } from './doors/lead.ts'
import { publish } from './doors/published.ts'
import type { Published } from './doors/published.ts'
import { createReceiptRoute } from './doors/receipt.ts'
import { createSendAgain } from './doors/send-again.ts'
import { createThanksDoor } from './doors/thanks.ts'
import { withHeaders } from './http/answer.ts'
import { openSeal } from './http/cookies.ts'
import type { Answer } from './http/message.ts'
import { createRouter } from './http/router.ts'
import type { Router } from './http/router.ts'
import type { Refusal } from './http/send.ts'
import { createNames } from './lead/ids.ts'
import { createLimits } from './lead/limits.ts'
import type { LimitNumbers } from './lead/limits.ts'
import { createTakeLead } from './lead/take.ts'
import type { Store } from './store/store.ts'

export type AppParts = {
  store: Pick<Store, 'keepLead' | 'probe' | 'findLeads' | 'findLeadByEnds' | 'moveLead'>
  site: PublishedSite
  secret: Buffer
  rateLimit: LimitNumbers | 'off'
  now: () => number
}

export type WholeApp = Router & Pick<Published, 'prepare'>

export function createApp({ store, site, secret, rateLimit, now }: AppParts): WholeApp {
  const { baseUrl } = site
  const limits = createLimits(rateLimit)
  const names = createNames(secret)
  const takeLead = createTakeLead({
    store,
    limits,
    names,
    addressKey: secret.toString('base64url'),
    deliverTo: [],
    now,
  })
  const draftSeal = openSeal(secret, 'draft')
  const showSendAgain = createSendAgain(site)
  const published = publish(site, (page) => {
    if (page.path === contactPath) return createContactDoor(site, page, draftSeal)
    if (page.path === thanksPath) return createThanksDoor(site, page, names)
    return undefined
  })

  const router = createRouter(
    [
      {
        path: routes.lead.path,
        doors: {
          GET: createHealthDoor({ store, now }),
          POST: createLeadDoor({ takeLead, limits, now, baseUrl, draftSeal, showSendAgain }),
        },
        options: preflightHeaders,
      },
      createReceiptRoute({ site, store, names, notFound: published.notFound, now }),
      ...published.routes,
    ],
    {
      notFound: published.notFound,
      methodNotAllowed: (_, allow) =>
        withHeaders(errorAnswer('METHOD_NOT_ALLOWED'), 'Allow', allow),
    },
  )
  return { ...router, prepare: published.prepare }
}

/** What is said where no request could be made out, or where the app itself failed. */
export function refuse(reason: Refusal): Answer {
  switch (reason) {
    case 'malformed':
      return errorAnswer('BAD_REQUEST')
    case 'too-slow':
      return errorAnswer('REQUEST_TIMEOUT')
    case 'headers-too-large':
      return errorAnswer('HEADERS_TOO_LARGE')
    case 'crashed':
      return errorAnswer('INTERNAL_ERROR')
  }
}
