/** Every door that needs the site: pages, documents, receipts, the owner's links and the tools. */
import { packagePath } from '../contract/commands.ts'
import { contactPath, routes, thanksPath } from '../contract/routes.ts'
import type { PublishedSite } from '../discovery/open-site.ts'
import type { Seal } from '../http/cookies.ts'
import type { App } from '../http/message.ts'
import { moved } from '../http/redirect.ts'
import type { Route } from '../http/router.ts'
import type { LeadIds } from '../lead/ids.ts'
import type { Limits } from '../lead/limits.ts'
import type { TakeLead } from '../lead/take.ts'
import type { Store } from '../store/store.ts'
import { corsHeaders, preflightHeaders } from './clients.ts'
import { createPackageDoor } from './consult-package.ts'
import { createContactDoor } from './contact.ts'
import { limitPosts } from './limit-posts.ts'
import { McpDoor, onlyPost } from './mcp/door.ts'
import { createTapRoute } from './one-tap.ts'
import type { OwnerBrowser } from './owner-browser.ts'
import { publish } from './published.ts'
import type { Published } from './published.ts'
import { createReceiptRoute } from './receipt.ts'
import { createSendAgain } from './lead/send-again.ts'
import type { ShowSendAgain } from './lead/send-again.ts'
import { createThanksDoor } from './thanks.ts'

export type SiteDoorParts = {
  site: PublishedSite
  store: Pick<Store, 'findLead' | 'eventsOf' | 'moveLead'>
  secret: Buffer
  owner: OwnerBrowser
  leadIds: LeadIds
  takeLead: TakeLead
  limits: Limits
  draftSeal: Seal
  now: () => number
}

export type SiteDoors = Published & { showSendAgain: ShowSendAgain }

export function createSiteDoors(parts: SiteDoorParts): SiteDoors {
  const { site, store, secret, owner, leadIds, takeLead, limits, draftSeal, now } = parts
  const {
    routes: published,
    notFound,
    prepare,
  } = publish(site, (page) => {
    if (page.path === contactPath) return createContactDoor({ site, page, draftSeal, now })
    if (page.path === thanksPath) return createThanksDoor(site, page, leadIds)
    return undefined
  })
  const showSendAgain = createSendAgain(site)
  const mcp = new McpDoor({ ...site, takeLead, limits, now })
  return {
    routes: [
      { path: routes.mcp.path, doors: { POST: (ask) => mcp.answer(ask) }, wrongMethod: onlyPost },
      withSlash(routes.mcp.path, ['POST']),
      { ...withSlash(routes.lead.path, ['GET', 'POST'], corsHeaders), options: preflightHeaders },
      limitPosts(createTapRoute({ site, store, secret, owner, notFound, now }), {
        limits,
        showSendAgain,
        now,
        isExempt: owner.isKnown,
      }),
      limitPosts(createReceiptRoute({ site, store, leadIds, notFound, now }), {
        limits,
        showSendAgain,
        now,
      }),
      { path: packagePath, doors: { GET: createPackageDoor(site.baseUrl) } },
      ...published,
    ],
    notFound,
    prepare,
    showSendAgain,
  }
}

/** An address of programs with a slash too many: a lead that is posted there is posted again, to `path`. */
function withSlash(
  path: string,
  methods: readonly string[],
  headersFor: typeof corsHeaders = () => [],
): Route {
  const onward: App = (ask) => moved(ask.headers.accept, path, ...headersFor(ask))
  return { path: `${path}/`, doors: Object.fromEntries(methods.map((method) => [method, onward])) }
}
