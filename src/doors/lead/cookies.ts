/** The cookie by which the thanks page finds the lead that this browser just sent. */
import { thanksPath } from '../../contract/routes.ts'
import { readCookie, setCookie } from '../../http/cookies.ts'
import type { Ask } from '../../http/message.ts'

/** Valid for ten minutes: long enough to read the page and come back to it. */
export function receiptCookie(token: string, secure: boolean): string[] {
  return setCookie('receipt', token, { path: thanksPath, maxAgeS: 600, secure })
}

export function tokenIn({ headers }: Ask): string | undefined {
  return readCookie(headers.cookie, 'receipt')
}
