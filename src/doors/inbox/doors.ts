/** The inbox as a whole: its routes, and who may use them. */
import { createAccess } from '../../access/access.ts'
import type { AccessParts } from '../../access/access.ts'
import type { Business } from '../../contract/business.ts'
import type { Telling } from '../../contract/notices.ts'
import { inboxPath } from '../../contract/routes.ts'
import { html } from '../../html.ts'
import { openSeal } from '../../http/cookies.ts'
import type { App, Ask } from '../../http/message.ts'
import type { Route } from '../../http/router.ts'
import type { Limits } from '../../lead/limits.ts'
import { guardedHeaders } from './answers.ts'
import { readAssets } from './assets.ts'
import { createInboxCookies } from './cookies.ts'
import { createFindVisit, createInboxGuard } from './guard.ts'
import type { InboxRoute } from './guard.ts'
import { createShowPage } from './layout.ts'
import { tooOften, tooOftenForScript } from './parts.ts'
import type { InboxParts, InboxStore } from './parts.ts'
import { paths } from './paths.ts'
import { inboxRoutes } from './routes.ts'

export type InboxDoorParts = AccessParts & {
  /** The leads. */
  leads: InboxStore
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
  const { baseUrl, businessName, business, leads, tell, secret, limits, now } = parts
  const { mailsCodes, backupEveryMs } = parts
  const { areas, state, timeZone } = business
  const assets = readAssets(guardedHeaders)
  const showPage = createShowPage({
    businessName,
    stylePath: assets.style.path,
    scriptPath: assets.script.path,
  })
  const access = createAccess(parts)
  const cookies = createInboxCookies(baseUrl.startsWith('https:'))
  const guardParts = { access, cookies, showPage, baseUrl }
  const findVisit = createFindVisit(guardParts)
  const guard = createInboxGuard(guardParts, findVisit)
  const desk = { store: leads, areas, state, tell }
  const searchSeal = openSeal(secret, 'search')
  const pageParts = {
    findVisit,
    showPage,
    desk,
    searchSeal,
    mailsCodes,
    backupEveryMs,
    timeZone,
    now,
  }
  const own: InboxParts = { access, cookies, ...pageParts }
  const table = inboxRoutes(own, assets)
  const notFound: App = (ask) => showPage(ask, missing)
  return {
    routes: [
      ...toRoutes(table, (row) => limitStrangers(row, guard(row))),
      { path: `${inboxPath}*`, doors: { GET: notFound, POST: notFound } },
    ],
    table,
    async prepare() {
      await assets.style.prepare()
      await assets.script.prepare()
    },
  }

  /** Whoever is not signed in has the same limit as a sender of requests. */
  function limitStrangers(row: InboxRoute, door: App): App {
    if (row.who !== 'nobody' || row.method === 'GET') return door
    return (ask: Ask) => {
      const counted = limits.countRequest(ask.address, now())
      if (!counted.limited) return door(ask)
      const limited = { kind: 'limited', waitS: counted.quota.resetS } as const
      return row.forScript ? tooOftenForScript(limited) : tooOften(own, ask, limited)
    }
  }
}

function toRoutes(table: readonly InboxRoute[], toDoor: (row: InboxRoute) => App): Route[] {
  const byPath = Map.groupBy(table, ({ path }) => path)
  return [...byPath].map(([path, rows]) => ({
    path,
    doors: Object.fromEntries(rows.map((row) => [row.method, toDoor(row)])),
  }))
}

const missing = {
  status: 404,
  title: 'Nothing here',
  main: html`<h1>Nothing here</h1>
<p>There is no such page in the inbox.</p>
<p><a class="button" href="${paths.list}">Open the inbox</a></p>
`,
}
