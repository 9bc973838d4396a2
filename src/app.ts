/** Ties each route to its door. Opens no port and reads no setting. */
import { readNumbersOf } from './contract/phone.ts'
import {
  comePath,
  contactPath,
  inboxPath,
  metricsPath,
  readyPath,
  routes,
  thanksPath,
} from './contract/routes.ts'
import type { Announcer } from './delivery/notifier.ts'
import type { PublishedSite } from './discovery/documents.ts'
import { corsHeaders, preflightHeaders } from './doors/clients.ts'
import { createComeDoors } from './doors/come.ts'
import { createContactDoor, createThanksDoors } from './doors/form-pages.ts'
import { createHealthDoor, createReadyDoor, recognizeOperator } from './doors/health.ts'
import { createInboxDoors } from './doors/inbox/doors.ts'
import { LeadDoor } from './doors/lead/door.ts'
import { McpDoor, onlyPost } from './doors/mcp/door.ts'
import { createMetricsDoor } from './doors/metrics.ts'
import { limitPosts, wrongMethod } from './doors/outcomes.ts'
import { publish } from './doors/pages.ts'
import { ReceiptDoor } from './doors/receipt/door.ts'
import { Receipts } from './doors/receipt/receipts.ts'
import { moved } from './http/answers.ts'
import type { App } from './http/message.ts'
import { createSeal } from './http/cookies.ts'
import { Router, type Route } from './http/router.ts'
import { LeadIds } from './lead/ids.ts'
import { Limits, type LimitNumbers } from './lead/limits.ts'
import { PhotoTaker, type PhotoPlace } from './lead/photos/taking.ts'
import { LeadTaker } from './lead/take.ts'
import type { ReportFailure } from './log.ts'
import type { DiskState } from './store/files.ts'
import { createProve, type Store } from './store/store.ts'

export type AppParts = {
  store: Store
  site: PublishedSite
  secret: Buffer
  rateLimit: LimitNumbers | 'off'
  delivery: Announcer
  readDisk?: () => Promise<DiskState>
  metricsToken?: string | undefined
  /** `undefined`: pictures cannot be read here, so there are no photos. */
  photos?: PhotoPlace | undefined
  /** `undefined`: the service makes no backups by itself. */
  backupEveryMs?: number | undefined
  reportFailure: ReportFailure
  now: () => number
}

export function createApp(parts: AppParts) {
  const { store, site, secret, delivery, readDisk, metricsToken, backupEveryMs } = parts
  const { reportFailure, now } = parts
  const { business, baseUrl } = site
  readNumbersOf(business.country)

  const limits = new Limits(parts.rateLimit)
  const leadIds = new LeadIds(secret)
  const photos = parts.photos && new PhotoTaker({ ...parts.photos, store, limits, now })
  const canAddPhotos = photos !== undefined
  const taker = new LeadTaker({ store, limits, leadIds, secret, business, now })
  const prove = createProve({ store, reportFailure, now })

  const draftSeal = createSeal(secret, 'draft')
  const leadDoor = new LeadDoor({ taker, limits, site, draftSeal, now })
  const limited = (door: App) => limitPosts(door, { limits, site, now })
  const published = publish(site, now, (page) => {
    if (page.path === contactPath)
      return { page: createContactDoor({ site, page, draftSeal, now }) }
    if (page.path === comePath) return { ...createComeDoors(site, page), forPosts: limited }
    return page.path === thanksPath ? createThanksDoors({ site, page, leadIds, canAddPhotos }) : {}
  })
  const { notFound } = published
  const receipts = new Receipts({ site, store, leadIds, canAddPhotos, now })
  const receiptDoor = new ReceiptDoor({ receipts, site, store, photos, limited, notFound, now })
  const mcp = new McpDoor({ site, taker, limits, receipts, now })
  const inbox = createInboxDoors({
    store,
    secret,
    baseUrl,
    businessName: business.name,
    logo: site.logo,
    business,
    mailsCodes: delivery.mailsCodes,
    mailCode: (code, to) => delivery.mailCode(code, to),
    invite: (by, to) => delivery.invite(by, to),
    push: delivery.push,
    taker,
    photos,
    backupEveryMs,
    limits,
    reportFailure,
    now,
  })
  const health = createHealthDoor({ prove, now })
  const isOperator = recognizeOperator(secret, metricsToken)
  const forOperator = { store, readDisk, backupEveryMs, isOperator, reportFailure, now }
  const ready = createReadyDoor(forOperator)
  const metrics = createMetricsDoor({ ...forOperator, prove, channels: delivery.names, notFound })

  const { lead: leadRoute, mcp: mcpRoute } = routes
  const table: Route[] = [
    {
      path: leadRoute.path,
      doors: { GET: health, POST: (ask) => leadDoor.answer(ask) },
      options: preflightHeaders,
    },
    {
      ...withSlash(leadRoute.path, ['GET', 'POST'], corsHeaders),
      options: preflightHeaders,
    },
    ...receiptDoor.routes(),
    { path: mcpRoute.path, doors: { POST: (ask) => mcp.answer(ask) }, wrongMethod: onlyPost },
    withSlash(mcpRoute.path, ['POST']),
    { path: inboxPath.slice(0, -1), doors: { GET: () => moved(inboxPath) } },
    ...inbox.routes,
    { path: readyPath, doors: { GET: ready } },
    { path: metricsPath, doors: { GET: metrics } },
    ...published.routes,
  ]
  // Even a POST to an unknown path counts towards the rate limit.
  const router = new Router(table, limited(notFound), wrongMethod)
  return { router, loadLater: () => mcp.load() }
}

/** For programs that add a slash to `path`: with status 308 they repeat even a POST at `path`. */
function withSlash(
  path: string,
  methods: readonly string[],
  headersFor: typeof corsHeaders = () => ({}),
): Route {
  const onward: App = (ask) => moved(path, headersFor(ask))
  return { path: `${path}/`, doors: Object.fromEntries(methods.map((method) => [method, onward])) }
}
