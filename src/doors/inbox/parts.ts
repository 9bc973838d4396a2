/** What the pages of the inbox share. */
import type { Access } from '../../access/access.ts'
import type { Limited } from '../../access/limits.ts'
import { deviceOf } from '../../access/device.ts'
import type { ActStore } from '../../desk/acts.ts'
import type { SearchStore } from '../../desk/search.ts'
import type { WholeLeadParts } from '../../desk/whole-lead.ts'
import { howToType } from '../../how-to-type.ts'
import { html } from '../../html.ts'
import type { Html } from '../../html.ts'
import type { Seal } from '../../http/cookies.ts'
import type { Answer, Ask } from '../../http/message.ts'
import type { Telling } from '../../contract/notices.ts'
import type { Member } from '../../store/access/members.ts'
import type { Store } from '../../store/store.ts'
import { goTo, logged, scriptAnswer } from './answers.ts'
import type { InboxCookies } from './cookies.ts'
import type { FindVisit } from './guard.ts'
import type { ShowPage } from './layout.ts'
import { isLeadId, leadPath, paths } from './paths.ts'

export type InboxParts = {
  access: Access
  cookies: InboxCookies
  findVisit: FindVisit
  showPage: ShowPage
  desk: InboxDesk
  /** Hides what was searched for, in the address of its results. */
  searchSeal: Seal
  /** Whether codes can be mailed. */
  mailsCodes: boolean
  /** IANA name. */
  timeZone: string
  /** Time from one backup to the next. Left out: none are made by the clock. */
  backupEveryMs: number | undefined
  now: () => number
}

/** The owner's work on leads. */
export type InboxDesk = WholeLeadParts & {
  store: InboxStore
  /** Of the country, as in "NSW": for maps. */
  state: string
  /** The channels that are told of a move. */
  tell: Telling
}

export type InboxStore = ActStore &
  WholeLeadParts['store'] &
  SearchStore &
  Pick<
    Store,
    | 'listLeads'
    | 'findLeads'
    | 'leadsInStates'
    | 'countStates'
    | 'eraseLead'
    | 'firstSince'
    | 'findOnce'
    | 'noteExport'
  >

/** The way in: a new session in place of the browser's earlier one. Returns the headers that set it. */
export async function beginSession(
  { access, cookies, findVisit }: InboxParts,
  ask: Ask,
  member: Member,
): Promise<string[]> {
  const earlier = await findVisit(ask)
  const device = deviceOf(ask.headers['user-agent'])
  const session = await access.sessions.begin(member, device, earlier?.session)
  const done = cookies.readWanted(ask) === undefined ? [] : cookies.clearWanted()
  return [...cookies.setSession(session), ...done]
}

/** After signing in: the lead that was asked for before, or else the list. */
export function wantedPath({ cookies }: InboxParts, ask: Ask): string {
  const wanted = cookies.readWanted(ask)
  return wanted !== undefined && isLeadId(wanted) ? leadPath(wanted) : paths.list
}

/** To a page, and the line of the log that says how somebody got in. */
export function welcome(path: string, cookie: string[], way: string, { id }: Member): Answer {
  return logged(goTo(path, cookie), `in by ${way}`, id)
}

export function tooOften({ showPage }: InboxParts, ask: Ask, { waitS }: Limited): Promise<Answer> {
  const minutes = Math.ceil(waitS / 60)
  const title = 'Too many tries'
  const main = html`<h1>${title}</h1>
<p>Wait ${minutes === 1 ? 'a minute' : `${minutes} minutes`}, then try again. A passkey, or the command <code>${howToType('inbox link')}</code>, may work at once.</p>
`
  return showPage(ask, { status: 429, title, main, headers: retryAfter(waitS) })
}

export function tooOftenForScript({ waitS }: Limited): Answer {
  return scriptAnswer(429, { say: 'Too many tries. Wait some minutes.' }, retryAfter(waitS))
}

function retryAfter(waitS: number): string[] {
  return ['Retry-After', String(waitS)]
}

/** A problem at the top of a page; '' for none. */
export function alertOf(problem: string): Html {
  if (problem === '') return html``
  return html`<p class="alert" role="alert">${problem}</p>
`
}

/** The field of a code by mail, as phones fill it in by themselves. */
export const codeField = html`<label for="code">Code</label>
<input class="code" type="text" id="code" name="code" autocomplete="one-time-code" autocapitalize="characters" spellcheck="false" maxlength="20" required>
`
