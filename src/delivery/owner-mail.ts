/** Channel: letters to the owner. */
import type { DeliveryChannel } from './channel.ts'
import { ownerMail } from './audience.ts'
import type { LetterParts } from './lead-letter.ts'
import { letterHtml, letterText } from './letter.ts'
import { writeLetter } from './notice-letters.ts'
import type { MailServer } from './smtp.ts'

export function createOwnerMail(
  parts: LetterParts & { server: MailServer; to: string },
): DeliveryChannel {
  const { server, to, baseUrl } = parts
  return {
    name: ownerMail,
    atOnce: 4,
    timeoutMs: 30_000,
    send({ id, at, notice }, signal) {
      const letter = writeLetter(notice, parts)
      const envelope = {
        to,
        ...(letter.replyTo ? { replyTo: letter.replyTo } : {}),
        subject: letter.subject,
        text: letterText(letter),
        html: letterHtml(letter),
        messageId: messageIdOf(id, ownerMail, baseUrl),
        date: at,
      }
      return server.send(envelope, signal)
    },
    close: () => server.close(),
  }
}

/** The same for every try, so that a mailbox shows a letter once that came twice. */
export function messageIdOf(id: string, channel: string, baseUrl: string): string {
  return `<${id}.${channel}@${new URL(baseUrl).hostname}>`
}
