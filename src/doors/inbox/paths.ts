/** The addresses of the inbox, and how a place in a list is written into them. */
import { inboxLeadPath, inboxPath } from '../../contract/routes.ts'
import { isViewName, type ViewName } from '../../desk/views.ts'

export const paths = {
  list: inboxPath,
  signIn: `${inboxPath}sign-in`,
  signInCode: `${inboxPath}sign-in/code`,
  signInChallenge: `${inboxPath}sign-in/challenge`,
  signInPasskey: `${inboxPath}sign-in/passkey`,
  link: `${inboxPath}link/`,
  signOut: `${inboxPath}sign-out`,
  settings: `${inboxPath}settings`,
  emails: `${inboxPath}settings/emails`,
  /** Pages that were open during an upgrade send to this one. */
  earlierEmails: `${inboxPath}settings/letters`,
  calendarFeed: `${inboxPath}settings/calendar`,
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
  manifest: `${inboxPath}manifest.webmanifest`,
  worker: `${inboxPath}sw.js`,
  lead: inboxLeadPath,
  moves: `${inboxPath}moves`,
  search: `${inboxPath}search`,
  export: `${inboxPath}export`,
  figures: `${inboxPath}figures`,
  news: `${inboxPath}news`,
  add: `${inboxPath}add`,
  blocked: `${inboxPath}blocked`,
  calendar: `${inboxPath}calendar/`,
  pictures: `${inboxPath}pictures/`,
} as const

/** The page begins after the lead `past`. `s`: the encrypted words of the search. */
export type ListPlace = {
  view: ViewName
  past?: string | undefined
  s?: string | undefined
}

/** `since`: newer requests are marked. */
type ShownPlace = Partial<ListPlace> & { since?: string }

export function listPath(place: ShownPlace): string {
  return `${place.s ? paths.search : paths.list}${placeQuery(place)}`
}

export function rowId(leadId: string): string {
  return `r-${leadId}`
}

export function placeQuery({ view, s, ...rest }: ShownPlace): string {
  const { past, since } = rest
  const isNamed = view !== 'today' && !s
  const all = { ...(isNamed && { view }), s, past, since }
  const given = Object.entries(all).filter((pair): pair is [string, string] => Boolean(pair[1]))
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`
}

export function readListPlace(given: (name: string) => string): ListPlace {
  const [view, past, s] = [given('view'), given('past'), given('s')]
  const isSearch = /^[\w-]{1,2500}$/.test(s)
  const otherwise = isSearch ? 'all' : 'today'
  return {
    view: isViewName(view) ? view : otherwise,
    past: (isSearch ? isLeadId(past) : isListCursor(past)) ? past : undefined,
    s: isSearch ? s : undefined,
  }
}

/** Whether it is what `cursorOf` returns: the id of a lead, its date, and its part of Today. */
function isListCursor(text: string): boolean {
  const [id = ''] = text.split('.')
  return isLeadId(id) && /^[^.]+\.\d{1,15}(?:\.(?:asked|undated|forgotten))?$/.test(text)
}

const leadId = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export function isLeadId(text: string): boolean {
  return leadId.test(text)
}

export function leadPath(id: string, place: ShownPlace = {}): string {
  return `${paths.lead}${id}${placeQuery(place)}`
}

export type LeadAct =
  | 'move'
  | 'undo'
  | 'note'
  | 'change-note'
  | 'plan'
  | 'take'
  | 'join'
  | 'lost'
  | 'sum'
  | 'details'
  | 'erase'
  | 'export'
  | 'photos'
  | 'remove-photo'

export function actPath(id: string, act: LeadAct): string {
  return `${paths.lead}${id}/${act}`
}

/** The page that shows one photo of a request. */
export function leadPhotoPath(ofLead: string, photoId: string): string {
  return `${paths.lead}${ofLead}/photos/${photoId}`
}

export type PictureSize = 'large' | 'small'

export function picturePath(photoId: string, size: PictureSize): string {
  return `${paths.pictures}${size}/${photoId}`
}

export function visitPath(id: string): string {
  return `${paths.lead}${id}/visit.ics`
}

export function leadIdIn(path: string): string {
  const [id = ''] = path.slice(paths.lead.length).split('/')
  return path.startsWith(paths.lead) && isLeadId(id) ? id : ''
}
