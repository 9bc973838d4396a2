/** The cookie that tells the thanks page which lead this browser just sent: its token and its reference. */
import { thanksPath } from '../../contract/routes.ts'
import type { Ask } from '../../http/message.ts'

export type Sent = { token: string; reference: string }

/** Valid for ten minutes: long enough to read the page and come back to it. */
export function receiptCookie({ token, reference }: Sent, secure: boolean): string {
  return `receipt=${token}.${reference}; Max-Age=600; Path=${thanksPath}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
}

export function sentIn({ headers }: Ask): Sent | undefined {
  const found = /(?:^|;\s*)receipt=([0-9a-f]+)\.(C-[\w-]+)/.exec(headers.cookie ?? '')
  return found === null ? undefined : { token: found[1]!, reference: found[2]! }
}
