/** The cookie by which the thanks page finds the lead that this browser just sent. */
import { thanksPath } from '../../contract/routes.ts'
import type { Ask } from '../../http/message.ts'

/** Valid for ten minutes: long enough to read the page and come back to it. */
export function receiptCookie(token: string, secure: boolean): string {
  return `receipt=${token}; Max-Age=600; Path=${thanksPath}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
}

export function tokenIn({ headers }: Ask): string | undefined {
  return /(?:^|;\s*)receipt=([0-9a-f-]+)/.exec(headers.cookie ?? '')?.[1]
}
