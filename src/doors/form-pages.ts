/** GET /contact/ and GET /thanks/: the pages before and after a form is sent. They differ for each visitor. */
import { randomUUID } from 'node:crypto'
import { routes } from '../contract/routes.ts'
import { Html } from '../html.ts'
import type { Seal } from '../http/cookies.ts'
import type { App } from '../http/message.ts'
import type { LeadIds } from '../lead/ids.ts'
import { leadForm } from '../site/form.ts'
import { fillSlot, linkHeader, type Page } from '../site/page.ts'
import { thanksReference } from '../site/receipt-page.ts'
import type { Site } from '../site/site.ts'
import { readDraftCookie, sentIn } from './lead/cookies.ts'
import { unindexed } from './pages.ts'
import { personalPage } from './personal-page.ts'

const formScript = '/form.js'

type ContactParts = { site: Site; page: Page; draftSeal: Seal; now: () => number }

/** The form with a fresh nonce; after a failed post, with what was typed. */
export function createContactDoor({ site, page, draftSeal, now }: ContactParts): App {
  const { path, title, description, main } = page
  const whole = { path, title, description, main, script: formScript }
  const shown = site.show(whole)
  const headers = ['Link', linkHeader(site.baseUrl, path)]

  return (ask) => {
    const draft = readDraftCookie(draftSeal, ask, now())
    const form = leadForm({ typed: {}, problems: [], ...draft, nonce: randomUUID() })
    const filled = fillSlot(shown, 'form', form)
    const cacheControl = draft === undefined ? 'private, no-cache' : 'no-store'
    const body = draft === undefined ? filled : asProblem(filled)
    return personalPage(ask, { body, policy: site.policy, cacheControl, headers })
  }
}

/** The title is what a screen reader says first. */
function asProblem(page: Html): Html {
  return new Html(page.text.replace('<title>', '<title>Problem: '))
}

/** Shows the browser that just sent a lead its reference and a link to the receipt; any other one, that it has none. */
export function createThanksDoor(site: Site, page: Page, leadIds: LeadIds): App {
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
