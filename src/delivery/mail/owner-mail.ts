/** Channel: letters to the owner. */
import type { DeliveryChannel } from '../channel.ts'
import { ownerMail } from '../channel-plan.ts'
import { toEnvelope } from './envelope.ts'
import type { LetterParts } from './letter.ts'
import { signInLetter, writeLetter } from './letters.ts'
import type { MailServer } from './smtp.ts'

export function createOwnerMail(
  parts: LetterParts & { server: MailServer; to: string; perHour: number; now: () => number },
): DeliveryChannel {
  const { server, to, perHour, baseUrl, now } = parts
  return {
    name: ownerMail,
    atOnce: 4,
    timeoutMs: 30_000,
    letters: { perHour, past: 'gathered' },
    send({ id, notice }, signal) {
      const addressing = { to, channel: ownerMail, baseUrl, id, at: now() }
      return server.send(toEnvelope(writeLetter(notice, parts), addressing), signal)
    },
    sendCode({ code, to: member }, signal) {
      const at = now()
      const addressing = { to: member, channel: ownerMail, baseUrl, id: `code-${at}`, at }
      return server.send(toEnvelope(signInLetter(code, parts), addressing), signal)
    },
    close: () => server.close(),
  }
}
