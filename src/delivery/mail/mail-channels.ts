/** The channels that send email: to the owner with all members, and to senders. */
import { createHmac } from 'node:crypto'
import type { Business } from '../../contract/business.ts'
import { ownerMail, senderMail } from '../../contract/notices.ts'
import { routes } from '../../contract/routes.ts'
import { dayMs, minuteMs } from '../../time.ts'
import { LeadIds } from '../../lead/ids.ts'
import type { Store } from '../../store/store.ts'
import { notForReader, tookIn, type DeliveryChannel, type Message, type Sent } from '../channel.ts'
import { emailForCustomer, emailForOwner } from '../notices.ts'
import { toEmailHtml, toEmailText, type Email } from './email.ts'
import { writeInvitation, writeCodeEmail } from './emails.ts'
import type { Envelope, MailServer } from './smtp.ts'

type MailParts = {
  server: MailServer
  business: Business
  baseUrl: string
  now: () => number
}

const timeoutMs = 2 * minuteMs

type OwnerParts = MailParts & { to: string; store: Store }

/** `id`: the id of a member, or `owner`. */
type Recipient = { id: string; email: string }

export class OwnerMail implements DeliveryChannel {
  readonly name = ownerMail
  readonly atOnce = 4
  readonly timeoutMs = timeoutMs
  readonly aboveLimit = 'gathered'
  readonly #parts: OwnerParts

  constructor(parts: OwnerParts) {
    this.#parts = parts
  }

  /** A retry goes only to recipients who do not have the email yet. */
  async send({ id, deliveryId = id, notice }: Message, signal: AbortSignal): Promise<Sent> {
    const email = emailForOwner(notice, this.#parts)
    if (email === undefined) return notForReader
    const took = (await this.#parts.store.deliveries.answersTo(deliveryId)).flatMap(tookIn)
    const left = (await this.#recipients()).filter((each) => !took.includes(each.id))
    if (left.length === 0) return { kind: 'delivered', answer: 'everybody has it' }
    const to = left.map((each) => each.email)
    const sent = await this.#send(email, { to, id }, signal)
    if (sent.kind !== 'failed') return sent
    const accepted = left.filter((each) => sent.accepted?.includes(each.email))
    return { ...sent, answer: [sent.answer, ...accepted.map((each) => `${each.id}:250`)].join(' ') }
  }

  sendCode({ code, to }: { code: string; to: string }, signal: AbortSignal): Promise<Sent> {
    const id = `code-${this.#parts.now()}`
    return this.#send(writeCodeEmail(code, this.#parts), { to: [to], id }, signal)
  }

  invite({ by, to }: { by: string; to: string }, signal: AbortSignal): Promise<Sent> {
    const id = `invitation-${this.#parts.now()}`
    return this.#send(writeInvitation(by, this.#parts), { to: [to], id }, signal)
  }

  /** OWNER_EMAIL is added if it belongs to no member, or if no member wants emails. */
  async #recipients(): Promise<Recipient[]> {
    const { to, store } = this.#parts
    const owner = { id: 'owner', email: to }
    const members = await store.access.listMembers()
    const isMember = members.some(({ email }) => email.toLowerCase() === to.toLowerCase())
    const wanted = members.filter(({ mailed }) => mailed === 1)
    const all = isMember ? wanted : [owner, ...wanted]
    return all.length === 0 ? [owner] : all
  }

  #send(email: Email, to: Pick<Addressing, 'to' | 'id'>, signal: AbortSignal): Promise<Sent> {
    const envelope = toEnvelope(email, { ...this.#parts, ...to, channel: ownerMail })
    return this.#parts.server.send(envelope, signal)
  }

  explain(sent: Sent): string {
    return this.#parts.server.explain(sent)
  }

  /** Also closes the server for SenderMail, which shares it. */
  close(): void {
    this.#parts.server.close()
  }
}

/** A mark that begins so says that an address was sent its note of the day. */
export const confirmedPrefix = `${senderMail} `

type SenderParts = MailParts & { store: Store; secret: Buffer }

/** A typed address may be another person's, so it gets at most one note about requests a day. */
export class SenderMail implements DeliveryChannel {
  readonly name = senderMail
  /** Nobody waits for these emails, so one connection is enough. */
  readonly atOnce = 1
  readonly timeoutMs = timeoutMs
  /** Emails above the limit may be dropped, because the sender has the receipt. */
  readonly aboveLimit = 'dropped'
  readonly #parts: SenderParts
  readonly #leadIds: LeadIds

  constructor(parts: SenderParts) {
    this.#parts = parts
    this.#leadIds = new LeadIds(parts.secret)
  }

  async send({ id, notice }: Message, signal: AbortSignal): Promise<Sent> {
    if (!('lead' in notice)) return notForReader
    const { server, business, baseUrl } = this.#parts
    const { kind, lead } = notice
    const receipt = baseUrl + routes.receipt.path + this.#leadIds.tokenOf(lead.id)
    const email = emailForCustomer(notice, business, receipt)
    if (email === undefined) return notForReader
    const to = lead.values.email
    if (to === '') return { kind: 'dropped', answer: 'no email address' }
    if (kind === 'lead.received' && !(await this.#isFirstToday(to, id))) {
      return { kind: 'dropped', answer: 'one a day' }
    }
    return server.send(
      toEnvelope(email, { ...this.#parts, to: [to], id, channel: senderMail }),
      signal,
    )
  }

  /** Also returns true for a retry of today's note, which has the same `id`. */
  async #isFirstToday(address: string, id: string): Promise<boolean> {
    const { store, secret, now } = this.#parts
    const hashed = createHmac('sha256', secret).update(mailboxOf(address)).digest('base64url')
    const noteId = confirmedPrefix + hashed
    const isFirst = await store.marks.claim(noteId, now(), { about: id, before: now() - dayMs })
    return isFirst || (await store.marks.find(noteId))?.about === id
  }
}

/**
 * Most mail servers deliver `a+x@example.com` to `a@example.com`, so both count as one address.
 * Gmail also ignores dots, and has two names for its domain.
 */
function mailboxOf(address: string): string {
  const [, user = '', domain = ''] = /^(.*)@(.*)$/s.exec(address.toLowerCase()) ?? []
  const plain = user.replace(/^([^+]+)\+.*$/s, '$1')
  if (domain !== 'gmail.com' && domain !== 'googlemail.com') return `${plain}@${domain}`
  return `${plain.replaceAll('.', '')}@gmail.com`
}

type Addressing = {
  to: readonly string[]
  channel: string
  business: Business
  baseUrl: string
  id: string
  now: () => number
}

function toEnvelope(email: Email, addressing: Addressing): Envelope {
  const { to, channel, business, baseUrl, id, now } = addressing
  const toMessageId = (name: string) => `<${name}.${channel}@${new URL(baseUrl).hostname}>`
  return {
    to,
    ...(email.replyTo ? { replyTo: email.replyTo } : {}),
    subject: email.subject,
    text: toEmailText(email),
    html: toEmailHtml(email, business),
    // The id is the same in every try, so that a mailbox shows a repeated email only once.
    messageId: toMessageId(id),
    ...(email.thread ? { follows: toMessageId(email.thread) } : {}),
    // The time of this try, because mail programs sort emails by date.
    date: now(),
  }
}
