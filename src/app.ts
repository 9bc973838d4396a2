/** Every route and the door behind it: one function from a request to its answer. No port, no environment. */
import {
  contactPath,
  inboxPath,
  metricsPath,
  readyPath,
  routes,
  thanksPath,
} from './contract/routes.ts'
import { noAnnouncer, type Announcer } from './delivery/notifier.ts'
import type { PublishedSite } from './discovery/published-site.ts'
import { corsHeaders, preflightHeaders } from './doors/clients.ts'
import { errorAnswer, limitPosts, wrongMethod } from './doors/errors.ts'
import { createContactDoor, createThanksDoor } from './doors/form-pages.ts'
import { createHealthDoor, createReadyDoor } from './doors/health.ts'
import { createInboxDoors } from './doors/inbox/doors.ts'
import { LeadDoor } from './doors/lead/door.ts'
import { SendAgainPage } from './doors/lead/send-again.ts'
import { McpDoor, onlyPost } from './doors/mcp/door.ts'
import { createMetricsDoor } from './doors/metrics.ts'
import { publish } from './doors/pages.ts'
import { createReceiptRoute } from './doors/receipt.ts'
import { moved, type App, type WholeAnswer } from './http/message.ts'
import { isPublic } from './http/client-address.ts'
import { openSeal } from './http/cookies.ts'
import { Router, type Route } from './http/router.ts'
import type { Refusal } from './http/server.ts'
import { LeadIds } from './lead/ids.ts'
import { Limits, type LimitNumbers } from './lead/limits.ts'
import { createPersonKeys, keyedHash } from './lead/person-keys.ts'
import { LeadTaker } from './lead/take.ts'
import type { ReportFailure } from './log.ts'
import type { DiskState } from './store/files.ts'
import { createProve, type Store } from './store/store.ts'

export type AppParts = {
  store: Store
  site: PublishedSite
  secret: Buffer
  rateLimit: LimitNumbers | 'off'
  /** Of held leads, from one client in a day. Left out: as published. */
  heldBytes?: number
  /** Without it the owner is not notified. */
  delivery?: Announcer
  /** State of the disk with the database or the journal. */
  readDisk?: () => Promise<DiskState>
  /** For a scraper elsewhere. */
  metricsToken?: string | undefined
  /** Time from one backup to the next. Left out: none are made by the clock. */
  backupEveryMs?: number | undefined
  /** Logs failures that no answer shows. */
  reportFailure?: ReportFailure
  now: () => number
}

export type WholeApp = {
  answer: App
  /** The path of the route, with its star. `undefined`: no route. */
  nameOf: (path: string) => string | undefined
  /** Compresses what is the same for all clients. Until then it is sent plain. */
  prepare: () => Promise<void>
  taker: LeadTaker
}

export function createApp(parts: AppParts): WholeApp {
  const { store, site, secret, readDisk, backupEveryMs, now } = parts
  const { delivery = noAnnouncer, reportFailure = () => {} } = parts
  const { business, baseUrl } = site
  const { tell } = delivery
  const limits = new Limits(parts.rateLimit, parts.heldBytes)
  const leadIds = new LeadIds(secret)
  const draftSeal = openSeal(secret, 'draft')
  const prove = createProve({ store, reportFailure, now })
  const taker = new LeadTaker({
    store,
    limits,
    leadIds,
    hashAddress: keyedHash(secret, 'client'),
    keysOf: createPersonKeys(secret),
    tell,
    now,
  })

  const published = publish(site, (page) => {
    if (page.path === contactPath) return createContactDoor({ site, page, draftSeal, now })
    if (page.path === thanksPath) return createThanksDoor(site, page, leadIds)
    return undefined
  })
  const { notFound } = published
  const mcp = new McpDoor({ ...site, taker, limits, now })
  const sendAgain = new SendAgainPage(site)
  const leadDoor = new LeadDoor({ taker, limits, now, baseUrl, draftSeal, sendAgain })
  const postLimits = { limits, sendAgain, now }
  const inbox = createInboxDoors({
    store: store.access,
    leads: store,
    secret,
    baseUrl,
    businessName: business.name,
    business,
    mailsCodes: delivery.mailsCodes,
    mailCode: (code, to) => delivery.mailCode(code, to),
    tell,
    backupEveryMs,
    limits,
    reportFailure,
    now,
  })

  const router = new Router(
    [
      // For senders and their agents.
      {
        path: routes.lead.path,
        doors: {
          GET: createHealthDoor({ prove, now }),
          POST: (ask) => leadDoor.answer(ask),
        },
        options: preflightHeaders,
      },
      { ...withSlash(routes.lead.path, ['GET', 'POST'], corsHeaders), options: preflightHeaders },
      limitPosts(createReceiptRoute({ site, store, leadIds, tell, notFound, now }), postLimits),
      {
        path: routes.mcp.path,
        doors: { POST: (ask) => mcp.answer(ask) },
        wrongMethod: onlyPost,
      },
      withSlash(routes.mcp.path, ['POST']),
      // For the owner.
      {
        path: inboxPath.slice(0, -1),
        doors: { GET: () => moved(inboxPath) },
      },
      ...inbox.routes,
      // For the operator's tools.
      {
        path: readyPath,
        doors: {
          GET: createReadyDoor({ store, readDisk, backupEveryMs, notFound, reportFailure, now }),
        },
      },
      {
        path: metricsPath,
        doors: {
          GET: createMetricsDoor({
            store,
            prove,
            readDisk,
            backupEveryMs,
            channels: delivery.names,
            token: parts.metricsToken,
            published: isPublic(baseUrl),
            notFound,
            reportFailure,
            now,
          }),
        },
      },
      // Pages, their twins, documents and files.
      ...published.routes,
    ],
    notFound,
    wrongMethod,
  )
  return {
    answer: (ask) => router.answer(ask),
    nameOf: (path) => router.nameOf(path),
    taker,
    async prepare() {
      await published.prepare()
      await inbox.prepare()
    },
  }
}

/** An address of programs with a slash too many: a lead that is posted there is posted again, to `path`. */
function withSlash(
  path: string,
  methods: readonly string[],
  headersFor: typeof corsHeaders = () => [],
): Route {
  const onward: App = (ask) => moved(path, ...headersFor(ask))
  return { path: `${path}/`, doors: Object.fromEntries(methods.map((method) => [method, onward])) }
}

/** The answer where no request could be read, or where the app failed. */
export function refuse(reason: Refusal): WholeAnswer {
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
