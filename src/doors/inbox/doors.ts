/** The inbox's table of routes, its style sheet and scripts. */
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Access } from '../../access/access.ts'
import { inboxPath } from '../../contract/routes.ts'
import { createSeal } from '../../http/cookies.ts'
import { type App } from '../../http/message.ts'
import { type Route } from '../../http/router.ts'
import { createResource, type Resource } from '../resource.ts'
import { bar, goTo, guarded, missing, showPage } from './frame/answers.ts'
import { openCookies } from './frame/cookies.ts'
import { guard, type InboxRoute } from './frame/guard.ts'
import { type Caller, type Inbox, type InboxParts } from './frame/inbox.ts'
import * as devices from './access/devices.ts'
import * as link from './access/link.ts'
import { endMember, membersForm } from './access/members.ts'
import * as settings from './access/settings.ts'
import * as signIn from './access/sign-in.ts'
import * as acts from './lead/acts.ts'
import { addForm } from './lead/add.ts'
import { moveSeveral } from './lead/several.ts'
import * as calendar from './lead/calendar.ts'
import { correctForm } from './lead/correct.ts'
import { eraseForm } from './lead/erase.ts'
import { exportForm, personExportForm } from './lead/export.ts'
import * as page from './lead/page.ts'
import * as photos from './lead/photos.ts'
import * as blocked from './list/blocked.ts'
import * as figures from './list/figures.ts'
import * as list from './list/list.ts'
import * as search from './list/search.ts'
import { actPath, paths, leadPhotoPath, visitPath } from './paths.ts'

export type InboxDoors = {
  routes: readonly Route[]
  /** A test requests each of these routes as every kind of caller. */
  table: readonly InboxRoute[]
}

export function createInboxDoors(parts: InboxParts): InboxDoors {
  const { secret, baseUrl } = parts
  const files = [style, script, createManifest(parts.businessName), serviceWorker()]
  const inbox: Inbox = {
    ...parts,
    access: new Access({ ...parts, store: parts.store.access }),
    cookies: openCookies(secret, baseUrl.startsWith('https:')),
    searchSeal: createSeal(secret, 'search'),
    stylePath: style.path,
    scriptPath: script.path,
  }
  const table: InboxRoute[] = [
    ...files.map(({ path, resource }) => {
      return {
        path,
        method: 'GET',
        who: 'nobody',
        door: ({ ask }: Caller) => resource(ask),
      } as const
    }),
    ...inboxRoutes,
  ]
  const byPath = Map.groupBy(table, ({ path }) => path)
  const routes = [...byPath].map(([path, rows]) => ({
    path,
    doors: Object.fromEntries(rows.map((row) => [row.method, guard(inbox, row)])),
    ...(rows.some(({ takesFile }) => takesFile) && { takesFile: true as const }),
  }))
  const notFound: App = (ask) => showPage({ inbox, ask }, missing)
  return {
    routes: [...routes, { path: `${inboxPath}*`, doors: { GET: notFound, POST: notFound } }],
    table,
  }
}

const get = { method: 'GET' } as const
const post = { method: 'POST' } as const
const forNobody = { who: 'nobody' } as const
const forMember = { who: 'member' } as const
const forFresh = { who: 'fresh' } as const
const forScript = true
const oneLink = `${paths.link}*`
const oneLead = `${paths.lead}*`
const onLead = { ...post, ...forMember, page: oneLead }
const onDevices = { ...post, ...forMember, page: paths.devices }
const onSettings = { ...post, ...forMember, page: paths.settings }
const onPasskeys = { ...post, ...forFresh, page: paths.passkeys }

const inboxRoutes: readonly InboxRoute[] = [
  { ...get, path: paths.signIn, ...forNobody, door: signIn.showSignIn },
  { ...post, path: paths.signIn, ...forNobody, door: signIn.askForCode },
  { ...get, path: paths.signInCode, ...forNobody, door: signIn.showCode },
  { ...post, path: paths.signInCode, ...forNobody, door: signIn.useCode },
  { ...post, path: paths.signInChallenge, ...forNobody, forScript, door: signIn.offerPasskeys },
  { ...post, path: paths.signInPasskey, ...forNobody, forScript, door: signIn.usePasskey },
  { ...get, path: oneLink, ...forNobody, door: link.showLink },
  { ...post, path: oneLink, ...forNobody, door: link.sendLink },
  { ...post, path: paths.signOut, ...forNobody, door: signIn.signOut },

  { ...get, path: paths.list, ...forMember, door: list.showList },
  { ...post, path: paths.moves, ...forMember, page: paths.list, door: moveSeveral },
  { ...post, path: paths.search, ...forMember, page: paths.list, door: search.sealSearch },
  { ...get, path: paths.search, ...forMember, door: search.showResults },
  { ...get, path: paths.figures, ...forMember, door: figures.showFigures },
  { ...get, path: paths.news, ...forMember, forScript, door: list.countNew },
  { ...get, path: `${paths.calendar}*`, ...forNobody, door: calendar.showFeed },
  { ...get, path: paths.export, ...forFresh, door: exportForm.show },
  { ...post, path: paths.export, ...forFresh, door: exportForm.send },

  { ...get, path: paths.add, ...forMember, door: addForm.show },
  { ...post, path: paths.add, ...forMember, door: addForm.send },
  { ...get, path: paths.blocked, ...forMember, door: blocked.showBlocked },
  { ...post, path: paths.blocked, ...forMember, door: blocked.allowAgain },

  { ...get, path: oneLead, ...forMember, door: page.showLead },
  { ...get, path: actPath('*', 'details'), ...forMember, door: correctForm.show },
  { ...post, path: actPath('*', 'details'), ...forMember, door: correctForm.send },
  { ...get, path: leadPhotoPath('*', '*'), ...forMember, door: photos.showPhoto },
  { ...get, path: `${paths.pictures}*`, ...forMember, door: photos.sendPicture },
  { ...onLead, path: actPath('*', 'photos'), takesFile: true, door: photos.addPhoto },
  { ...onLead, path: actPath('*', 'remove-photo'), door: photos.removePhoto },
  { ...get, path: visitPath('*'), ...forMember, door: calendar.showVisit },
  { ...onLead, path: actPath('*', 'move'), door: acts.moveLead },
  { ...onLead, path: actPath('*', 'undo'), door: acts.undoLead },
  { ...onLead, path: actPath('*', 'note'), door: acts.noteLead },
  { ...onLead, path: actPath('*', 'change-note'), door: acts.changeNoteOfLead },
  { ...onLead, path: actPath('*', 'plan'), door: acts.planLead },
  { ...onLead, path: actPath('*', 'take'), door: acts.takeOver },
  { ...onLead, path: actPath('*', 'lost'), door: acts.sayWhyLost },
  { ...onLead, path: actPath('*', 'sum'), door: acts.sumUpProposal },
  { ...onLead, path: actPath('*', 'join'), door: acts.joinRequest },
  { ...get, path: actPath('*', 'erase'), ...forFresh, door: eraseForm.show },
  { ...post, path: actPath('*', 'erase'), ...forFresh, door: eraseForm.send },
  { ...get, path: actPath('*', 'export'), ...forFresh, door: personExportForm.show },
  { ...post, path: actPath('*', 'export'), ...forFresh, door: personExportForm.send },

  { ...get, path: paths.settings, ...forMember, door: settings.showSettings },
  { ...onSettings, path: paths.signOutOthers, door: settings.signOutOthers },
  { ...onSettings, path: paths.emails, door: settings.setEmails },
  { ...onSettings, path: paths.earlierEmails, door: () => goTo(paths.settings) },
  { ...onSettings, path: paths.calendarFeed, door: settings.changeCalendar },
  { ...get, path: paths.passkeys, ...forMember, door: settings.showPasskeys },
  { ...onPasskeys, path: paths.passkeyChallenge, forScript, door: settings.offerToAdd },
  { ...onPasskeys, path: paths.passkeys, forScript, door: settings.addPasskey },
  { ...onPasskeys, path: paths.namePasskey, door: settings.renamePasskey },
  { ...onPasskeys, path: paths.removePasskey, door: settings.removePasskey },
  { ...get, path: paths.devices, ...forMember, door: devices.showDevices },
  { ...onDevices, path: paths.devices, forScript, door: devices.addDevice },
  { ...onDevices, path: paths.testDevice, door: devices.testDevice },
  { ...onDevices, path: paths.removeDevice, door: devices.removeDevice },
  { ...get, path: paths.members, ...forMember, door: membersForm.show },
  { ...post, path: paths.members, ...forFresh, door: membersForm.send },
  { ...post, path: paths.endMember, ...forFresh, page: paths.members, door: endMember },
]

type Asset = { path: string; resource: Resource }

type AssetFile = { name: string; type: string; from: readonly string[] }

/** The order matters, because later rules override earlier ones. */
const styleFile: AssetFile = {
  name: 'inbox.css',
  type: 'text/css; charset=utf-8',
  from: [
    '../../../public/base.css',
    'inbox.css',
    'leads.css',
    'lead.css',
    'figures.css',
    'keyboard.css',
  ],
}

const scriptFile: AssetFile = {
  name: 'inbox.js',
  type: 'text/javascript; charset=utf-8',
  from: ['inbox.js', 'keyboard.js', 'live.js', 'push.js'],
}

const [style, script] = [readAsset(styleFile), readAsset(scriptFile)]

function readAsset({ name, type, from }: AssetFile): Asset {
  const body = Buffer.concat(from.map((file) => readFileSync(new URL(file, import.meta.url))))
  const mark = hash('sha256', body, 'base64url').slice(0, 10)
  const path = `${inboxPath}${name.replace('.', `.${mark}.`)}`
  return asset({ path, type, body, cacheControl: 'public, max-age=31536000, immutable' })
}

function createManifest(businessName: string): Asset {
  const icon = (size: number) => {
    return { src: `/icon-${size}.png`, sizes: `${size}x${size}`, type: 'image/png' }
  }
  const manifest = {
    id: inboxPath,
    start_url: inboxPath,
    scope: inboxPath,
    display: 'standalone',
    name: businessName,
    short_name: 'Inbox',
    icons: [icon(192), icon(512)],
    theme_color: bar,
    background_color: bar,
  }
  const [type, body] = ['application/manifest+json', JSON.stringify(manifest)]
  return asset({ path: paths.manifest, type, body, cacheControl: 'no-cache' })
}

/** The path has no hash, because browsers look for a newer service worker at the same address. */
function serviceWorker(): Asset {
  const body = readFileSync(new URL('sw.js', import.meta.url), 'utf8')
  const type = 'text/javascript; charset=utf-8'
  return asset({ path: paths.worker, type, body, cacheControl: 'no-cache' })
}

type AssetParts = { path: string; type: string; body: string | Buffer; cacheControl: string }

function asset({ path, type, body, cacheControl }: AssetParts): Asset {
  const kept = { 'Cache-Control': cacheControl, Vary: 'Accept-Encoding' }
  return { path, resource: createResource({ type, body, policy: { ...kept, ...guarded } }) }
}
