/**
 * The words of every letter to the owner. `writeLetter` has a letter for each kind of notice: those
 * about one lead are in lead-letter.ts, digests and alarms follow below.
 */
import { inboxHeldPath, inboxPath } from '../../contract/routes.ts'
import { plural } from '../../plural.ts'
import type { Lead } from '../../store/rows.ts'
import { inWords } from '../by-clock/hours.ts'
import { backupRows, lateBackupWords } from './backup-words.ts'
import { gatheredBlocks, leadLetter, openInInbox } from './lead-letter.ts'
import { inOneLine } from './letter.ts'
import type { Letter, LetterBlock, LetterParts } from './letter.ts'
import type { Notice } from '../notice.ts'
import type { GroupCounts } from '../../lead/retention.ts'
import { whyHeld } from '../../lead/judge.ts'

export function writeLetter(notice: Notice, parts: LetterParts): Letter {
  switch (notice.kind) {
    case 'lead.received':
    case 'lead.released':
    case 'lead.waiting':
    case 'lead.withdrawn':
    case 'lead.state_changed':
      return leadLetter(notice.kind, notice.lead, parts)
    case 'leads.held':
      return heldLetter(notice, parts)
    case 'leads.flood':
      return floodLetter(notice, parts)
    case 'leads.gathered':
      return gatheredLetter(notice, parts)
    case 'leads.week':
      return weekLetter(notice, parts)
    case 'delivery.dead':
      return deadLetter(notice, parts)
    case 'canary.check':
      return plain(parts, 'Daily check: all is well', [
        'This is the daily check of the site. It took the same road as a Consultation request, and it arrived. There is nothing to do.',
      ])
    case 'canary.failed':
      return plain(parts, 'Daily check failed', [
        `The daily check did not arrive at: ${notice.channels.join(', ')}.`,
        'Requests may not reach you there. They are kept all the same. Run "lead-intake doctor" to see what is wrong.',
      ])
    case 'disk.low':
      return plain(parts, `The disk is nearly full: ${notice.freeMib} MiB left`, [
        `The disk of ${notice.machine}, where the service keeps your requests, has ${notice.freeMib} MiB left. Requests are still taken. When it is full they are not, so please make room soon.`,
      ])
    case 'backup.late':
      return plain(parts, 'Backups fail', lateBackupWords(notice, parts.business.timeZone))
    case 'service.test':
      return plain(parts, 'Test notification', [
        'If you can read this, word of a Consultation request will reach you here.',
      ])
  }
}

/** For a member who signs in to the inbox, or confirms there that it is him. */
export function signInLetter(code: string, parts: LetterParts): Letter {
  return plain(parts, 'Code for the inbox', [
    'Somebody, most likely you, wants to get into the inbox. Type this code in the browser that asked for it:',
    `${code.slice(0, 4)} ${code.slice(4)}`,
    'It works for ten minutes, in that browser only. If it was not you, leave it: without the code nobody gets in. Give it to nobody.',
  ])
}

type Of<Kind extends Notice['kind']> = Extract<Notice, { kind: Kind }>

function heldLetter(
  { leads, total }: Of<'leads.held' | 'leads.flood'>,
  parts: LetterParts,
): Letter {
  const subject = `Held since the last digest: ${plural(total, 'request')}`
  return {
    subject,
    blocks: [
      { kind: 'heading', text: subject },
      {
        kind: 'paragraph',
        text: 'These look like spam, so you were not told of them one by one. Open what a person wrote and release it; leave the rest.',
      },
      ...leads.map((lead) => heldBlock(lead, parts)),
      ...more(total - leads.length, `${parts.baseUrl}${inboxHeldPath}`),
      signature(parts),
    ],
  }
}

function floodLetter(notice: Of<'leads.held' | 'leads.flood'>, parts: LetterParts): Letter {
  const { total, leads, span } = notice
  const subject = `Flood: ${plural(total, 'request')} held`
  const since = inWords(span.from, parts.business.timeZone)
  return {
    subject,
    blocks: [
      { kind: 'heading', text: subject },
      {
        kind: 'paragraph',
        text: `Since ${since} more requests came from one address than people send. They are kept and held, and this one letter stands for all of them.`,
      },
      ...leads.slice(0, 3).map((lead) => heldBlock(lead, parts)),
      ...more(total - Math.min(3, leads.length), `${parts.baseUrl}${inboxHeldPath}`),
      signature(parts),
    ],
  }
}

function gatheredLetter({ leads, total }: Of<'leads.gathered'>, parts: LetterParts): Letter {
  const subject = `Consultation requests: ${total} in one letter`
  return {
    subject,
    blocks: [
      { kind: 'heading', text: subject },
      {
        kind: 'paragraph',
        text: 'More letters went out in an hour than you allow (LETTERS_PER_HOUR). Until there are fewer, one letter every ten minutes names the requests, newest first. Each is kept like any other.',
      },
      ...leads.flatMap((lead) => gatheredBlocks(lead, parts)),
      ...more(total - leads.length, `${parts.baseUrl}${inboxPath}`),
      signature(parts),
    ],
  }
}

function heldBlock(lead: Lead, { baseUrl, business }: LetterParts): LetterBlock {
  const { name, message } = lead.values
  const why = whyHeld(lead.judgement).join(', ')
  const answer = message === '' ? '' : ` Message: ${inOneLine(message, 120)}`
  return {
    kind: 'links',
    label: `${inOneLine(name, 60)} (${lead.reference}, ${inWords(lead.receivedAt, business.timeZone)}; ${why}).${answer}`,
    links: [openInInbox(lead, baseUrl)],
  }
}

function weekLetter(notice: Of<'leads.week'>, parts: LetterParts): Letter {
  const { span, received, channels, leaving, backup } = notice
  const { held = 0, spam = 0, ...others } = received
  const leads = Object.values(others).reduce((sum, each) => sum + each, 0)
  const unwell = channels.filter(({ dead }) => dead > 0)
  const well = unwell.length === 0 ? 'all channels well' : 'not all channels well'
  const subject = `Your week: ${plural(leads, 'request')}, ${well}`
  const { timeZone } = parts.business
  return {
    subject,
    blocks: [
      { kind: 'heading', text: subject },
      {
        kind: 'facts',
        rows: [
          { label: 'From', value: inWords(span.from, timeZone) },
          { label: 'Until', value: inWords(span.before, timeZone) },
          { label: 'Requests', value: String(leads) },
          { label: 'Still new', value: String(others.new ?? 0) },
          { label: 'Held', value: String(held) },
          { label: 'Spam', value: String(spam) },
          ...(leaving ? [{ label: 'Erased next week', value: leavingInWords(leaving) }] : []),
          ...backupRows(backup, { at: span.before, timeZone }),
          ...unwell.map(({ channel, dead }) => ({
            label: `Channel ${channel}`,
            value: `${dead} not delivered; run "lead-intake deliveries list --dead"`,
          })),
        ],
      },
      signature(parts),
    ],
  }
}

function deadLetter(notice: Of<'delivery.dead'>, parts: LetterParts): Letter {
  const { channel, leads, total } = notice
  const subject = `Not delivered: ${plural(total, 'notice')} through ${channel}`
  return {
    subject,
    blocks: [
      { kind: 'heading', text: subject },
      {
        kind: 'paragraph',
        text: `The channel ${channel} was tried until there was no point in trying again. The requests themselves are kept. When the channel works again, run "lead-intake deliveries retry --channel ${channel}".`,
      },
      {
        kind: 'facts',
        rows: leads.map((lead) => ({
          label: lead.reference,
          value: `${inOneLine(lead.values.name, 60)}, ${inWords(lead.receivedAt, parts.business.timeZone)}`,
        })),
      },
      signature(parts),
    ],
  }
}

function plain(parts: LetterParts, subject: string, paragraphs: readonly string[]): Letter {
  return {
    subject,
    blocks: [
      { kind: 'heading', text: subject },
      ...paragraphs.map((text) => ({ kind: 'paragraph' as const, text })),
      signature(parts),
    ],
  }
}

function leavingInWords({ spam, held, closed }: GroupCounts): string {
  return `${spam} spam, ${held} held, ${closed} lost, not suitable or withdrawn`
}

function more(left: number, href: string): LetterBlock[] {
  if (left <= 0) return []
  return [{ kind: 'links', label: `And ${left} more.`, links: [{ label: 'Open the inbox', href }] }]
}

function signature({ baseUrl }: LetterParts): LetterBlock {
  return { kind: 'small', text: `Sent by the site ${baseUrl}` }
}
