/** Puts a letter into the envelope that the mail server takes. */
import { letterHtml, letterText } from './letter.ts'
import type { Letter } from './letter.ts'
import type { Envelope } from './smtp.ts'

export type Addressing = {
  /** One address that passed our own strict rule. */
  to: string
  channel: string
  baseUrl: string
  /** Of the message. */
  id: string
  /** When it is sent: mail programs sort by it. */
  at: number
}

export function toEnvelope(letter: Letter, { to, channel, baseUrl, id, at }: Addressing): Envelope {
  const toMessageId = (name: string) => `<${name}.${channel}@${new URL(baseUrl).hostname}>`
  return {
    to,
    ...(letter.replyTo ? { replyTo: letter.replyTo } : {}),
    subject: letter.subject,
    text: letterText(letter),
    html: letterHtml(letter),
    // The same for every try, so that a mailbox shows a repeated letter once.
    messageId: toMessageId(id),
    ...(letter.thread ? { follows: toMessageId(letter.thread) } : {}),
    date: at,
  }
}
