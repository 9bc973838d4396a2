/** GET /thanks/: shows the browser that just sent a lead its reference and a link to the receipt; any other one, that it has none. */
import { routes } from '../contract/routes.ts'
import type { App } from '../http/message.ts'
import type { LeadIds } from '../lead/ids.ts'
import { fillSlot, type Page } from '../site/page.ts'
import { thanksReference } from '../site/receipt-page.ts'
import type { Site } from '../site/site.ts'
import { personalPage } from './personal-page.ts'
import { unindexed } from './pages.ts'
import { sentIn } from './lead/cookies.ts'

export function createThanksDoor(site: Site, page: Page, leadIds: Pick<LeadIds, 'readToken'>): App {
  const { path } = page
  const show = ({ title, description, main, indexed }: Page) =>
    site.show({ path, title, description, main, indexed })
  const [thanks, unsent] = [show(page), show(site.unsent)]

  return (ask) => {
    const sent = sentIn(ask)
    const isOurs = sent !== undefined && leadIds.readToken(sent.token) !== undefined
    const body = isOurs
      ? fillSlot(
          thanks,
          'reference',
          thanksReference(sent.reference, routes.receipt.path + sent.token),
        )
      : unsent
    return personalPage(ask, {
      body,
      policy: site.policy,
      cacheControl: 'no-store',
      headers: unindexed,
    })
  }
}
