/** Writes the emails of the service, apart from those about one lead. */
import { howToType } from '../../config.ts'
import type { Business } from '../../contract/business.ts'
import { inboxHeldPath, inboxPath } from '../../contract/routes.ts'
import { whyHeld } from '../../lead/judge.ts'
import { plural } from '../../contract/limits.ts'
import { newestBackupWords } from '../../store/backup-state.ts'
import type { Lead } from '../../store/leads/rows.ts'
import { dayMs, daysSince, inWords, dateInWords, sinceWords } from '../../time.ts'
import type { Notice, SomeLeads } from '../notice.ts'
import { firstAnswer, writeLeadEmail, openInInbox, whoOf } from './lead-email.ts'
import { inOneLine, type Email, type EmailBlock, type EmailLink, type EmailParts } from './email.ts'

export function writeOwnerEmail(notice: ForOwner, parts: EmailParts): Email {
  switch (notice.kind) {
    case 'leads.today':
      return writeMorningEmail(notice, parts)
    case 'leads.gathered':
      return writeGatheredEmail(notice, parts)
    case 'delivery.dead':
      return writeDeadEmail(notice, parts)
    case 'disk.low':
      return plain(parts, `The disk is nearly full: ${notice.freeMib} MiB left`, [
        `The disk of ${notice.machine}, where the service keeps your requests, has ${notice.freeMib} MiB left. Requests are still taken. When it is full they are not, so please make room soon.`,
      ])
    case 'backup.late': {
      const newest = newestBackupWords(notice.madeAt, parts.business.timeZone)
      return plain(parts, 'Backups fail', [
        `The service on ${notice.machine} cannot make backups. ${newest}.`,
        `Requests are taken and kept as ever. If the disk were lost now, those since then would be lost with it. Run "${howToType('backup')}" to see what is wrong.`,
      ])
    }
    case 'service.test':
      return plain(parts, 'Test notification', [
        'If you can read this, word of a Consultation request will reach you here.',
      ])
    case 'lead.received':
    case 'lead.released':
    case 'lead.withdrawn':
    case 'lead.state_changed':
      return writeLeadEmail(notice, parts)
  }
}

type ForOwner = Exclude<Notice, { kind: 'lead.visit' }>

export function writeCodeEmail(code: string, parts: EmailParts): Email {
  const text = `${code.slice(0, 4)} ${code.slice(4)}`
  const how =
    'Type it in the browser that asked for it. It works for ten minutes, in that browser only.'
  const blocks: EmailBlock[] = [
    { kind: 'code', text },
    { kind: 'paragraph', text: how },
    {
      kind: 'paragraph',
      text: 'If it was not you who asked, leave it: without the code nobody gets in. Give it to nobody.',
    },
  ]
  const email = signed(parts, `${text} is your code`, blocks, 'Your code for the inbox')
  return { ...email, preview: how }
}

export function writeInvitation(by: string, parts: EmailParts): Email {
  const { business, baseUrl } = parts
  return signed(parts, `${by} has added you to the inbox of ${business.name}`, [
    {
      kind: 'paragraph',
      text: `You can see the Consultation requests of ${business.name} now, and answer them. Sign in with this email address: a code comes by mail. Emails about requests come to you, too; you can switch them off in the settings.`,
    },
    { kind: 'buttons', links: [openInbox(baseUrl)] },
  ])
}

type Of<Kind extends Notice['kind']> = Extract<Notice, { kind: Kind }>

function writeMorningEmail({ work, held, leaving }: Of<'leads.today'>, parts: EmailParts): Email {
  const { visits, rings, fresh, undated } = work
  const { business, baseUrl, now } = parts
  const since = ({ receivedAt }: Lead) =>
    `since ${sinceWords(receivedAt, business.timeZone, now())}`
  const [longest] = fresh.leads
  const counts = [
    ...(visits.total > 0 ? [plural(visits.total, 'visit')] : []),
    ...(rings.total > 0 ? [`${rings.total} to ring`] : []),
    ...(longest ? [`${fresh.total} new, the longest waits ${since(longest)}`] : []),
    ...(undated.total > 0 ? [`${undated.total} without a date`] : []),
  ]
  const dated = (lead: Lead) => {
    const when = dateInWords(lead.nextAt!, business.timeZone, now())
    const place = lead.nextFor === 'visit' && lead.visitPlace ? `, ${lead.visitPlace}` : ''
    return { ...toEntry(lead, parts), note: when + place, answer: firstAnswer(lead) }
  }
  const daysOf = ({ id, stateChangedAt }: Lead) =>
    daysSince(undated.touchedAt.get(id) ?? stateChangedAt, business.timeZone, now())
  const blocks = [
    ...listed(visits, 'Visits', openInbox(baseUrl), dated),
    ...listed(rings, 'To ring', openInbox(baseUrl), dated),
    ...listed(fresh, 'New', openInbox(baseUrl), (lead) => ({
      ...toEntry(lead, parts),
      note: `waits ${since(lead)}`,
      answer: firstAnswer(lead),
    })),
    ...listed(undated, 'Without a date', openInbox(baseUrl), (lead) => ({
      ...toEntry(lead, parts),
      note: `no date for ${plural(daysOf(lead), 'day')}`,
      answer: firstAnswer(lead),
    })),
    ...listed(held, 'Held, since they look like spam', openHeld(baseUrl), (lead) => ({
      ...toEntry(lead, parts),
      note: `${inWords(lead.receivedAt, business.timeZone)}; ${whyHeld(lead.judgement).join(', ')}`,
    })),
    ...leavingWords(leaving),
  ]
  const all = [visits, rings, fresh, undated, held].flatMap(({ leads }) => leads)
  const who = all.map((lead) => whoOf(lead, business))
  const subject = `Today: ${counts.join(', ') || `${held.total} held`}`
  return { ...signed(parts, subject, blocks), preview: who.join('; ') }
}

/** Told a week ahead, so that the owner can still look through them. */
function leavingWords(leaving: Of<'leads.today'>['leaving']): EmailBlock[] {
  const counts = Object.entries(leaving)
    .filter(([, count]) => count > 0)
    .map(([group, count]) => `${count} ${group}`)
  if (counts.length === 0) return []
  const text = `Within a week these are erased for good, as you set it: ${counts.join(', ')}.`
  return [{ kind: 'paragraph', text }]
}

function listed(
  { leads, total }: SomeLeads,
  title: string,
  all: EmailLink,
  entryOf: (lead: Lead) => EmailBlock,
): EmailBlock[] {
  if (total === 0) return []
  const left = total - leads.length
  return [
    { kind: 'subheading', text: title },
    ...leads.map(entryOf),
    ...(left > 0 ? [{ kind: 'paragraph', text: `and ${left} more` } as const] : []),
    { kind: 'buttons', links: [all] },
  ]
}

function toEntry(lead: Lead, { business, baseUrl }: EmailParts) {
  const [firstLine = ''] = lead.values.message.split('\n', 1)
  return {
    kind: 'entry',
    title: whoOf(lead, business),
    text: inOneLine(firstLine, 140),
    open: openInInbox(lead, baseUrl),
  } as const
}

const openInbox = (baseUrl: string): EmailLink => ({
  label: 'Open the inbox',
  href: baseUrl + inboxPath,
  large: true,
})

const openHeld = (baseUrl: string): EmailLink => ({
  label: 'Open Held',
  href: baseUrl + inboxHeldPath,
})

function writeGatheredEmail({ total }: Of<'leads.gathered'>, parts: EmailParts): Email {
  const blocks: EmailBlock[] = [
    {
      kind: 'paragraph',
      text: 'More emails were due in an hour than may go out, so this one stands for the rest. Each request is kept like any other.',
    },
    { kind: 'buttons', links: [openInbox(parts.baseUrl)] },
  ]
  return signed(parts, `${total} more: open the inbox`, blocks, plural(total, 'more request'))
}

function writeDeadEmail(notice: Of<'delivery.dead'>, parts: EmailParts): Email {
  const { channel, leads, total } = notice
  const rows = leads.map((lead) => ({
    label: lead.reference,
    value: `${inOneLine(lead.values.name, 60)}, ${inWords(lead.receivedAt, parts.business.timeZone)}`,
  }))
  return signed(parts, `Not delivered: ${plural(total, 'notice')} through ${channel}`, [
    {
      kind: 'paragraph',
      text: `The channel ${channel} was tried until there was no point in trying again. The requests themselves are kept. When the channel works again, run "${howToType('deliveries retry')}".`,
    },
    { kind: 'facts', rows },
  ])
}

function plain(parts: EmailParts, subject: string, paragraphs: readonly string[]): Email {
  return signed(
    parts,
    subject,
    paragraphs.map((text) => ({ kind: 'paragraph', text })),
  )
}

function signed(
  { baseUrl }: EmailParts,
  subject: string,
  blocks: readonly EmailBlock[],
  heading = subject,
): Email {
  const signature = { kind: 'small', text: `Sent by the site ${baseUrl}` } as const
  return { subject, blocks: [{ kind: 'heading', text: heading }, ...blocks, signature] }
}

/** The email repeats nothing that was typed, because the address may be another person's. */
export function writeConfirmation(business: Business, reference: string, receipt: string): Email {
  const { contact, answers = 'I will be in touch to arrange a time.' } = business
  const thanks = 'Thank you, your request is with me'
  const words = [
    `I am glad you asked me for a Consultation. ${answers}`,
    `Is there something to add, or a photo of the place? Reply to this email, or ring me on ${contact.phone}.`,
  ]
  const email = toSender(business, { subject: thanks, words, reference, receipt })
  const small =
    'If it was not you who asked, withdraw the request there, and I will not contact you about it.'
  return { ...email, blocks: [...email.blocks, { kind: 'small', text: small }] }
}

export function writeVisitEmail(
  { lead, visit, before }: Of<'lead.visit'>,
  business: Business,
  receipt: string,
): Email {
  // The date is written without "today", because the email may be read on another day.
  const when = (at: number) => dateInWords(at, business.timeZone, at - 2 * dayMs)
  const subject = visit
    ? `Your Consultation${before ? ' is now' : ''}: ${when(visit.at)}`
    : 'Your Consultation is called off'
  const words = [
    ...(visit?.place ? [`I will come to ${visit.place}.`] : []),
    visit
      ? 'I look forward to meeting you and hearing what you have in mind.'
      : `I will not come on ${when(before!.at)}. I would gladly find another day.`,
    `To reach me, reply to this email, or ring me on ${business.contact.phone}.`,
  ]
  const email = toSender(business, { subject, words, reference: lead.reference, receipt })
  return { ...email, thread: lead.id }
}

function toSender(
  { owner, name, contact }: Business,
  email: { subject: string; words: readonly string[]; reference: string; receipt: string },
): Email {
  const { subject, words, reference, receipt } = email
  const link = { label: 'See how it is going', href: receipt }
  return {
    subject,
    replyTo: contact.email,
    blocks: [
      { kind: 'heading', text: subject },
      ...[...words, `${owner}, ${name}`].map((text) => ({ kind: 'paragraph', text }) as const),
      { kind: 'small', text: `Your reference is ${reference}.`, link },
    ],
  }
}
