/** Combines all routes and their doors into one function that answers requests. Opens no port and reads no environment variable. */
import {
  contactPath,
  inboxPath,
  metricsPath,
  readyPath,
  routes,
  thanksPath,
} from './contract/routes.ts'
import { noAnnouncer, type Announcer } from './delivery/notifier.ts'
import type { PublishedSite } from './discovery/documents.ts'
import { corsHeaders, preflightHeaders } from './doors/clients.ts'
import { createContactDoor, createThanksDoors } from './doors/form-pages.ts'
import {
  createHealthDoor,
  createReadyDoor,
  operatorToken,
  recognizeOperator,
} from './doors/health.ts'
import { createInboxDoors } from './doors/inbox/doors.ts'
import { LeadDoor } from './doors/lead/door.ts'
import { McpDoor, onlyPost } from './doors/mcp/door.ts'
import { createMetricsDoor } from './doors/metrics.ts'
import { limitPosts, wrongMethod } from './doors/outcomes.ts'
import { publish } from './doors/pages.ts'
import { createReceipts } from './doors/receipt.ts'
import { moved, type App } from './http/message.ts'
import { openSeal } from './http/cookies.ts'
import { Router, type Route } from './http/router.ts'
import { LeadIds } from './lead/ids.ts'
import { Limits, type LimitNumbers } from './lead/limits.ts'
import { LeadTaker } from './lead/take.ts'
import type { ReportFailure } from './log.ts'
import type { DiskState } from './store/files.ts'
import { createProve, type Store } from './store/store.ts'

export type AppParts = {
  store: Store
  site: PublishedSite
  secret: Buffer
  rateLimit: LimitNumbers | 'off'
  /** The notifier that tells the owner of leads. If left out, nobody is told. */
  delivery?: Announcer
  /** Reads the state of the disk that holds the database or the journal. If left out, `/readyz` and `/metrics` say nothing of the disk. */
  readDisk?: () => Promise<DiskState>
  /** A program that sends this token may read `/metrics` and the whole of `/readyz`. */
  metricsToken?: string | undefined
  /** Time from one backup to the next. If left out, the service makes no backups by itself. */
  backupEveryMs?: number | undefined
  /** Logs failures with their causes, which no answer shows. If left out, they are not logged. */
  reportFailure?: ReportFailure
  now: () => number
}

export type WholeApp = {
  answer: App
  /** Returns the path of the matching route as it is in the table, such as `/receipt/*`. `undefined`: no route matches. */
  nameOf: (path: string) => string | undefined
  /** Compresses the answers that are the same for all clients. An answer is sent uncompressed until this has compressed it. */
  prepare: () => Promise<void>
}

export function createApp(parts: AppParts): WholeApp {
  const { store, site, secret, readDisk, backupEveryMs, now } = parts
  const { delivery = noAnnouncer, reportFailure = () => {} } = parts
  const { business, baseUrl } = site
  const { tell } = delivery

  const limits = new Limits(parts.rateLimit)
  const leadIds = new LeadIds(secret)
  const taker = new LeadTaker({ store, limits, leadIds, secret, tell, now })
  const prove = createProve({ store, reportFailure, now })

  const draftSeal = openSeal(secret, 'draft')
  const leadDoor = new LeadDoor({ taker, limits, site, draftSeal, now })
  const published = publish(site, now, (page) => {
    if (page.path === contactPath)
      return { page: createContactDoor({ site, page, draftSeal, now }) }
    return page.path === thanksPath ? createThanksDoors(site, page, leadIds) : {}
  })
  const { notFound } = published
  const limited = (door: App) => limitPosts(door, { limits, site, now })
  const receipts = createReceipts({ site, store, leadIds, tell, limited, notFound, now })
  const mcp = new McpDoor({ site, taker, limits, receipts, now })
  const inbox = createInboxDoors({
    store: store.access,
    leads: store,
    secret,
    baseUrl,
    businessName: business.name,
    business,
    mailsCodes: delivery.mailsCodes,
    mailCode: (code, to) => delivery.mailCode(code, to),
    invite: (by, to) => delivery.invite(by, to),
    push: delivery.push,
    tell,
    backupEveryMs,
    limits,
    reportFailure,
    now,
  })
  const health = createHealthDoor({ prove, now })
  const { metricsToken: token } = parts
  const isOperator = recognizeOperator([operatorToken(secret), ...(token ? [token] : [])])
  const forOperator = { store, readDisk, backupEveryMs, isOperator, reportFailure, now }
  const ready = createReadyDoor(forOperator)
  const { names: channels } = delivery
  const metrics = createMetricsDoor({ ...forOperator, prove, channels, notFound })

  const { lead: leadRoute, mcp: mcpRoute } = routes
  const table: Route[] = [
    // Routes for senders and their agents.
    {
      path: leadRoute.path,
      doors: { GET: health, POST: (ask) => leadDoor.answer(ask) },
      options: preflightHeaders,
    },
    { ...withSlash(leadRoute.path, ['GET', 'POST'], corsHeaders), options: preflightHeaders },
    ...receipts.routes,
    { path: mcpRoute.path, doors: { POST: (ask) => mcp.answer(ask) }, wrongMethod: onlyPost },
    withSlash(mcpRoute.path, ['POST']),
    // Routes for the owner.
    { path: inboxPath.slice(0, -1), doors: { GET: () => moved(inboxPath) } },
    ...inbox.routes,
    // Routes for the operator's tools.
    { path: readyPath, doors: { GET: ready } },
    { path: metricsPath, doors: { GET: metrics } },
    // Routes of the pages, their Markdown twins, the documents and the files.
    ...published.routes,
  ]
  // A POST to an unknown path counts towards the rate limit, too.
  const router = new Router(table, limited(notFound), wrongMethod)
  return {
    answer: (ask) => router.answer(ask),
    nameOf: (path) => router.nameOf(path),
    async prepare() {
      await published.prepare()
      await inbox.prepare()
    },
  }
}

/** Some programs add a slash to `path`. This route redirects them with status 308, so that they repeat even a POST at `path`. */
function withSlash(
  path: string,
  methods: readonly string[],
  headersFor: typeof corsHeaders = () => [],
): Route {
  const onward: App = (ask) => moved(path, ...headersFor(ask))
  return { path: `${path}/`, doors: Object.fromEntries(methods.map((method) => [method, onward])) }
}
