/** Ties routes to doors: one function from a request to its answer. No port, no environment. */
import { noChannels } from './contract/notices.ts'
import { inboxPath, metricsPath, readyPath, routes } from './contract/routes.ts'
import { notifyOfMoves } from './delivery/channel-plan.ts'
import type { Notifier } from './delivery/lanes.ts'
import type { PublishedSite } from './discovery/open-site.ts'
import { preflightHeaders } from './doors/clients.ts'
import { errorAnswer, wrongMethod } from './doors/errors.ts'
import { createHealthDoor } from './doors/health.ts'
import type { InboxStore } from './doors/inbox/parts.ts'
import { createLeadDoor } from './doors/lead/door.ts'
import { createReadyDoor } from './doors/ready.ts'
import { isPublic } from './http/client-address.ts'
import type { ClientAddress } from './http/client-address.ts'
import { openSeal } from './http/cookies.ts'
import { createLazy } from './lazy.ts'
import type { App, WholeAnswer } from './http/message.ts'
import { moved } from './http/redirect.ts'
import { createRouter } from './http/router.ts'
import type { Router } from './http/router.ts'
import type { Refusal } from './http/send.ts'
import { LeadIds } from './lead/ids.ts'
import { createLimits } from './lead/limits.ts'
import type { LimitNumbers } from './lead/limits.ts'
import { createPersonKeys } from './lead/person-keys.ts'
import { createTakeLead } from './lead/take.ts'
import type { TakeLead } from './lead/take.ts'
import type { ReportFailure } from './log.ts'
import type { DiskState, Room } from './store/disk.ts'
import { createProve } from './store/prove.ts'
import type { Store } from './store/store.ts'

export type AppParts = {
  store: Pick<
    Store,
    | 'keepLead'
    | 'access'
    | 'probe'
    | 'state'
    | 'countDeliveries'
    | 'countLeads'
    | 'newestLeadAt'
    | 'countWanted'
    | 'waitingSince'
    | 'findLead'
    | 'eventsOf'
    | 'moveLead'
    | 'firstSince'
    | 'findOnce'
    | 'replaceOnce'
    | 'removeOnce'
  > &
    InboxStore
  /** Without a slash at its end. */
  baseUrl: string
  /** Called when first needed: a lead can be taken before the site is loaded. */
  openSite: () => Promise<PublishedSite>
  secret: Buffer
  rateLimit: LimitNumbers | 'off'
  /** Of held leads, from one client in a day. */
  heldBytes?: number
  /** Without it the owner is not notified. */
  delivery?: Pick<
    Notifier,
    'channels' | 'channelsFor' | 'onKept' | 'wake' | 'mailsCodes' | 'mailCode'
  >
  /** Of the disk with the database or the spool. */
  readDisk?: () => Promise<DiskState>
  readRoom?: () => Promise<Room>
  /** For a scraper elsewhere. */
  metricsToken?: string | undefined
  /** Time from one backup to the next. Left out: none are made by the clock. */
  backupEveryMs?: number | undefined
  /** Logs failures that no answer shows. */
  reportFailure?: ReportFailure
  now: () => number
}

export type WholeApp = Router & {
  /** Of such a client no body is read. */
  isFlood: (address: ClientAddress) => boolean
  /** Loads the site and compresses what is the same for all clients. Until then it is sent plain. */
  prepare: () => Promise<void>
  takeLead: TakeLead
}

export function createApp(parts: AppParts): WholeApp {
  const { baseUrl, openSite, secret, rateLimit, delivery, readDisk, backupEveryMs, now } = parts
  const { reportFailure = () => {} } = parts
  const store = delivery
    ? notifyOfMoves(parts.store, delivery.channelsFor, delivery.wake)
    : parts.store
  const prove = createProve({ store, reportFailure, now })
  const limits = createLimits(rateLimit, parts.heldBytes)
  const leadIds = new LeadIds(secret)
  const takeLead = createTakeLead({
    store,
    limits,
    leadIds,
    addressKey: secret.toString('base64url'),
    keysOf: createPersonKeys(secret),
    channelsFor: delivery?.channelsFor ?? noChannels,
    onKept: (lead) => delivery?.onKept(lead),
    now,
  })
  const draftSeal = openSeal(secret, 'draft')
  const mailCode = delivery?.mailCode ?? (() => Promise.resolve(false))
  const lazySite = createLazy(openSite)
  // Pages, documents, receipts, the owner's links and /mcp.
  const siteDoors = createLazy(async () => {
    const { createSiteDoors } = await import('./doors/site.ts')
    const { createOwnerBrowser } = await import('./doors/owner-browser.ts')
    const site = await lazySite.use((made) => made)
    const secure = baseUrl.startsWith('https:')
    const owner = createOwnerBrowser({ store, secret, mailCode, secure, now })
    return createSiteDoors({
      site,
      store,
      secret,
      owner,
      leadIds,
      takeLead,
      limits,
      draftSeal,
      now,
    })
  })
  const inbox = createLazy(async () => {
    const { createInboxDoors } = await import('./doors/inbox/doors.ts')
    const { business } = await lazySite.use((made) => made)
    return createInboxDoors({
      store: await store.access(),
      leads: store,
      secret,
      baseUrl,
      businessName: business.name,
      business,
      mailsCodes: delivery?.mailsCodes ?? false,
      mailCode,
      backupEveryMs,
      limits,
      reportFailure,
      now,
    })
  })
  const metrics = createLazy(async () => {
    const { createMetricsDoor } = await import('./doors/metrics.ts')
    return createMetricsDoor({
      store,
      prove,
      readRoom: parts.readRoom,
      backupEveryMs,
      channels: delivery?.channels ?? [],
      token: parts.metricsToken,
      published: isPublic(baseUrl),
      notFound,
      reportFailure,
      now,
    })
  })
  const inboxDoor: App = (ask) => inbox.use((doors) => doors.answer(ask))
  const notFound: App = (ask) => siteDoors.use((doors) => doors.notFound(ask))
  const lead = createLeadDoor({
    takeLead,
    limits,
    now,
    baseUrl,
    draftSeal,
    showSendAgain: (...again) => siteDoors.use(({ showSendAgain }) => showSendAgain(...again)),
  })
  const router = createRouter({
    routes: [
      {
        path: routes.lead.path,
        doors: { GET: createHealthDoor({ prove, now }), POST: lead },
        options: preflightHeaders,
      },
      {
        path: readyPath,
        doors: {
          GET: createReadyDoor({ store, readDisk, backupEveryMs, notFound, reportFailure, now }),
        },
      },
      { path: metricsPath, doors: { GET: (ask) => metrics.use((door) => door(ask)) } },
      {
        path: inboxPath.slice(0, -1),
        doors: { GET: ({ headers }) => moved(headers.accept, inboxPath) },
      },
      { path: everyInboxPath, doors: { GET: inboxDoor, POST: inboxDoor } },
    ],
    rest: siteDoors,
    wrongMethod,
  })
  return {
    answer: router.answer,
    nameOf(path) {
      const name = router.nameOf(path)
      return name === everyInboxPath ? (inbox.made()?.nameOf(path) ?? name) : name
    },
    isFlood: (address) => limits.isFlood(address, now),
    takeLead,
    prepare: async () => siteDoors.use(({ prepare }) => prepare()),
  }
}

const everyInboxPath = `${inboxPath}*`

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
