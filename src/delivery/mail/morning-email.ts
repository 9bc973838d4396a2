/** Writes the morning email: what there is to do today, and what was held since the last one. */
import { longestStart, plural, startOf } from '../../words.ts'
import { inboxHeldPath } from '../../contract/routes.ts'
import { whyHeld } from '../../lead/judge.ts'
import { whyCounted } from '../../lead/retention.ts'
import type { Lead } from '../../store/leads/rows.ts'
import {
  dateInWords,
  dayInWords,
  daysSince,
  inFullWords,
  inWords,
  localTime,
  sinceWords,
} from '../../time.ts'
import type { NoticeOf, SomeLeads } from '../notice.ts'
import {
  inOneLine,
  openInbox,
  signed,
  type Email,
  type EmailBlock,
  type EmailEntry,
  type EmailParts,
} from './email.ts'
import { firstAnswer, openInInbox, whoOf } from './lead-email.ts'

type MorningNotice = NoticeOf<'leads.today'>

/** `count` is the part of the subject. `latest` follows the words "and 5 more". */
type Section = SomeLeads & {
  latest?: readonly Lead[]
  title: string
  count: string
  noteOf: (lead: Lead) => string
  /** The words of the customer, if not those of the request. */
  wordsOf?: (lead: Lead) => string | undefined
}

export function writeMorningEmail(notice: MorningNotice, parts: EmailParts): Email {
  const { held, messages } = notice
  const sections = sectionsOf(notice, parts).filter(({ total }) => total > 0)
  const counts = sections
    .slice(0, mostCounts)
    .map(({ count }) => count)
    .join(', ')
  const all = [...sections, held].flatMap(({ leads }) => leads)
  const blocks: EmailBlock[] = [
    // The button comes before the lists, because the lists may be long.
    { kind: 'buttons', links: [openInbox(parts.baseUrl)] },
    ...sections.flatMap((section) => sectionBlocks(section, parts, messages)),
    ...listedHeld(held, parts),
    ...leavingWords(notice, parts),
  ]
  const subject = `Today: ${counts || restWords(notice)}`
  const preview = all.map((lead) => whoOf(lead, parts.business)).join('; ')
  return { ...signed(parts, subject, blocks), preview }
}

/** The title counts so many sections. The most urgent section comes first. */
const mostCounts = 4

function sectionsOf({ work }: MorningNotice, { business, now }: EmailParts): Section[] {
  const { asked, visits, visitsWhileClosed, visitsToClose, rings, fresh, undated } = work
  const { timeZone } = business
  const since = ({ receivedAt }: Lead) => sinceWords(receivedAt, timeZone, now())
  const when = ({ date }: Lead) => dateInWords(date!.at, timeZone, now())
  const whenAndWhere = (lead: Lead) =>
    lead.visitPlace ? `${when(lead)}, ${lead.visitPlace}` : when(lead)
  const daysOf = ({ id, stateChangedAt }: Lead) =>
    daysSince(undated.touchedAt.get(id) ?? stateChangedAt, timeZone, now())
  const closedDays = dayNames(visitsWhileClosed.leads, timeZone)
  return [
    {
      ...asked,
      title: 'Another time, please',
      count: `${asked.total} to answer`,
      noteOf: (lead) => `visit ${whenAndWhere(lead)}`,
      wordsOf: ({ id }) => asked.words.get(id),
    },
    {
      ...visits,
      title: 'Visits',
      count: plural(visits.total, 'visit'),
      noteOf: whenAndWhere,
    },
    {
      ...rings,
      title: 'To ring',
      count: `${rings.total} to ring`,
      noteOf: (lead) => (lead.state === 'proposal_sent' ? `follow up ${when(lead)}` : when(lead)),
    },
    {
      ...fresh,
      title: 'New',
      count: `${fresh.total} new`,
      noteOf: (lead) => `waiting since ${since(lead)}`,
    },
    {
      ...visitsWhileClosed,
      title: `Visits on ${closedDays}`,
      count: `${plural(visitsWhileClosed.total, 'visit')} on ${closedDays}`,
      noteOf: whenAndWhere,
    },
    {
      ...undated,
      title: 'Without a date',
      count: `${undated.total} without a date`,
      noteOf: (lead) => `no date for ${plural(daysOf(lead), 'day')}`,
    },
    {
      ...visitsToClose,
      title: 'Visits to close: how did they go?',
      count: `${visitsToClose.total} to close`,
      noteOf: (lead) => `was on ${whenAndWhere(lead)}`,
    },
  ]
}

/** "Saturday and Sunday", in the order of the dates. */
function dayNames(leads: readonly Lead[], timeZone: string): string {
  const names = leads.map(({ date }) => localTime(date!.at, timeZone).day)
  return new Intl.ListFormat('en-GB').format(new Set(names))
}

function sectionBlocks(
  section: Section,
  parts: EmailParts,
  messages: MorningNotice['messages'],
): EmailBlock[] {
  const { title, leads, total, latest = [], noteOf, wordsOf } = section
  const entryOf = (lead: Lead) => ({
    ...toEntry(lead, parts, wordsOf?.(lead)),
    note: withCounts(noteOf(lead), lead, messages.get(lead.id)),
    answer: firstAnswer(lead),
  })
  const left = total - leads.length - latest.length
  const then = latest.length > 0 ? `and ${left} more, then the newest:` : `and ${left} more`
  return [
    { kind: 'subheading', text: title },
    ...leads.map(entryOf),
    ...(left > 0 ? [{ kind: 'paragraph', text: then } as const] : []),
    ...latest.map(entryOf),
  ]
}

/** Photos come after the request, and have no email of their own. Joined messages are on the page. */
function withCounts(note: string, { photos }: Lead, messages = 0): string {
  const counts = [
    messages > 1 && plural(messages, 'message'),
    photos > 0 && plural(photos, 'photo'),
  ]
  return [note, ...counts.filter((words) => words !== false)].join('; ')
}

/** Held requests have no button to answer, because most of them are spam. */
function listedHeld(held: MorningNotice['held'], parts: EmailParts): EmailBlock[] {
  const { leads, total, unlike } = held
  if (total === 0) return []
  const left = total - leads.length
  const href = parts.baseUrl + inboxHeldPath
  const doubtful = leads.filter(({ id }) => unlike.has(id))
  const others = leads.filter(({ id }) => !unlike.has(id))
  return [
    ...heldSection('Held: perhaps not spam', doubtful, parts, elsewhere),
    ...heldSection('Held: these look like spam', others, parts),
    ...(left > 0 ? [{ kind: 'paragraph', text: `and ${left} more` } as const] : []),
    { kind: 'buttons', links: [{ label: 'Open Held', href }] },
  ]
}

/** Anybody can send spam in the name of somebody else, whose own request is held from then on. */
const elsewhere = ', but this came from elsewhere, with other words'

function heldSection(
  title: string,
  leads: readonly Lead[],
  parts: EmailParts,
  more = '',
): EmailBlock[] {
  if (leads.length === 0) return []
  const { timeZone } = parts.business
  const noteOf = ({ receivedAt, judgement }: Lead) =>
    `${inWords(receivedAt, timeZone)}; ${whyHeld(judgement).join(', ')}${more}`
  const entries = leads.map((lead) => ({ ...toEntry(lead, parts), note: noteOf(lead) }))
  return [{ kind: 'subheading', text: title }, ...entries]
}

function toEntry(
  lead: Lead,
  { business, baseUrl }: EmailParts,
  words = lead.values.message,
): Omit<EmailEntry, 'note'> {
  return {
    kind: 'entry',
    title: whoOf(lead, business),
    text: inOneLine(startOf(words), longestStart),
    open: openInInbox(lead, baseUrl),
  }
}

/** Said a week ahead, so that the owner can still look through them. */
function leavingWords({ leaving, erasesFrom }: MorningNotice, parts: EmailParts): EmailBlock[] {
  const counts = Object.entries(leaving)
    .filter(([, count]) => count > 0)
    .map(([group, count]) => `${count} ${group}`)
  if (counts.length === 0) return []
  const { timeZone } = parts.business
  const from =
    erasesFrom === undefined ? 'Within a week' : `From ${dayInWords(erasesFrom, timeZone)} on`
  const text = `${from} these are erased for good, as you have set it: ${counts.join(', ')}.`
  if (erasesFrom === undefined) return [{ kind: 'paragraph', text }]
  const why = `Until then nothing is erased, because ${whyCounted}. The clock says that it is ${inFullWords(parts.now(), timeZone)}; if that is wrong, set the clock.`
  return [{ kind: 'paragraph', text: `${text} ${why}` }]
}

/** For the subject, if there is nothing to do today. */
function restWords({ held, leaving }: MorningNotice): string {
  if (held.total > 0) return `${held.total} held`
  const total = Object.values(leaving).reduce((sum, count) => sum + count, 0)
  return `${plural(total, 'request')} to be erased`
}
