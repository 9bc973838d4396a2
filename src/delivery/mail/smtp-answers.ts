/** What an answer of the mail server, or a failed connection, means for a letter. */
import type { Failure, Sent } from '../channel.ts'

type MailError = { code?: string; command?: string; responseCode?: number; response?: string }

export function toMailFailure(error: unknown): Sent {
  const { code = '', command = '', responseCode = 0, response } = error as MailError
  const codes = codesOf(response)
  const answer = [command, codes].filter(Boolean).join(': ')
  const isQuota = quotaCodes.test(codes)
  const isFinal = responseCode >= 500 && !isQuota && !needsLogin.has(responseCode)
  if (isFinal && isAboutTheLetter(command)) return { kind: 'refused', answer }
  const channelFault = command !== 'DATA' || responseCode === 0 || responseCode === 421 || isQuota
  return { kind: 'failed', outcome: failures[code] ?? toOutcome(error), answer, channelFault }
}

/** An earlier refusal is about the connection: the same letter may pass once that is mended. */
function isAboutTheLetter(command: string): boolean {
  return command === 'MAIL FROM' || command === 'RCPT TO' || command === 'DATA'
}

/**
 * The account has sent too much (5.4.5 at Google, 5.1.90 at Microsoft), or the mailbox is full
 * (RFC 3463, 3.3). That passes, although the code begins with 5.
 */
const quotaCodes = /^5\d\d 5\.(?:4\.5|1\.90|2\.2)$/

/** RFC 4954, 6. */
const needsLogin = new Set([530, 534, 535, 538])

const failures: Record<string, Failure> = {
  ETIMEDOUT: 'timed-out',
  EDNS: 'unknown-host',
  ETLS: 'tls-failed',
  EAUTH: 'not-let-in',
  ENOAUTH: 'not-let-in',
  EENVELOPE: 'answered',
  EMESSAGE: 'answered',
  EPROTOCOL: 'answered',
}

function toOutcome(error: unknown): Failure {
  const { message } = error as Error
  if (/ECONNREFUSED/.test(message)) return 'connection-refused'
  // The first from a server that does not begin with TLS.
  return /wrong version number|certificate/.test(message) ? 'tls-failed' : 'connection-lost'
}

/** The codes of an answer, such as `550 5.1.1`. Its text may repeat an address. */
export function codesOf(response = ''): string {
  return (
    /^(\d{3})[ -]?(\d\.\d{1,3}\.\d{1,3})?/.exec(response)?.slice(1).filter(Boolean).join(' ') ?? ''
  )
}
