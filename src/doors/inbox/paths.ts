/** The paths of the inbox. Redirects lead only to these, never to an address from a request. */
import { inboxLeadPath, inboxPath } from '../../contract/routes.ts'
import { isViewName, type ViewName } from '../../desk/views.ts'

export const paths = {
  list: inboxPath,
  signIn: `${inboxPath}sign-in`,
  signInCode: `${inboxPath}sign-in/code`,
  signInChallenge: `${inboxPath}sign-in/challenge`,
  signInPasskey: `${inboxPath}sign-in/passkey`,
  /** A prefix: the token of a link follows. */
  link: `${inboxPath}link/`,
  signOut: `${inboxPath}sign-out`,
  settings: `${inboxPath}settings`,
  letters: `${inboxPath}settings/letters`,
  signOutOthers: `${inboxPath}settings/sign-out-others`,
  members: `${inboxPath}settings/members`,
  endMember: `${inboxPath}settings/members/end`,
  passkeys: `${inboxPath}settings/passkeys`,
  passkeyChallenge: `${inboxPath}settings/passkeys/challenge`,
  namePasskey: `${inboxPath}settings/passkeys/name`,
  removePasskey: `${inboxPath}settings/passkeys/remove`,
  devices: `${inboxPath}settings/devices`,
  testDevice: `${inboxPath}settings/devices/test`,
  removeDevice: `${inboxPath}settings/devices/remove`,
  /** The manifest and the service worker make the inbox an app with notifications. */
  manifest: `${inboxPath}manifest.webmanifest`,
  worker: `${inboxPath}sw.js`,
  /** A prefix: the id of a lead follows and, for most routes, a `LeadAct`. */
  lead: inboxLeadPath,
  moves: `${inboxPath}moves`,
  search: `${inboxPath}search`,
  export: `${inboxPath}export`,
  figures: `${inboxPath}figures`,
  news: `${inboxPath}news`,
  /** A prefix: the token of a member's calendar follows. */
  calendar: `${inboxPath}calendar/`,
} as const

export type ListPlace = { view: ViewName; past?: string | undefined }

/** Path of a tab, after the mark `past` (`markOf`). `tick` ticks `all` boxes, or says that `none` was ticked. */
export function listPath({ view, past, tick }: ListPlace & { tick?: 'all' | 'none' }): string {
  const query = new URLSearchParams({
    ...(view !== 'today' && { view }),
    ...(past && { past }),
    ...(tick && { tick }),
  })
  return query.size === 0 ? paths.list : `${paths.list}?${query.toString()}`
}

/** Reads tab and page of the list from a query or a form. */
export function readListPlace(given: (name: string) => string): ListPlace {
  const [view, past] = [given('view'), given('past')]
  return {
    view: isViewName(view) ? view : 'today',
    past: /^[^.]*\.\d{1,15}$/.test(past) && isLeadId(past.split('.')[0]!) ? past : undefined,
  }
}

const leadId = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export function isLeadId(text: string): boolean {
  return leadId.test(text)
}

/** `view`: the tab that the lead was opened from. */
export function leadPath(id: string, view: ViewName = 'today'): string {
  return `${paths.lead}${id}${view === 'today' ? '' : `?view=${view}`}`
}

export type LeadAct = 'move' | 'undo' | 'note' | 'plan' | 'take' | 'erase' | 'export'

export function actPath(id: string, act: LeadAct): string {
  return `${paths.lead}${id}/${act}`
}

/** Path of a lead's visit as a calendar file. */
export function visitPath(id: string): string {
  return `${paths.lead}${id}/visit.ics`
}

/** Returns the id of the lead in a path, or '' if the path has none. */
export function leadIdIn(path: string): string {
  const [id = ''] = path.slice(paths.lead.length).split('/')
  return path.startsWith(paths.lead) && isLeadId(id) ? id : ''
}

export function exportPath(view: ViewName): string {
  return `${paths.export}?view=${view}`
}
