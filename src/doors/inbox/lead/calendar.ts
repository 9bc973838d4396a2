/** Visits as calendar files: one to download, and the private feed of each member. */
import { timingSafeEqual } from 'node:crypto'
import { writeCalendar, type CalendarVisit } from '../../../desk/calendar.ts'
import { placeOfLead } from '../../../desk/views.ts'
import { placedVisit, readVisits, type PlacedVisit } from '../../../desk/visits.ts'
import { calendarType, fileAnswer } from '../../../http/answers.ts'
import { type Answer } from '../../../http/message.ts'
import { keyedHash } from '../../../store/secret.ts'
import { type Member } from '../../../store/access/store.ts'
import { dayMs } from '../../../time.ts'
import { guarded, missing, showPage } from '../frame/answers.ts'
import { askedFields, type Caller, type Inbox, type SignedInCaller } from '../frame/inbox.ts'
import { leadIdIn, leadPath, paths, visitPath } from '../paths.ts'

export async function showVisit(caller: SignedInCaller): Promise<Answer> {
  const { inbox, ask } = caller
  const id = leadIdIn(ask.path)
  const lead = ask.path === visitPath(id) ? await inbox.store.leads.find(id) : undefined
  const visit = lead && placedVisit(lead)
  if (visit === undefined) return showPage(caller, missing)
  return asFile(inbox, [toEntry(inbox, visit, true)])
}

const keptMs = 31 * dayMs
const mostVisits = 500

/** Names are left out unless the member wants them, because the company that runs the calendar could read them. */
export async function showFeed(caller: Caller): Promise<Answer> {
  const { inbox, ask } = caller
  const member = await findOwner(inbox, ask.path)
  if (member === undefined) return showPage(caller, missing)
  const now = inbox.now()
  const visits = await readVisits(inbox.store, { from: now - keptMs, now, limit: mostVisits })
  // Calendars that subscribed to this address with names go on working.
  const isNamed = member.feedNames === 1 || askedFields(caller)('names') !== ''
  return asFile(
    inbox,
    visits.map((visit) => toEntry(inbox, visit, isNamed)),
  )
}

/** Works until the member renews it, or his membership ends. */
export function feedPath({ secret }: Inbox, { id, feed = 0 }: Member): string {
  return `${paths.calendar}${id}-${keyedHash(secret, 'calendar')(`${id} ${feed}`)}.ics`
}

async function findOwner(inbox: Inbox, path: string): Promise<Member | undefined> {
  const members = await inbox.access.store.listMembers()
  return members.find((member) => {
    const [own, asked] = [Buffer.from(feedPath(inbox, member)), Buffer.from(path)]
    return own.length === asked.length && timingSafeEqual(own, asked)
  })
}

function toEntry(
  { business, baseUrl }: Inbox,
  visit: PlacedVisit,
  isNamed: boolean,
): CalendarVisit {
  const { lead, at, place } = visit
  const { reference, stateChangedAt, version, values } = lead
  return {
    what: 'Visit',
    reference,
    at,
    changedAt: stateChangedAt,
    version,
    place: place || placeOfLead(lead, business.areas),
    name: isNamed ? values.name : '',
    phone: isNamed ? values.phone : '',
    url: baseUrl + leadPath(lead.id),
  }
}

function asFile({ businessName }: Inbox, visits: readonly CalendarVisit[]): Answer {
  const body = writeCalendar(visits, businessName)
  return fileAnswer({ type: calendarType, name: 'visits.ics', body }, guarded)
}
