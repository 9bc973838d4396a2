/** What the inbox is made of, who calls it, and the fields that a page sent. */
import { type Access, type AccessParts } from '../../../access/access.ts'
import { type SignedIn } from '../../../access/sessions.ts'
import { type Business } from '../../../contract/business.ts'
import { type Push } from '../../../delivery/push.ts'
import { maxBodyBytes } from '../../../contract/limits.ts'
import { type Html } from '../../../html.ts'
import { hasTooManyPairs, readForm, type Pair } from '../../../http/body.ts'
import { type Seal } from '../../../http/cookies.ts'
import { type Ask } from '../../../http/message.ts'
import { type Limits } from '../../../lead/limits.ts'
import { type PhotoTaker } from '../../../lead/photos/taking.ts'
import { type LeadTaker } from '../../../lead/take.ts'
import { endOfDay } from '../../../time.ts'
import { StorageUnavailable } from '../../../store/engine/engine.ts'
import type { Today } from '../../../store/leads/today.ts'
import { type Store } from '../../../store/store.ts'
import { type InboxCookies } from './cookies.ts'

export type InboxParts = Omit<AccessParts, 'store'> & {
  store: Store
  business: Business
  /** The drawing beside the name of the business. */
  logo: Html
  /** Whether mail is set up. */
  mailsCodes: boolean
  invite: (byName: string, toEmail: string) => Promise<void>
  /** If left out, devices cannot be added. */
  push: Push
  taker: Pick<LeadTaker, 'addLead' | 'keysOf'>
  /** If left out, photos cannot be added here. */
  photos?: Pick<PhotoTaker, 'take'> | undefined
  /** If left out, the service makes no backups by itself. */
  backupEveryMs?: number | undefined
  limits: Pick<Limits, 'countRequest'>
}

export type Inbox = InboxParts & {
  access: Access
  cookies: InboxCookies
  searchSeal: Seal
  stylePath: string
  scriptPath: string
}

export type Caller = { readonly inbox: Inbox; readonly ask: Ask }

/** `typed`: what the member had typed into the page before having to sign in again. */
export type SignedInCaller = Caller & SignedIn & { readonly typed?: SentFields | undefined }

export async function findSignedIn({ inbox, ask }: Caller): Promise<SignedIn | undefined> {
  const shown = inbox.cookies.session.read(ask)
  return shown === undefined ? undefined : inbox.access.sessions.find(shown)
}

export function todayIn({ business, now }: Inbox): Today {
  return { now: now(), until: endOfDay(now(), business.timeZone) }
}

/** Whether customers get emails about visits. */
export function mailsVisits({ store }: Inbox): boolean {
  return store.recipients['lead.visit'].length > 0
}

/** Ignores that the database is unavailable, because the page can be shown without this write. */
export async function unlessReadOnly(noting: Promise<unknown>): Promise<void> {
  await noting.catch((error: unknown) => {
    if (!(error instanceof StorageUnavailable)) throw error
  })
}

/** Without this check, the fields of a body that was cut off would count as empty. */
export function isTooLarge({ body }: Ask): boolean {
  return !Buffer.isBuffer(body) || body.length > maxBodyBytes || hasTooManyPairs(body)
}

/** Returns '' if the field was not sent. */
export type SentFields = (name: string) => string

export function sentFields({ ask }: Caller): SentFields {
  return toFields(sentPairs(ask))
}

export function toFields(pairs: readonly Pair[]): SentFields {
  const fields = new Map(pairs)
  return (name) => fields.get(name) ?? ''
}

export function askedFields({ ask }: Caller): SentFields {
  const query = new URLSearchParams(ask.query)
  return (name) => query.get(name) ?? ''
}

/** Removes NUL characters, which PostgreSQL refuses. */
export function sentPairs({ body }: Ask): Pair[] {
  if (!Buffer.isBuffer(body)) return []
  return readForm(body).map(([name, value]) => [name, value.replaceAll('\0', '')])
}

export function sentJson({ ask: { body } }: Caller): unknown {
  try {
    return Buffer.isBuffer(body) ? JSON.parse(body.toString('utf8')) : undefined
  } catch {
    return undefined
  }
}
