/** Channel: letters to the owner. */
import type { DeliveryChannel } from '../channel.ts'
import { ownerMail } from '../channel-plan.ts'
import { toEnvelope } from './envelope.ts'
import type { LetterParts } from './letter.ts'
import { codeLetter, signInLetter, writeLetter } from './letters.ts'
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
    sendCode({ code, to: member }, at, signal) {
      const id = `code-${at}`
      const letter = member === undefined ? codeLetter(code, parts) : signInLetter(code, parts)
      const addressing = { to: member ?? to, channel: ownerMail, baseUrl, id, at }
      return server.send(toEnvelope(letter, addressing), signal)
    },
    close: () => server.close(),
  }
}
