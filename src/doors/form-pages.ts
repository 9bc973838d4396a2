/** The pages that differ for each caller: contact, with the form, and thanks, with the reference. */
import { randomUUID } from 'node:crypto'
import { routes } from '../contract/routes.ts'
import { Html } from '../html.ts'
import type { Seal } from '../http/cookies.ts'
import { markdownType, pageAnswer, personal, personalPolicy, answerOf } from '../http/answers.ts'
import type { Answer, App, Ask, Headers } from '../http/message.ts'
import { lazily } from '../lazily.ts'
import type { LeadIds } from '../lead/ids.ts'
import { leadForm } from '../site/form.ts'
import { fillSlot, linkHeader, slotMark, twinOf, type Page } from '../site/page.ts'
import { photosLink, thanksReference, type SentRequest } from '../site/receipt-page.ts'
import type { Site } from '../site/site.ts'
import { readDraftCookie, sentIn } from './lead/cookies.ts'
import { unindexed, varies, type PageDoors } from './pages.ts'
import { compressFor } from './resource.ts'

export const formScript = '/form.js'

type ContactParts = { site: Site; page: Page; draftSeal: Seal; now: () => number }

export function createContactDoor({ site, page, draftSeal, now }: ContactParts): App {
  const shown = lazily(() => site.show({ ...page, main: page.main(), scripts: [formScript] }))
  const headers = { Link: linkHeader(site.baseUrl, page.path) }

  return (ask) => {
    const draft = readDraftCookie(draftSeal, ask, now())
    const form = leadForm({ typed: {}, problems: [], ...draft, nonce: randomUUID() }, site.business)
    const filled = fillSlot(shown(), 'form', form)
    const cacheControl = draft === undefined ? 'private, no-cache' : 'no-store'
    // Screen readers read the title first, so the title announces the problem.
    const title = draft === undefined ? '<title>' : '<title>Problem: '
    const body = new Html(filled.text.replace('<title>', title))
    return personalPage(site, ask, { body, cacheControl, headers })
  }
}

/** Shows the page `unsent` to a browser without a valid receipt cookie. */
type ThanksParts = { site: Site; page: Page; leadIds: LeadIds; canAddPhotos: boolean }

export function createThanksDoors({ site, page, leadIds, canAddPhotos }: ThanksParts): PageDoors {
  const { path } = page
  const show = (shown: Page) =>
    site.show({ ...shown, main: shown.main(), path, scripts: ['/thanks.js'] })
  const thanks = lazily(() => show(page))
  const unsent = lazily(() => show(site.unsent))
  const { email: owner } = site.business.contact
  const sentBy = (ask: Ask): SentRequest | undefined => {
    const sent = sentIn(ask)
    if (sent === undefined || leadIds.readToken(sent.token) === undefined) return undefined
    const url = site.baseUrl + routes.receipt.path + sent.token
    return { reference: sent.reference, url }
  }

  return {
    page(ask) {
      const sent = sentBy(ask)
      const shown = sent && thanksReference(sent, site.business, canAddPhotos)
      const body = shown ? fillSlot(thanks(), 'reference', shown) : unsent()
      return personalPage(site, ask, { body, cacheControl: 'no-store', headers: unindexed })
    },
    twin(ask) {
      const sent = sentBy(ask)
      const shown =
        sent === undefined
          ? site.unsent
          : withReference(page, sent, canAddPhotos ? undefined : owner)
      const link = { Link: linkHeader(site.baseUrl, path) }
      const body = twinOf(shown, site, path)
      const policy = { ...varies, ...personal, ...link, ...unindexed }
      return answerOf({ type: markdownType, body }, policy)
    },
  }
}

/** `owner`: to whom photos are emailed; `undefined`: they are added on the receipt. */
function withReference(page: Page, sent: SentRequest, owner: string | undefined): Page {
  const { reference, url } = sent
  const photos = owner === undefined ? [] : [photosLink(reference, owner)]
  const see = owner === undefined ? 'See your request and add photos' : 'See your request'
  const words = [
    `Your reference: ${reference}`,
    `[${see}](${url})`,
    ...photos.map(({ words: link, href }) => `[${link}](${href})`),
  ].join('\n\n')
  return { ...page, markdown: page.markdown.replace(slotMark('reference'), () => words) }
}

type PersonalPage = {
  status?: number
  body: Html
  /** `no-store` is for pages with personal details. */
  cacheControl: 'no-store' | 'private, no-cache'
  headers: Headers
}

export function personalPage(site: Site, ask: Ask, page: PersonalPage): Promise<Answer> {
  const { status = 200, body, cacheControl, headers } = page
  const policy = { ...personalPolicy(site), 'Cache-Control': cacheControl, ...varies, ...headers }
  return compressFor(ask, pageAnswer(status, body.text, policy))
}
