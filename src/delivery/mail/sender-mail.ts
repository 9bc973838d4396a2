/**
 * Channel: a note to the sender of a lead, off by default. The address may be another person's, so
 * the note repeats nothing that was typed, and an address gets one a day.
 */
import { createHmac } from 'node:crypto'
import type { Business } from '../../contract/business.ts'
import { senderMail } from '../../contract/notices.ts'
import { routes } from '../../contract/routes.ts'
import { dayMs } from '../../durations.ts'
import type { Store } from '../../store/store.ts'
import { notePrefix } from '../channel-plan.ts'
import type { DeliveryChannel } from '../channel.ts'
import { toEnvelope } from './envelope.ts'
import type { Letter } from './letter.ts'
import type { MailServer } from './smtp.ts'

export type SenderMailParts = {
  server: MailServer
  perHour: number
  store: Pick<Store, 'firstSince' | 'findOnce'>
  business: Business
  baseUrl: string
  tokenOf: (leadId: string) => string
  addressKey: Buffer
  now: () => number
}

export function createSenderMail(parts: SenderMailParts): DeliveryChannel {
  const { server, perHour, store, business, baseUrl, tokenOf, addressKey, now } = parts
  return {
    name: senderMail,
    atOnce: 2,
    timeoutMs: 30_000,
    // Nobody waits for a note: the sender has the receipt.
    letters: { perHour, past: 'dropped' },
    async send({ id, notice }, signal) {
      if (notice.kind !== 'lead.received') return { kind: 'dropped', answer: 'not for the sender' }
      const { lead } = notice
      if (!(await isFirstToday(lead.values.email, id))) {
        return { kind: 'dropped', answer: 'one a day' }
      }
      const receipt = baseUrl + routes.receipt.path + tokenOf(lead.id)
      const letter = senderLetter(business, lead.reference, receipt)
      const to = lead.values.email
      const addressing = { to, channel: senderMail, baseUrl, id, at: now() }
      return server.send(toEnvelope(letter, addressing), signal)
    },
    close() {},
  }

  /** Also true for a further try of the same note. */
  async function isFirstToday(address: string, id: string): Promise<boolean> {
    const hashed = createHmac('sha256', addressKey).update(mailboxOf(address)).digest('base64url')
    const noteId = notePrefix + hashed
    if (await store.firstSince(noteId, now(), { about: id, before: now() - dayMs })) return true
    return (await store.findOnce(noteId))?.about === id
  }
}

/** `a+x@example.com` is `a@example.com`, at most mail servers. */
function mailboxOf(address: string): string {
  return address.toLowerCase().replace(/^([^+]+)\+[^@]*@/, '$1@')
}

function senderLetter(business: Business, reference: string, receipt: string): Letter {
  return {
    subject: `Your Consultation request ${reference}`,
    replyTo: business.contact.email,
    blocks: [
      { kind: 'heading', text: 'Your Consultation request was received' },
      {
        kind: 'paragraph',
        text: `Somebody, most likely you, asked ${business.name} for a Consultation and gave this address. I will be in touch to arrange a time.`,
      },
      { kind: 'facts', rows: [{ label: 'Reference', value: reference }] },
      {
        kind: 'buttons',
        links: [{ label: 'See how it is going, or withdraw it', href: receipt, large: true }],
      },
      {
        kind: 'paragraph',
        text: 'If it was not you, withdraw it there, and I will not contact you about it.',
      },
      { kind: 'small', text: `${business.owner}, ${business.name}, ${business.contact.phone}` },
    ],
  }
}
