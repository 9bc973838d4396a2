/** Writes the email about one lead: a new request, one released or withdrawn, or a wish for another time. */
import { areaOf, type Business } from '../../contract/business.ts'
import { fields, isForCall, isOneLine, type Field, type FieldKey } from '../../contract/fields.ts'
import { inboxLeadPath } from '../../contract/routes.ts'
import { visitOf } from '../../contract/visit.ts'
import { wordsOf } from '../../contract/wording.ts'
import type { Lead } from '../../store/leads/rows.ts'
import { dateInShort, dateInWords, inWords } from '../../time.ts'
import { doorWords, shortWords } from '../../contract/states.ts'
import { callLinks, replyLink, textLink } from '../../lead/contact-links.ts'
import { ordinal, plural, toPlain } from '../../words.ts'
import type { NoticeOf } from '../notice.ts'
import {
  inOneLine,
  signatureOf,
  type Email,
  type EmailBlock,
  type EmailFact,
  type EmailLink,
  type EmailParts,
} from './email.ts'

/** The notices about a request that the owner gets. */
type OwnKind = 'lead.received' | 'lead.released' | 'lead.withdrawn' | 'lead.asked'
type LeadNotice = NoticeOf<OwnKind>

export function writeLeadEmail(notice: LeadNotice, parts: EmailParts): Email {
  const { kind, lead, asking, stays } = notice
  const { business, baseUrl } = parts
  const first: EmailBlock[] = [
    { kind: 'heading', text: whoOf(lead, business) },
    ...firstWords(notice),
    ...visitWords(kind, lead, business),
    ...staysWords(stays),
  ]
  if (asking !== '') first.push({ kind: 'quoted', label: `${nameOf(lead)} writes`, text: asking })
  const signature = signatureOf(baseUrl)
  const subject = subjectOf(kind, lead, business)
  // The id of the first email is the lead's id. Later emails name it to join the thread.
  const thread = kind === 'lead.received' ? {} : { thread: lead.id }
  // A customer who withdrew is not to be contacted, so the email has no contact details.
  if (kind === 'lead.withdrawn') {
    return {
      subject,
      ...thread,
      blocks: [...first, { kind: 'facts', rows: origin(lead, business) }, signature],
    }
  }
  return {
    subject,
    ...thread,
    preview: asking || contactAndWords(lead),
    blocks: [
      ...first,
      // The buttons come before the texts, because the texts may be long.
      { kind: 'buttons', links: [openInInbox(lead, baseUrl), ...answersTo(lead)] },
      ...longTexts(lead),
      { kind: 'facts', rows: [...photosFact(lead, baseUrl), ...factsOf(lead, business)] },
      signature,
    ],
    replyTo: lead.values.email,
  }
}

function subjectOf(kind: OwnKind, lead: Lead, business: Business): string {
  const { subject: opening } = openings[kind]
  const who = whoOf(lead, business)
  if (opening === undefined) return withMessage(who, lead)
  const visit = kind === 'lead.asked' ? visitOf(lead) : undefined
  if (visit === undefined) return `${opening}: ${who}`
  return `${opening}: ${nameOf(lead)}, ${dateInShort(visit.at, business.timeZone)}`
}

/** A phone shows about 30 characters of a subject, a computer about 90. */
const longestSubject = 90

/** Makes a subject such as "Naomi Ellery, Byron Bay: A deck off the kitchen". */
function withMessage(who: string, { values }: Lead): string {
  const message = inOneLine(values.message, longestSubject)
  return message === '' ? who : inOneLine(`${who}: ${message}`, longestSubject)
}

function contactAndWords(lead: Lead): string {
  const { email, message } = lead.values
  const contact = [firstPhone(lead), email].filter(Boolean).join(', ')
  return message === '' ? contact : `${contact}. ${message}`
}

const openings: Record<OwnKind, { subject?: string; words: string }> = {
  'lead.received': { words: '' },
  'lead.released': { words: 'This request was held, and is now released.' },
  'lead.withdrawn': {
    subject: 'Request withdrawn',
    words: 'The customer withdrew this request and does not want to be contacted about it.',
  },
  'lead.asked': {
    subject: 'Another time, please',
    words: 'The customer asks for another time for the visit.',
  },
}

const erasedWords = 'The customer withdrew this request and erased its details.'

/** A first request needs no words: its heading and its message say it all. */
function firstWords({ kind, lead, nth }: LeadNotice): EmailBlock[] {
  const { subject, words } = openings[kind]
  if (lead.state === 'erased') return [{ kind: 'paragraph', text: erasedWords }]
  const isAgain = subject === undefined && nth > 1
  const again = isAgain ? `This is their ${ordinal(nth)} request.` : ''
  const text = [words, again].filter(Boolean).join(' ')
  return text === '' ? [] : [{ kind: 'paragraph', text }]
}

const visitOpenings: Partial<Record<OwnKind, string>> = {
  'lead.withdrawn': 'Your visit is called off',
  'lead.asked': 'Your visit stays until you change it',
}

function visitWords(kind: OwnKind, lead: Lead, { timeZone }: Business): EmailBlock[] {
  const [opening, visit] = [visitOpenings[kind], visitOf(lead)]
  if (opening === undefined || visit === undefined) return []
  const when = dateInWords(visit.at, timeZone, lead.askedAt ?? lead.stateChangedAt)
  const place = visit.place === '' ? '' : `, ${visit.place}`
  return [{ kind: 'paragraph', text: `${opening}: ${when}${place}.` }]
}

/** A customer who withdraws a second request may still want the job. */
function staysWords(stays: Lead | undefined): EmailBlock[] {
  if (stays === undefined) return []
  const { reference, state } = stays
  const text = `It was joined with ${reference} (${shortWords[state]}), which stays.`
  return [{ kind: 'paragraph', text }]
}

function nameOf({ values, reference }: Lead): string {
  return inOneLine(values.name, 60) || reference
}

/** Returns the reference if name and place are blank or invisible. */
export function whoOf({ values, reference }: Lead, { areas }: Business): string {
  const place = areaOf(values.postcode, areas) ?? inOneLine(values.postcode, 40)
  return [inOneLine(values.name, 60), place].filter(Boolean).join(', ') || reference
}

type LeadField = Field & { key: FieldKey }

function longTexts({ values, unlisted }: Lead): EmailBlock[] {
  const texts = fields
    .filter((field) => !isOneLine(field))
    .map(({ key, ownerLabel: label }) => ({ label, text: values[key] }))
  const all = [...texts, { label: 'More details', text: moreDetails(unlisted) }]
  return all
    .filter(({ text }) => text !== '')
    .map(({ label, text }) => ({ kind: 'quoted', label, text }))
}

function moreDetails(unlisted: string): string {
  if (unlisted === '') return ''
  const lines = Object.entries(JSON.parse(unlisted) as Record<string, unknown>).map(
    ([name, value]) =>
      `${inOneLine(name, 60)}: ${inOneLine(typeof value === 'string' ? value : JSON.stringify(value), 300)}`,
  )
  return lines.slice(0, mostDetails).join('\n')
}

const mostDetails = 20

function firstPhone({ values, secondPhone = '' }: Lead): string {
  return values.phone || secondPhone
}

function answersTo(lead: Lead): EmailLink[] {
  const phone = firstPhone(lead)
  const text = textLink(phone)
  return [
    ...callLinks(phone),
    ...(text === '' ? [] : [{ label: 'Text', href: text }]),
    ...emailLinks(lead),
  ]
}

/** `undefined`: the owner added the request with neither a number nor an email address. */
export function firstAnswer(lead: Lead): EmailLink | undefined {
  return callLinks(firstPhone(lead))[0] ?? emailLinks(lead)[0]
}

/** The label is short, so that it fits beside the other buttons on a phone. */
function emailLinks({ values, reference }: Lead): EmailLink[] {
  if (values.email === '') return []
  return [{ label: 'Email', href: replyLink(values.email, reference) }]
}

/** The link only opens the lead. It signs no one in and moves no lead, because a mail scanner may open it. */
export function openInInbox({ id }: Lead, baseUrl: string): EmailLink {
  return { label: 'Open in the inbox', href: `${baseUrl}${inboxLeadPath}${id}`, large: true }
}

/** Photos come after the request, so the first email rarely has them. */
function photosFact({ id, photos }: Lead, baseUrl: string): EmailFact[] {
  if (photos === 0) return []
  const href = `${baseUrl}${inboxLeadPath}${id}#photos`
  return [{ label: 'Photos', value: plural(photos, 'photo'), href }]
}

function factsOf(lead: Lead, business: Business): EmailFact[] {
  const { secondPhone = '', street = '' } = lead
  const rows: EmailFact[] = [
    ...fields.filter(isForCall).map((field) => factOf(field, lead, business)),
    { label: 'Second phone', value: secondPhone, ...callOf(secondPhone) },
    ...otherFields.map((field) => factOf(field, lead, business)),
    { label: 'Street', value: street },
    ...origin(lead, business),
    { label: 'Came by', value: cameBy(lead) },
  ]
  return rows.filter(({ value }) => value !== '')
}

function origin(lead: Lead, { timeZone }: Business): EmailFact[] {
  return [
    { label: 'Received', value: inWords(lead.receivedAt, timeZone) },
    { label: 'Reference', value: lead.reference },
  ]
}

const otherFields = fields.filter((field) => !isForCall(field) && isOneLine(field))

function factOf(field: LeadField, lead: Lead, business: Business): EmailFact {
  const value = lead.values[field.key]
  const fact = { label: wordsOf(business)<string>(field.ownerLabel), value }
  if (field.key === 'email') return { ...fact, href: replyLink(value, lead.reference) }
  if (field.key === 'postcode') return { ...fact, value: townTyped(value, business) }
  return field.key === 'phone' ? { ...fact, ...callOf(value) } : fact
}

function callOf(phone: string): Pick<EmailFact, 'href'> {
  const [call] = callLinks(phone)
  return call === undefined ? {} : { href: call.href }
}

/** "2480, Lismore". A place that was typed by its name is not named twice. */
function townTyped(typed: string, { areas }: Business): string {
  const area = areaOf(typed, areas)
  if (area === undefined || isNamedIn(typed, area)) return typed
  return isNamedIn(area, typed) ? area : `${typed}, ${area}`
}

function isNamedIn(text: string, name: string): boolean {
  return toPlain(text).includes(toPlain(name))
}

function cameBy({ door, agent }: Lead): string {
  const words = doorWords[door]
  return agent === '' ? words : `${words} (${inOneLine(agent, 60)})`
}
