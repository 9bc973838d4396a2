/** What an answer of the mail server, or a failed connection, means for a letter. */
import type { Failure, Sent } from '../channel.ts'

type MailError = { code?: string; command?: string; responseCode?: number; response?: string }

export function toMailFailure(error: unknown): Sent {
  const { code = '', command = '', responseCode = 0, response } = error as MailError
  const answer = [command, codesOf(response)].filter(Boolean).join(': ')
  if (responseCode >= 500 && isAboutTheLetter(command) && !needsLogin.has(responseCode)) {
    return { kind: 'refused', answer }
  }
  const channelFault = command !== 'DATA' || responseCode === 0 || responseCode === 421
  return { kind: 'failed', outcome: failures[code] ?? toOutcome(error), answer, channelFault }
}

/** An earlier refusal is about the connection: the same letter may pass once that is mended. */
function isAboutTheLetter(command: string): boolean {
  return command === 'MAIL FROM' || command === 'RCPT TO' || command === 'DATA'
}

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
  return /ECONNREFUSED/.test((error as Error).message) ? 'connection-refused' : 'connection-lost'
}

/** The codes of an answer, such as `550 5.1.1`. Its text may repeat an address. */
export function codesOf(response = ''): string {
  return (
    /^(\d{3})[ -]?(\d\.\d{1,3}\.\d{1,3})?/.exec(response)?.slice(1).filter(Boolean).join(' ') ?? ''
  )
}
