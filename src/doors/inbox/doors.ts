/** The inbox as a whole: its routes with who may use each, its style sheet and its script. */
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Access } from '../../access/access.ts'
import { inboxPath } from '../../contract/routes.ts'
import { openSeal } from '../../http/cookies.ts'
import { type App } from '../../http/message.ts'
import { type Route } from '../../http/router.ts'
import { createResource, type Resource } from '../resource.ts'
import { guardedHeaders, showPage } from './frame/answers.ts'
import { openCookies } from './frame/cookies.ts'
import { guard, missing, type InboxRoute } from './frame/guard.ts'
import { type Caller, type Inbox, type InboxParts } from './frame/inbox.ts'
import { showLink, useLink } from './access/link.ts'
import { addMember, endMember, showMembers } from './access/members.ts'
import {
  addPasskey,
  offerToAdd,
  removePasskey,
  renamePasskey,
  showPasskeys,
  showSettings,
  signOutOthers,
} from './access/settings.ts'
import {
  askForCode,
  offerPasskeys,
  showCode,
  showSignIn,
  signOut,
  useCode,
  usePasskey,
} from './access/sign-in.ts'
import { markAsSpam, moveLead, moveTicked, noteLead, releaseLead, undoLead } from './lead/acts.ts'
import { erase, showErase } from './lead/erase.ts'
import { sendExport, sendPersonExport, showExport, showPersonExport } from './lead/export.ts'
import { showLead } from './lead/page.ts'
import { sealSearch, showList, showResults } from './list/list.ts'
import { actPath, paths } from './paths.ts'

export type InboxDoors = {
  routes: readonly Route[]
  /** Read by the test that asks every route. */
  table: readonly InboxRoute[]
  /** Compresses style sheet and script. Until then they are sent plain. */
  prepare: () => Promise<void>
}

export function createInboxDoors(parts: InboxParts): InboxDoors {
  const { secret, baseUrl, leads, business } = parts
  const [style, script] = [readAsset(styleFile), readAsset(scriptFile)]
  const inbox: Inbox = {
    ...parts,
    access: new Access(parts),
    cookies: openCookies(secret, baseUrl.startsWith('https:')),
    desk: { store: leads, areas: business.areas },
    searchSeal: openSeal(secret, 'search'),
    stylePath: style.path,
    scriptPath: script.path,
  }
  const table: InboxRoute[] = [
    ...[style, script].map(({ path, answer }) => {
      return { path, method: 'GET', who: 'nobody', door: ({ ask }: Caller) => answer(ask) } as const
    }),
    ...inboxRoutes,
  ]
  const byPath = Map.groupBy(table, ({ path }) => path)
  const routes = [...byPath].map(([path, rows]) => ({
    path,
    doors: Object.fromEntries(rows.map((row) => [row.method, guard(inbox, row)])),
  }))
  const notFound: App = (ask) => showPage({ inbox, ask }, missing)
  return {
    routes: [...routes, { path: `${inboxPath}*`, doors: { GET: notFound, POST: notFound } }],
    table,
    async prepare() {
      await style.prepare()
      await script.prepare()
    },
  }
}

const get = { method: 'GET' } as const
const post = { method: 'POST' } as const
const forNobody = { who: 'nobody' } as const
const forMember = { who: 'member' } as const
const forFresh = { who: 'fresh' } as const
const forScript = true
const link = `${paths.link}*`
const lead = `${paths.lead}*`
const onLead = { ...post, ...forMember, page: lead }
const onPasskeys = { ...post, ...forFresh, page: paths.passkeys }

/** A test asks each of them as each kind of visitor. */
const inboxRoutes: readonly InboxRoute[] = [
  { ...get, path: paths.signIn, ...forNobody, door: showSignIn },
  { ...post, path: paths.signIn, ...forNobody, door: askForCode },
  { ...get, path: paths.signInCode, ...forNobody, door: showCode },
  { ...post, path: paths.signInCode, ...forNobody, door: useCode },
  { ...post, path: paths.signInChallenge, ...forNobody, forScript, door: offerPasskeys },
  { ...post, path: paths.signInPasskey, ...forNobody, forScript, door: usePasskey },
  { ...get, path: link, ...forNobody, door: showLink },
  { ...post, path: link, ...forNobody, door: useLink },
  { ...post, path: paths.signOut, ...forNobody, door: signOut },

  { ...get, path: paths.list, ...forMember, door: showList },
  { ...post, path: paths.moves, ...forMember, page: paths.list, door: moveTicked },
  { ...post, path: paths.search, ...forMember, page: paths.list, door: sealSearch },
  { ...get, path: paths.search, ...forMember, door: showResults },
  { ...get, path: paths.export, ...forFresh, door: showExport },
  { ...post, path: paths.export, ...forFresh, door: sendExport },

  { ...get, path: lead, ...forMember, door: showLead },
  { ...onLead, path: actPath('*', 'move'), door: moveLead },
  { ...onLead, path: actPath('*', 'undo'), door: undoLead },
  { ...onLead, path: actPath('*', 'note'), door: noteLead },
  { ...onLead, path: actPath('*', 'release'), door: releaseLead },
  { ...onLead, path: actPath('*', 'spam'), door: markAsSpam },
  { ...get, path: actPath('*', 'erase'), ...forFresh, door: showErase },
  { ...post, path: actPath('*', 'erase'), ...forFresh, door: erase },
  { ...get, path: actPath('*', 'export'), ...forFresh, door: showPersonExport },
  { ...post, path: actPath('*', 'export'), ...forFresh, door: sendPersonExport },

  { ...get, path: paths.settings, ...forMember, door: showSettings },
  {
    ...post,
    path: paths.signOutOthers,
    ...forMember,
    page: paths.settings,
    door: signOutOthers,
  },
  { ...get, path: paths.passkeys, ...forMember, door: showPasskeys },
  { ...onPasskeys, path: paths.passkeyChallenge, forScript, door: offerToAdd },
  { ...onPasskeys, path: paths.passkeys, forScript, door: addPasskey },
  { ...onPasskeys, path: paths.namePasskey, door: renamePasskey },
  { ...onPasskeys, path: paths.removePasskey, door: removePasskey },
  { ...get, path: paths.members, ...forMember, door: showMembers },
  { ...post, path: paths.members, ...forFresh, door: addMember },
  { ...post, path: paths.endMember, ...forFresh, page: paths.members, door: endMember },
]

type Asset = Resource & { path: string }

type AssetFile = { name: string; type: string; from: readonly string[] }

/** Files in the order of the cascade; sent as one. */
const styleFile: AssetFile = {
  name: 'inbox.css',
  type: 'text/css; charset=utf-8',
  from: ['inbox.css', 'leads.css', 'lead.css', 'keyboard.css'],
}

const scriptFile: AssetFile = {
  name: 'inbox.js',
  type: 'text/javascript; charset=utf-8',
  from: ['inbox.js', 'keyboard.js'],
}

/** A hash in the name lets browsers keep it for good. Nothing of a person is in it. */
function readAsset({ name, type, from }: AssetFile): Asset {
  const body = Buffer.concat(from.map((file) => readFileSync(new URL(file, import.meta.url))))
  const mark = hash('sha256', body, 'base64url').slice(0, 10)
  const kept = ['Cache-Control', 'public, max-age=31536000, immutable', 'Vary', 'Accept-Encoding']
  const resource = createResource({
    body: () => body,
    headers: ['Content-Type', type, ...kept, ...guardedHeaders],
  })
  return { ...resource, path: `${inboxPath}${name.replace('.', `.${mark}.`)}` }
}
