/** Counts the POSTs of a route. Past the hard limit they are answered with 429. */
import type { App } from '../http/message.ts'
import type { Route } from '../http/router.ts'
import type { Limits } from '../lead/limits.ts'
import { wantsPage } from './clients.ts'
import { quotaHeaders, tooMany } from './errors.ts'
import type { SendAgainPage } from './lead/send-again.ts'

export type PostLimits = {
  limits: Limits
  sendAgain: SendAgainPage
  now: () => number
}

export function limitPosts(route: Route, parts: PostLimits): Route {
  const { limits, sendAgain, now } = parts
  const { POST: post } = route.doors
  if (post === undefined) return route
  const limited: App = (ask) => {
    const counted = limits.countRequest(ask.address, now())
    if (!counted.limited) return post(ask)
    const { quota } = counted
    return wantsPage(ask)
      ? sendAgain.answer('RATE_LIMITED', {}, quota.resetS, quotaHeaders(quota))
      : tooMany(ask, quota.resetS, quota)
  }
  return { ...route, doors: { ...route.doors, POST: limited } }
}
