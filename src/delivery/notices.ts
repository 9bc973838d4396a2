/**
 * Every notice in one table: what the owner, the customer, a phone and a program get of it, how it is
 * read when it leaves, and when it is stale. `nobody` in place of a writer: that reader never gets it.
 */
import type { Business } from '../contract/business.ts'
import {
  readerOf,
  type LeadNoticeKind,
  type NoticeKind,
  type Reader,
  type StoredNotice,
  type TestedReader,
  type WebhookEvent,
} from '../contract/notices.ts'
import { stale, type Stale } from '../lead/hearing.ts'
import type { Lead } from '../store/leads/rows.ts'
import { plural } from '../words.ts'
import { dataOfBackup, dataOfDead, dataOfDisk, dataOfLead, dataOfToday } from './event-data.ts'
import type { Email, EmailParts } from './mail/email.ts'
import {
  writeBackupEmail,
  writeConfirmation,
  writeDeadEmail,
  writeDiskEmail,
  writeGatheredEmail,
  writeTestEmail,
  writeVisitEmail,
} from './mail/emails.ts'
import { writeLeadEmail } from './mail/lead-email.ts'
import { writeMorningEmail } from './mail/morning-email.ts'
import {
  readBackup,
  readDead,
  readDiskNotice,
  readGathered,
  readRequest,
  readTodayNotice,
  readVisitNotice,
  type DatedNotice,
  type Found,
  type NoticeOf,
  type Reading,
} from './notice.ts'
import { alarm, anotherTime, moreRequests, newRequest, type PhoneWords } from './phone-words.ts'

type NoticeRow<Kind extends NoticeKind> = Writers<Kind> &
  ReadingOf<Kind> &
  ForProgram<Kind> &
  ForTest<Kind> & { sort: Sort }

/**
 * `request`: strangers cause it, so a channel sends only some in an hour. `visit`: only who has a visit
 * does. `alarm`: a webhook gets it, whatever events it asked for, and one that dies raises no other.
 */
type Sort = 'request' | 'visit' | 'summary' | 'alarm'

type Writers<Kind extends NoticeKind> = {
  owner: ((notice: NoticeOf<Kind>, parts: EmailParts) => Email) | typeof notToAnybody
  customer:
    | ((notice: NoticeOf<Kind>, business: Business, receipt: string) => Email)
    | typeof notToAnybody
  phone: ((notice: NoticeOf<Kind>, business: Business) => PhoneWords) | typeof notToAnybody
  program: WriteData<Kind> | typeof notToAnybody
}

type WriteData<Kind extends NoticeKind> = (notice: NoticeOf<Kind>, baseUrl: string) => object

/** A program gets the events that the API description names, all and no other. */
type ForProgram<Kind extends NoticeKind> = {
  program: Kind extends WebhookEvent ? WriteData<Kind> : typeof notToAnybody
}

/** `test-notification` sends it to everybody whose channel the operator sets. */
type ForTest<Kind extends NoticeKind> = Kind extends 'service.test'
  ? { [Each in TestedReader]: NonNullable<Writers<Kind>[Each]> }
  : unknown

/** A notice may have waited for days. `read` returns `undefined` if nothing is left to say. */
type ReadingOf<Kind extends NoticeKind> = Kind extends LeadNoticeKind
  ? { isStale: Stale; read: (reading: Reading, lead: Lead) => Found<Kind> }
  : Kind extends StoredNotice
    ? { read: (reading: Reading) => Found<Kind> | DatedNotice<Kind> }
    : { read: typeof notToAnybody }

const notToAnybody = undefined

const table: { readonly [Kind in NoticeKind]: NoticeRow<Kind> } = {
  'lead.received': {
    sort: 'request',
    read: readRequest('lead.received'),
    isStale: stale.onceWithdrawn,
    owner: writeLeadEmail,
    customer: writeConfirmation,
    phone: newRequest,
    program: dataOfLead,
  },
  'lead.released': {
    sort: 'request',
    read: readRequest('lead.released'),
    isStale: stale.onceWithdrawn,
    owner: writeLeadEmail,
    customer: notToAnybody,
    phone: newRequest,
    program: dataOfLead,
  },
  // The owner moves leads himself, so he needs no email about it.
  'lead.state_changed': {
    sort: 'request',
    read: readRequest('lead.state_changed'),
    isStale: stale.onceErased,
    owner: notToAnybody,
    customer: notToAnybody,
    phone: notToAnybody,
    program: dataOfLead,
  },
  'lead.withdrawn': {
    sort: 'request',
    read: readRequest('lead.withdrawn'),
    isStale: stale.never,
    owner: writeLeadEmail,
    customer: notToAnybody,
    phone: notToAnybody,
    program: dataOfLead,
  },
  'lead.asked': {
    sort: 'visit',
    read: readRequest('lead.asked'),
    isStale: stale.onceAnswered,
    owner: writeLeadEmail,
    customer: notToAnybody,
    phone: anotherTime,
    program: dataOfLead,
  },
  'lead.visit': {
    sort: 'visit',
    read: readVisitNotice,
    isStale: stale.onceVisitChanged,
    owner: notToAnybody,
    customer: writeVisitEmail,
    phone: notToAnybody,
    program: notToAnybody,
  },
  'leads.today': {
    sort: 'summary',
    read: readTodayNotice,
    owner: writeMorningEmail,
    customer: notToAnybody,
    phone: notToAnybody,
    program: dataOfToday,
  },
  'leads.gathered': {
    sort: 'summary',
    read: readGathered,
    owner: writeGatheredEmail,
    customer: notToAnybody,
    phone: moreRequests,
    program: notToAnybody,
  },
  'delivery.dead': {
    sort: 'alarm',
    read: readDead,
    owner: writeDeadEmail,
    customer: notToAnybody,
    phone: ({ total, channel }) =>
      alarm(`${plural(total, 'notice')} could not be sent through ${channel}.`),
    program: dataOfDead,
  },
  'disk.low': {
    sort: 'alarm',
    read: readDiskNotice,
    owner: writeDiskEmail,
    customer: notToAnybody,
    phone: () => alarm('The disk of the service is nearly full.'),
    program: dataOfDisk,
  },
  'backup.late': {
    sort: 'alarm',
    read: readBackup,
    owner: writeBackupEmail,
    customer: notToAnybody,
    phone: () => alarm('Backups fail, and the newest one is too old.'),
    program: dataOfBackup,
  },
  'service.test': {
    sort: 'alarm',
    read: notToAnybody,
    owner: writeTestEmail,
    customer: notToAnybody,
    phone: notToAnybody,
    program: (_, baseUrl) => ({ site: baseUrl }),
  },
}

export function sortOf(kind: NoticeKind): Sort {
  return table[kind].sort
}

export function hears(reader: Reader, kind: NoticeKind): boolean {
  return table[kind][reader] !== notToAnybody
}

/** Returns `undefined` if nothing is left to say. */
export async function readNotice(reading: Reading): Promise<DatedNotice | undefined> {
  const { store, delivery } = reading
  const row = table[delivery.kind]
  if (!('isStale' in row)) return row.read(reading)
  const lead = await store.leads.find(delivery.leadId)
  const isForPeople = readerOf(delivery.channel) !== 'program'
  if (lead === undefined || row.isStale(lead, delivery.about, isForPeople)) return undefined
  return row.read(reading, lead)
}

export function emailForOwner<Kind extends NoticeKind>(
  notice: NoticeOf<Kind>,
  parts: EmailParts,
): Email | undefined {
  return writersOf(notice.kind).owner?.(notice, parts)
}

export function emailForCustomer<Kind extends NoticeKind>(
  notice: NoticeOf<Kind>,
  business: Business,
  receipt: string,
): Email | undefined {
  return writersOf(notice.kind).customer?.(notice, business, receipt)
}

export function wordsForPhone<Kind extends NoticeKind>(
  notice: NoticeOf<Kind>,
  business: Business,
): PhoneWords | undefined {
  return writersOf(notice.kind).phone?.(notice, business)
}

export function dataFor<Kind extends NoticeKind>(
  notice: NoticeOf<Kind>,
  baseUrl: string,
): object | undefined {
  return writersOf(notice.kind).program?.(notice, baseUrl)
}

function writersOf<Kind extends NoticeKind>(kind: Kind): Writers<Kind> {
  return table[kind]
}
