/** Writes the emails of the service, apart from those about one lead and the morning email. */
import { howToType, newestBackupWords, plural } from '../../words.ts'
import type { Business } from '../../contract/business.ts'
import { codeMs } from '../../contract/limits.ts'
import { openStates } from '../../contract/states.ts'
import type { VisitNews } from '../../contract/visit.ts'
import { wordsOf } from '../../contract/wording.ts'
import { dayMs, durationInWords, inWords, dateInWords } from '../../time.ts'
import { mostEmailsPerHour } from '../channel.ts'
import type { Lead } from '../../store/leads/rows.ts'
import type { NoticeOf } from '../notice.ts'
import {
  inOneLine,
  openInbox,
  signed,
  type Email,
  type EmailBlock,
  type EmailParts,
} from './email.ts'

export function writeTestEmail(_: unknown, parts: EmailParts): Email {
  return plain(parts, 'Test notification', ['This is a test. New requests will arrive here.'])
}

export function writeDiskEmail(notice: NoticeOf<'disk.low'>, parts: EmailParts): Email {
  const { freeMib, machine } = notice
  return plain(parts, `The disk is nearly full: ${freeMib} MiB left`, [
    `The disk of ${machine}, where your requests are stored, has ${freeMib} MiB left. Requests still come in. Once it is full they can't, so please make room soon.`,
  ])
}

export function writeCodeEmail(code: string, parts: EmailParts): Email {
  const text = `${code.slice(0, 4)} ${code.slice(4)}`
  const how = `Type it in the browser that asked for it. It works for ${durationInWords(codeMs)}, in that browser only.`
  const blocks: EmailBlock[] = [
    { kind: 'code', text },
    { kind: 'paragraph', text: how },
    {
      kind: 'paragraph',
      text: "If you didn't ask for this code, ignore this email. Don't share the code.",
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
      text: `You can now see and answer ${wordsOf(business)('the Consultation requests')} of ${business.name}. Sign in with this email address: a code comes by email. You also get the emails about requests; you can switch them off in Settings.`,
    },
    { kind: 'buttons', links: [openInbox(baseUrl)] },
  ])
}

export function writeGatheredEmail(
  { total }: NoticeOf<'leads.gathered'>,
  parts: EmailParts,
): Email {
  const blocks: EmailBlock[] = [
    {
      kind: 'paragraph',
      text: `You had more than ${mostEmailsPerHour} requests in an hour. This email counts the rest. Each of them is in the inbox.`,
    },
    { kind: 'buttons', links: [openInbox(parts.baseUrl)] },
  ]
  return signed(parts, `${total} more: open the inbox`, blocks, plural(total, 'more request'))
}

export function writeDeadEmail(notice: NoticeOf<'delivery.dead'>, parts: EmailParts): Email {
  const { channel, leads, total } = notice
  const rows = leads.map((lead) => {
    const received = inWords(lead.receivedAt, parts.business.timeZone)
    return { label: lead.reference, value: `${inOneLine(lead.values.name, 60)}, ${received}` }
  })
  return signed(parts, `Not delivered: ${plural(total, 'notice')} through ${channel}`, [
    {
      kind: 'paragraph',
      text: `Delivery through the channel ${channel} has failed for good. The requests themselves are kept. When the channel works again, run "${howToType('deliveries retry')}".`,
    },
    { kind: 'facts', rows },
  ])
}

export function writeBackupEmail(notice: NoticeOf<'backup.late'>, parts: EmailParts): Email {
  const { timeZone } = parts.business
  const newest = newestBackupWords(
    notice.madeAt === 0 ? undefined : inWords(notice.madeAt, timeZone),
  )
  return plain(parts, 'Backups fail', [
    `The service on ${notice.machine} cannot make backups. ${newest}.`,
    `Requests still come in and are kept. If the disk failed now, those since then would be lost with it. Run "${howToType('backup')}" to see what is wrong.`,
  ])
}

function plain(parts: EmailParts, subject: string, paragraphs: readonly string[]): Email {
  return signed(
    parts,
    subject,
    paragraphs.map((text) => ({ kind: 'paragraph', text })),
  )
}

/** The email repeats nothing that was typed, because the address may be another person's. */
export function writeConfirmation(
  { lead: { reference, door } }: { lead: Pick<Lead, 'reference' | 'door'> },
  business: Business,
  receipt: string,
): Email {
  const { subject, thanks, small } =
    door === 'phone' ? thanksAfterCall(business) : thanksFor(business)
  const more = `Is there something to add, or a photo of the place? Reply to this email, or ring me on ${business.contact.phone}.`
  const email = toCustomer(business, { subject, words: [thanks, more], reference, receipt })
  return { ...email, blocks: [...email.blocks, { kind: 'small', text: small }] }
}

function thanksFor({ asksFor, answers = 'I will be in touch to arrange a time.' }: Business) {
  return {
    subject: 'Thank you, your request is with me',
    thanks: `I am glad you asked me for ${asksFor.one}. ${answers}`,
    small:
      "If you didn't ask for this, withdraw the request there, and I won't contact you about it.",
  }
}

/** They have spoken, or the customer left a message; unless the owner wrote down somebody else's address. */
function thanksAfterCall({ asksFor }: Business) {
  return {
    subject: 'Thank you for your call',
    thanks: `I have written down your request for ${asksFor.one}.`,
    small:
      "If you didn't ring me, I have the wrong address: withdraw the request there, and I won't write again.",
  }
}

export function writeVisitEmail(
  { lead, news }: NoticeOf<'lead.visit'>,
  business: Business,
  receipt: string,
): Email {
  // The date is written without "today", because the email may be read on another day.
  const when = (at: number) => dateInWords(at, business.timeZone, at - 2 * dayMs)
  const { subject, words } =
    news.kind === 'off' ? calledOff(lead, when(news.before.at)) : visitAhead(news, when)
  const reach = `reply to this email, or ring me on ${business.contact.phone}.`
  const isKnown = news.kind === 'off' || news.kind === 'stays'
  const links = [{ label: 'Another time, or your calendar', href: receipt }]
  const more: EmailBlock[] = isKnown
    ? [{ kind: 'paragraph', text: `To reach me, ${reach}` }]
    : [
        { kind: 'paragraph', text: `If the time does not suit you, ask for another, ${reach}` },
        { kind: 'buttons', links },
      ]
  const { reference } = lead
  const said = { subject: wordsOf(business)(subject), words, more, reference, receipt }
  return { ...toCustomer(business, said), thread: lead.id }
}

type VisitWords = { subject: string; words: string[] }

function calledOff({ state }: Lead, when: string): VisitWords {
  // The owner offers no other day to somebody he has turned down.
  const another = openStates.includes(state) ? " I'm happy to find another day." : ''
  return {
    subject: 'Your Consultation is called off',
    words: [`My visit on ${when}, is off.${another}`],
  }
}

type AheadNews = Exclude<VisitNews, { kind: 'off' }>

function visitAhead(news: AheadNews, when: (at: number) => string): VisitWords {
  const { visit } = news
  const place = visit.place === '' ? [] : [`I will come to ${visit.place}.`]
  const forward = 'I look forward to meeting you.'
  const withVerb = (verb: string, ...first: readonly string[]): VisitWords => ({
    subject: `Your Consultation${verb}: ${when(visit.at)}`,
    words: [...first, ...place, forward],
  })
  switch (news.kind) {
    case 'new':
      return withVerb('')
    case 'on again':
      return withVerb(' is on again')
    case 'stays':
      return withVerb(
        ' stays',
        `I have read your request for another time. My visit stays on ${when(visit.at)}.`,
      )
    case 'replaces':
      if (visit.at !== news.before.at)
        return withVerb(' is now', `This replaces ${when(news.before.at)}.`)
      if (visit.place !== '') return withVerb(' has a new place')
      return withVerb(' stays', 'The place that I named before is not right any more.')
  }
}

type CustomerWords = {
  subject: string
  words: readonly string[]
  /** Comes before the signature. */
  more?: readonly EmailBlock[]
  reference: string
  receipt: string
}

function toCustomer(
  { owner, name, contact }: Business,
  { subject, words, more = [], reference, receipt }: CustomerWords,
): Email {
  // A button leads there already.
  const hasButton = more.some(({ kind }) => kind === 'buttons')
  const link = hasButton ? {} : { link: { label: 'See your request', href: receipt } }
  return {
    subject,
    replyTo: contact.email,
    blocks: [
      { kind: 'heading', text: subject },
      ...words.map((text) => ({ kind: 'paragraph', text }) as const),
      ...more,
      { kind: 'paragraph', text: `${owner}, ${name}` },
      { kind: 'small', text: `Your reference is ${reference}.`, ...link },
    ],
  }
}
