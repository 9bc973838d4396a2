/** The inbox as a whole: its routes, and who may use them. */
import { Access, type AccessParts } from '../../access/access.ts'
import { type Business } from '../../contract/business.ts'
import { type Telling } from '../../contract/notices.ts'
import { inboxPath } from '../../contract/routes.ts'
import { openSeal } from '../../http/cookies.ts'
import { type App } from '../../http/message.ts'
import { type Route } from '../../http/router.ts'
import { type Limits } from '../../lead/limits.ts'
import { type Store } from '../../store/store.ts'
import { readAssets } from './assets.ts'
import { guardedHeaders, showPage, tooOften, tooOftenForScript } from './frame/answers.ts'
import { InboxCookies } from './frame/cookies.ts'
import { guard, missing, type InboxRoute } from './frame/guard.ts'
import { type Inbox } from './frame/inbox.ts'
import { inboxRoutes } from './routes.ts'

export type InboxDoorParts = AccessParts & {
  /** The leads. */
  leads: Store
  business: Pick<Business, 'areas' | 'state' | 'timeZone'>
  mailsCodes: boolean
  /** The channels that are told of a move. */
  tell: Telling
  backupEveryMs?: number | undefined
  limits: Pick<Limits, 'countRequest'>
}

export type InboxDoors = {
  routes: readonly Route[]
  /** For the test that asks every route. */
  table: readonly InboxRoute[]
  /** Compresses what is the same for all clients. Until then it is sent plain. */
  prepare: () => Promise<void>
}

export function createInboxDoors(parts: InboxDoorParts): InboxDoors {
  const { areas, state, timeZone } = parts.business
  const { style, script } = readAssets(guardedHeaders)
  const inbox: Inbox = {
    access: new Access(parts),
    cookies: new InboxCookies(parts.secret, parts.baseUrl.startsWith('https:')),
    desk: { store: parts.leads, areas, state, tell: parts.tell },
    searchSeal: openSeal(parts.secret, 'search'),
    baseUrl: parts.baseUrl,
    businessName: parts.businessName,
    stylePath: style.path,
    scriptPath: script.path,
    mailsCodes: parts.mailsCodes,
    timeZone,
    backupEveryMs: parts.backupEveryMs,
    now: parts.now,
  }
  const table: InboxRoute[] = [
    ...[style, script].map(({ path, answer }) => {
      const door = (_inbox: Inbox, ask: Parameters<App>[0]) => answer(ask)
      return { path, method: 'GET', who: 'nobody', door } as const
    }),
    ...inboxRoutes,
  ]
  const byPath = Map.groupBy(table, ({ path }) => path)
  const routes = [...byPath].map(([path, rows]) => ({
    path,
    doors: Object.fromEntries(rows.map((row) => [row.method, doorOf(inbox, row, parts.limits)])),
  }))
  const notFound: App = (ask) => showPage(inbox, ask, missing)
  return {
    routes: [...routes, { path: `${inboxPath}*`, doors: { GET: notFound, POST: notFound } }],
    table,
    async prepare() {
      await style.prepare()
      await script.prepare()
    },
  }
}

/** Whoever is not signed in has the same limit as a sender of requests. */
function doorOf(inbox: Inbox, row: InboxRoute, limits: InboxDoorParts['limits']): App {
  const door = guard(inbox, row)
  if (row.who !== 'nobody' || row.method === 'GET') return door
  return (ask) => {
    const counted = limits.countRequest(ask.address, inbox.now())
    if (!counted.limited) return door(ask)
    const limited = { kind: 'limited', waitS: counted.quota.resetS } as const
    return row.forScript ? tooOftenForScript(limited) : tooOften(inbox, ask, limited)
  }
}
