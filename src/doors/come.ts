/** Answers whether the owner comes to a postcode or town. Keeps nothing. */
import { postcodeField } from '../contract/fields.ts'
import { hasTooManyPairs, readForm } from '../http/body.ts'
import { markdownType, personal, answerOf } from '../http/answers.ts'
import type { Ask } from '../http/message.ts'
import { lazily } from '../lazily.ts'
import { answerCome, comeForm, comeInMarkdown, type ComeAnswer } from '../site/come.ts'
import { fillSlot, linkHeader, slotMark, twinOf, type Page } from '../site/page.ts'
import type { Site } from '../site/site.ts'
import { personalPage } from './form-pages.ts'
import { unindexed, varies, type PageDoors } from './pages.ts'

/** Both doors answer GET, with the box alone, and POST. */
export function createComeDoors(site: Site, page: Page): PageDoors {
  const { path } = page
  const shown = lazily(() => site.show({ ...page, main: page.main() }))
  const headers = { Link: linkHeader(site.baseUrl, path), ...unindexed }
  const answerTo = (ask: Ask): ComeAnswer | undefined => {
    return ask.method === 'POST' ? answerCome(typedIn(ask), site.business) : undefined
  }

  return {
    page(ask) {
      const answer = answerTo(ask)
      const body = fillSlot(shown(), 'come', comeForm(site.business, answer))
      return personalPage(site, ask, {
        status: statusOf(answer),
        body,
        cacheControl: 'no-store',
        headers,
      })
    },
    twin(ask) {
      const answer = answerTo(ask)
      const words = comeInMarkdown(site.business, answer)
      const markdown = page.markdown.replace(slotMark('come'), () => words)
      const body = twinOf({ ...page, markdown }, site, path)
      const policy = { ...varies, ...personal, ...headers }
      return answerOf({ status: statusOf(answer), type: markdownType, body }, policy)
    },
  }
}

function statusOf(answer: ComeAnswer | undefined): 200 | 400 {
  return answer?.isWrong ? 400 : 200
}

function typedIn({ body }: Ask): string {
  if (!Buffer.isBuffer(body) || hasTooManyPairs(body)) return ''
  const [, typed = ''] = readForm(body).find(([name]) => name === postcodeField.name) ?? []
  return typed.trim()
}
