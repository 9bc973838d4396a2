/** What the pages of the inbox work with, and who visits them. */
import { type Access } from '../../../access/access.ts'
import { type Visit } from '../../../access/sessions.ts'
import { type Telling } from '../../../contract/notices.ts'
import { type WholeLeadParts } from '../../../desk/whole-lead.ts'
import { type Seal } from '../../../http/cookies.ts'
import { type Ask } from '../../../http/message.ts'
import { type Store } from '../../../store/store.ts'
import { type InboxCookies } from './cookies.ts'
import { type SentFields } from './forms.ts'

export type Inbox = {
  access: Access
  cookies: InboxCookies
  desk: InboxDesk
  /** Hides what was searched for, in the address of its results. */
  searchSeal: Seal
  /** Without a slash at its end. */
  baseUrl: string
  businessName: string
  stylePath: string
  scriptPath: string
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
  store: Store
  /** Of the country, as in "NSW": for maps. */
  state: string
  /** The channels that are told of a move. */
  tell: Telling
}

/** A member on a page. `typed`: what he had typed there before he had to sign in again. */
export type Visitor = Visit & { typed?: SentFields | undefined }

export async function findVisit({ access, cookies }: Inbox, ask: Ask): Promise<Visit | undefined> {
  const shown = cookies.session.read(ask)
  return shown === undefined ? undefined : access.sessions.find(shown)
}
