/** Word of one lead, for the owner: who, where, what, and what to do about it with one thumb. */
import type { Business } from '../../contract/business.ts'
import type { State } from '../../contract/states.ts'
import type { Lead } from '../../store/rows.ts'
import { inWords } from '../by-clock/hours.ts'
import type { Block, Fact, Letter, Link } from './letter.ts'
import type { LeadNoticeKind } from '../notice.ts'
import { tapLabels } from '../one-tap.ts'
import type { TapMove } from '../one-tap.ts'

export type LetterParts = {
  business: Business
  baseUrl: string
  /** A signed address that opens a page with one button. */
  tapLink: (leadId: string, move: TapMove) => string
}

export function leadLetter(kind: LeadNoticeKind, lead: Lead, parts: LetterParts): Letter {
  const { business, baseUrl } = parts
  const { opening, words } = openings[kind]
  const who = inOneLine(lead.values.name, 60) + placeOf(lead, business)
  return {
    subject: `${opening}: ${who}`,
    blocks: [
      { kind: 'heading', text: who },
      { kind: 'paragraph', text: words },
      ...typedBlocks(lead),
      { kind: 'buttons', links: answersTo(lead) },
      { kind: 'facts', rows: factsOf(lead, business) },
      ...tapBlocks(lead, parts),
      { kind: 'small', text: `Sent by the site ${baseUrl}` },
    ],
    replyTo: lead.values.email,
  }
}

const openings: Record<LeadNoticeKind, { opening: string; words: string }> = {
  'lead.received': {
    opening: 'Consultation request',
    words: 'Somebody asks for a Consultation.',
  },
  'lead.released': {
    opening: 'Consultation request, released',
    words: 'This request was held, and you released it.',
  },
  'lead.waiting': {
    opening: 'Still waiting',
    words: 'This request came in over an hour of opening time ago, and nobody has touched it yet.',
  },
  'lead.withdrawn': {
    opening: 'Request withdrawn',
    words: 'The sender took this request back and does not want to be contacted about it.',
  },
  'lead.state_changed': {
    opening: 'Request moved',
    words: 'This request was moved to another state.',
  },
}

/**
 * Without the characters that steer a terminal, a header or the direction of the text, and without
 * the marks of an encoded word (RFC 2047), in which a mail program would find them again.
 */
export function inOneLine(text: string, most: number): string {
  const plain = text
    .replaceAll(/[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replaceAll('=?', '= ?')
    .trim()
  const characters = [...plain]
  return characters.length <= most
    ? plain
    : `${characters
        .slice(0, most - 1)
        .join('')
        .trim()}…`
}

function typedBlocks({ values, unlisted }: Lead): Block[] {
  const more = moreDetails(unlisted)
  return [
    ...(values.message === '' ? [] : [quoted('Message', values.message)]),
    ...(more === '' ? [] : [quoted('More details', more)]),
  ]
}

function quoted(label: string, text: string): Block {
  return { kind: 'quoted', label, text }
}

function tapBlocks({ id, state }: Lead, { tapLink }: LetterParts): Block[] {
  const moves = tapsFrom[state]
  if (moves === undefined) return []
  const links = moves.map((move) => ({ label: tapLabels[move], href: tapLink(id, move) }))
  return [{ kind: 'links', label: 'When you have been in touch, mark it as:', links }]
}

function placeOf({ values }: Lead, business: Business): string {
  const place = areaOf(values.postcode, business) ?? inOneLine(values.postcode, 16)
  return place === '' ? '' : `, ${place}`
}

function areaOf(postcode: string, { areas }: Business): string | undefined {
  return areas.find(({ postcodes }) => postcodes.includes(postcode))?.name
}

function factsOf(lead: Lead, business: Business): Fact[] {
  const { name, phone, email, postcode } = lead.values
  const area = areaOf(postcode, business)
  const rows: Fact[] = [
    { label: 'Name', value: name },
    { label: 'Phone', value: phone, ...linkTo(telephone(phone)) },
    { label: 'Email', value: email, href: replyLink(lead) },
    { label: 'Postcode', value: area === undefined ? postcode : `${postcode}, ${area}` },
    { label: 'Received', value: inWords(lead.receivedAt, business.timeZone) },
    { label: 'Reference', value: lead.reference },
    { label: 'Came by', value: cameBy(lead) },
  ]
  return rows.filter(({ value }) => value !== '')
}

const waysIn: Record<Lead['door'], string> = {
  form: 'the form',
  json: 'an agent or a program',
  mcp: 'an agent',
  cli: 'the command-line tool',
  webmcp: 'an agent in the browser',
  canary: 'the daily check',
}

function cameBy({ door, agent }: Lead): string {
  return agent === '' ? waysIn[door] : `${waysIn[door]} (${inOneLine(agent, 60)})`
}

/** Kept as inert JSON; shown a line each, and not without end. */
function moreDetails(unlisted: string): string {
  if (unlisted === '') return ''
  const lines = Object.entries(JSON.parse(unlisted) as Record<string, unknown>).map(
    ([name, value]) =>
      `${inOneLine(name, 60)}: ${inOneLine(typeof value === 'string' ? value : JSON.stringify(value), 300)}`,
  )
  return lines.slice(0, mostDetails).join('\n')
}

const mostDetails = 20

function answersTo(lead: Lead): Link[] {
  const href = telephone(lead.values.phone)
  const call = href === undefined ? [] : [{ label: 'Call', href }]
  return [...call, { label: 'Reply by mail', href: replyLink(lead) }]
}

/** `undefined`: nothing that a phone could dial. */
function telephone(phone: string): string | undefined {
  const digits = phone.replaceAll(/[^+\d]/g, '')
  return /^\+?\d{6,15}$/.test(digits) ? `tel:${digits}` : undefined
}

function linkTo(href: string | undefined): { href?: string } {
  return href === undefined ? {} : { href }
}

function replyLink({ values, reference }: Lead): string {
  const [local = '', domain = ''] = values.email.split('@')
  const subject = encodeURIComponent(`Your Consultation request ${reference}`)
  return `mailto:${encodeURIComponent(local)}@${domain}?subject=${subject}`
}

/** What the owner may want to do next; the rarer moves he makes elsewhere. */
const tapsFrom: Partial<Record<State, readonly TapMove[]>> = {
  new: ['contacted', 'consultation_booked', 'not_suitable', 'spam'],
  contacted: ['consultation_booked', 'not_suitable'],
  held: ['new', 'spam'],
}
