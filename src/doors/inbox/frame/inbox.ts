/** Types and functions that all doors of the inbox use: the parts of the inbox, its requests and visitors, and sent fields. */
import { type Access, type AccessParts } from '../../../access/access.ts'
import { type Visit } from '../../../access/sessions.ts'
import { type Business } from '../../../contract/business.ts'
import { type Telling } from '../../../contract/notices.ts'
import { type Push } from '../../../delivery/push.ts'
import { maxBodyBytes } from '../../../contract/limits.ts'
import { hasTooManyPairs, readForm, type Pair } from '../../../http/body.ts'
import { type Seal } from '../../../http/cookies.ts'
import { type Ask } from '../../../http/message.ts'
import { type Limits } from '../../../lead/limits.ts'
import { endOfDay } from '../../../time.ts'
import { StorageUnavailable } from '../../../store/engine/engine.ts'
import { type Store } from '../../../store/store.ts'
import { type InboxCookies } from './cookies.ts'

export type InboxParts = AccessParts & {
  leads: Store
  business: Pick<Business, 'areas' | 'state' | 'timeZone' | 'hours' | 'replies'>
  /** Whether mail is set up, so that codes can be mailed. */
  mailsCodes: boolean
  /** Mails to the address `to` that this person was added as a member. `by`: the name of the member who added the person. */
  invite: (by: string, to: string) => Promise<void>
  /** Sends notifications to devices. If this is left out, devices cannot be added. */
  push?: Push | undefined
  /** The channels that get each kind of notice. */
  tell: Telling
  /** Time from one backup to the next. If this is left out, the service makes no backups by itself. */
  backupEveryMs?: number | undefined
  limits: Pick<Limits, 'countRequest'>
}

export type Inbox = InboxParts & {
  access: Access
  cookies: InboxCookies
  /** Encrypts the words of a search, because the address of the results contains them. */
  searchSeal: Seal
  stylePath: string
  scriptPath: string
}

/** A request to the inbox, from a member or a stranger. */
export type Caller = { readonly inbox: Inbox; readonly ask: Ask }

/** A member's request. `typed`: the fields that he had typed on the page before he had to sign in again. */
export type Visitor = Caller & Visit & { readonly typed?: SentFields | undefined }

export async function findVisit({ inbox, ask }: Caller): Promise<Visit | undefined> {
  const shown = inbox.cookies.session.read(ask)
  return shown === undefined ? undefined : inbox.access.sessions.find(shown)
}

/** Returns the end of today in the time zone of the business. The tab Today shows requests whose date is before it. */
export function untilOf({ business, now }: Inbox): number {
  return endOfDay(now(), business.timeZone)
}

/** Waits for a write, but ignores that the database is unavailable, because the page can be shown without this write. */
export async function unlessReadOnly(noting: Promise<unknown>): Promise<void> {
  await noting.catch((error: unknown) => {
    if (!(error instanceof StorageUnavailable)) throw error
  })
}

/** Whether the guard refuses the body. The fields of a body that was cut off would otherwise count as empty. */
export function isTooLarge({ body }: Ask): boolean {
  return !Buffer.isBuffer(body) || body.length > maxBodyBytes || hasTooManyPairs(body)
}

/** Returns the value of a field; '' if the field was not sent. */
export type SentFields = (name: string) => string

export function sentFields({ ask }: Caller): SentFields {
  return toFields(sentPairs(ask))
}

export function toFields(pairs: readonly Pair[]): SentFields {
  const fields = new Map(pairs)
  return (name) => fields.get(name) ?? ''
}

/** The fields in the query of the address. */
export function askedFields({ ask }: Caller): SentFields {
  const query = new URLSearchParams(ask.query)
  return (name) => query.get(name) ?? ''
}

/** The fields of a sent form, without NUL characters, which PostgreSQL refuses. */
export function sentPairs({ body }: Ask): Pair[] {
  if (!Buffer.isBuffer(body)) return []
  return readForm(body).map(([name, value]) => [name, value.replaceAll('\0', '')])
}

/** Returns the value that the inbox's script sent, or `undefined` if the body is not JSON. */
export function sentJson({ ask: { body } }: Caller): unknown {
  try {
    return Buffer.isBuffer(body) ? JSON.parse(body.toString('utf8')) : undefined
  } catch {
    return undefined
  }
}
