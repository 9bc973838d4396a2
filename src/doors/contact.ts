/** GET /contact/: the form with a fresh nonce; after a failed post, with what was typed. */
import { randomUUID } from 'node:crypto'
import type { Seal } from '../http/cookies.ts'
import { Html } from '../html.ts'
import type { App } from '../http/message.ts'
import { leadForm } from '../site/form.ts'
import { fillSlot, linkHeader, type Page } from '../site/page.ts'
import type { Site } from '../site/site.ts'
import { readDraftCookie } from './lead/cookies.ts'
import { personalPage } from './personal-page.ts'

export const formScript = '/form.js'

export type ContactParts = { site: Site; page: Page; draftSeal: Seal; now: () => number }

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
