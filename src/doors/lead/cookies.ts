/** The cookie that tells the thanks page which lead this browser just sent: its token and its reference. */
import { thanksPath } from '../../contract/routes.ts'
import { readCookie, setCookie } from '../../http/cookies.ts'
import type { Ask } from '../../http/message.ts'

export type Sent = { token: string; reference: string }

/** Valid for ten minutes: long enough to read the page and come back to it. */
export function receiptCookie({ token, reference }: Sent, secure: boolean): string[] {
  return setCookie('receipt', `${token}.${reference}`, { path: thanksPath, maxAgeS: 600, secure })
}

export function sentIn({ headers }: Ask): Sent | undefined {
  const found = /^([0-9a-f]+)\.(C-[\w-]+)$/.exec(readCookie(headers.cookie, 'receipt') ?? '')
  return found === null ? undefined : { token: found[1]!, reference: found[2]! }
}
