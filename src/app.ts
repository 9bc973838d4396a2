/** Ties routes to doors: one function from a request to its answer. No port, no environment. */
import { routes } from './contract/routes.ts'
import { preflightHeaders } from './doors/cors.ts'
import { errorAnswer } from './doors/errors.ts'
import { createHealthDoor } from './doors/health.ts'
import { createLeadDoor } from './doors/lead.ts'
import { withHeaders } from './http/answer.ts'
import { openSeal } from './http/cookies.ts'
import type { Answer, App } from './http/message.ts'
import { createRouter } from './http/router.ts'
import type { Refusal } from './http/send.ts'
import { createNames } from './lead/ids.ts'
import { createLimits } from './lead/limits.ts'
import type { LimitNumbers } from './lead/limits.ts'
import { createTakeLead } from './lead/take.ts'
import type { Store } from './store/store.ts'

export type AppParts = {
  store: Pick<Store, 'keepLead' | 'probe'>
  secret: Buffer
  baseUrl: string
  rateLimit: LimitNumbers | 'off'
  now: () => number
}

export function createApp({ store, secret, baseUrl, rateLimit, now }: AppParts): App {
  const limits = createLimits(rateLimit)
  const takeLead = createTakeLead({
    store,
    limits,
    names: createNames(secret),
    addressKey: secret.toString('base64url'),
    deliverTo: [],
    now,
  })
  const draftSeal = openSeal(secret, 'draft')
  return createRouter(
    [
      {
        path: routes.lead.path,
        doors: {
          GET: createHealthDoor({ store, now }),
          POST: createLeadDoor({ takeLead, limits, now, baseUrl, draftSeal }),
        },
        options: preflightHeaders,
      },
    ],
    {
      notFound: () => errorAnswer('NOT_FOUND'),
      methodNotAllowed: (_, allow) =>
        withHeaders(errorAnswer('METHOD_NOT_ALLOWED'), 'Allow', allow),
    },
  )
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
