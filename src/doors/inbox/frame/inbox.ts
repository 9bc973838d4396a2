/** Types and readers for every door of the inbox: the inbox, the request, its visitor, the sent fields. */
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

/** The parts that app.ts passes to `createInboxDoors`. */
export type InboxParts = AccessParts & {
  leads: Store
  business: Pick<Business, 'areas' | 'state' | 'timeZone' | 'hours' | 'replies'>
  /** Whether codes can be mailed. */
  mailsCodes: boolean
  /** Mails a new member that he was added. `by`: the name of the member who added him. */
  invite: (by: string, to: string) => Promise<void>
  /** Notifies devices. If left out, devices cannot be added. */
  push?: Push | undefined
  /** The channels that get each notice. */
  tell: Telling
  /** Time from one backup to the next. If left out, the service makes no backups by itself. */
  backupEveryMs?: number | undefined
  limits: Pick<Limits, 'countRequest'>
}

export type Inbox = InboxParts & {
  access: Access
  cookies: InboxCookies
  /** Encrypts the words of a search for the address of its results. */
  searchSeal: Seal
  stylePath: string
  scriptPath: string
}

/** Anybody's request to the inbox. */
export type Caller = { readonly inbox: Inbox; readonly ask: Ask }

/** A member's request. `typed`: the fields that he had typed on the page before he had to sign in again. */
export type Visitor = Caller & Visit & { readonly typed?: SentFields | undefined }

export async function findVisit({ inbox, ask }: Caller): Promise<Visit | undefined> {
  const shown = inbox.cookies.session.read(ask)
  return shown === undefined ? undefined : inbox.access.sessions.find(shown)
}

/** Returns the end of today in the time zone of the business: the limit of the tab Today. */
export function untilOf({ business, now }: Inbox): number {
  return endOfDay(now(), business.timeZone)
}

/** Ignores a write that fails because the database is unavailable: members can still read the inbox. */
export async function unlessReadOnly(noting: Promise<unknown>): Promise<void> {
  await noting.catch((error: unknown) => {
    if (!(error instanceof StorageUnavailable)) throw error
  })
}

/** The guard refuses a body that is too large: its fields would otherwise count as empty. */
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

/** The fields of a sent form, without the NULs that PostgreSQL refuses. A decoded form has no lone surrogates. */
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
