/** GET /thanks/: shows the reference, and the way to the receipt, to the browser that just sent a lead. */
import { routes, thanksPath } from '../contract/routes.ts'
import { html } from '../http/html.ts'
import type { App, Ask } from '../http/message.ts'
import type { NameLeads } from '../lead/ids.ts'
import type { Page } from '../site/page.ts'
import { thanksReference } from '../site/receipt-page.ts'
import type { Site } from '../site/site.ts'
import { createFiller } from '../site/slots.ts'
import { ownPage } from './own-page.ts'

/** Ten minutes are enough to read the page, and to come back to it. */
export function receiptCookie(token: string, secure: boolean): string {
  return `receipt=${token}; Max-Age=600; Path=${thanksPath}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
}

export function createThanksDoor(site: Site, page: Page, names: Pick<NameLeads, 'readToken'>): App {
  const { path, title, description, main } = page
  const whole = { path, title, description, main }
  const fill = createFiller(() => site.show(whole), 'reference')

  return (ask) => {
    const token = tokenIn(ask)
    const found = token === undefined ? undefined : names.readToken(token)
    const block =
      found === undefined
        ? html``
        : thanksReference(found.reference, `${routes.receipt.path}${token}`)
    return ownPage(ask, { body: fill(block), policy: site.policy, keeping: 'no-store' })
  }
}

function tokenIn({ headers }: Ask): string | undefined {
  return /(?:^|;\s*)receipt=([0-9a-f-]+)/.exec(headers.cookie ?? '')?.[1]
}
