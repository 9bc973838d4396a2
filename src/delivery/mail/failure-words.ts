/** What a failed try at the mail server means, for the operator: one sentence for each outcome. */
import { outcomeOf } from '../channel.ts'
import type { Sent } from '../channel.ts'

/** Without the user and the password of the address. */
export function mailFailureWords(sent: Sent, url: string): string {
  const { protocol, hostname, port } = new URL(url)
  const isSecure = protocol === 'smtps:'
  const place = `the mail server ${hostname}:${port || (isSecure ? 465 : 587)}`
  switch (outcomeOf(sent)) {
    case 'connection-refused':
      return `${place} cannot be reached: nothing listens there; check host and port of SMTP_URL`
    case 'unknown-host':
      return `${place} cannot be found: the host of SMTP_URL is not a known name`
    case 'connection-lost':
      return `${place} ends the connection; check the port of SMTP_URL`
    case 'timed-out':
      return `${place} does not answer in time; check the port of SMTP_URL (465 needs smtps://), and whether a firewall is in between`
    case 'tls-failed':
      return isSecure
        ? `${place} does not begin with TLS, or its certificate is not accepted; for port 587 or 25 write smtp:// in place of smtps://`
        : `${place} offers no TLS, or its certificate is not accepted; with SMTP_TLS=optional mail goes out without`
    case 'not-let-in':
      return `${place} refuses the user or the password of SMTP_URL (${sent.answer})`
    case 'refused':
      return `${place} refuses the letter (${sent.answer}); check OWNER_EMAIL and MAIL_FROM`
    default:
      return `${place} refuses for now (${sent.answer})`
  }
}
