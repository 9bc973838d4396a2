/** The page for a browser whose lead could not be taken now: it keeps what was typed and can send it again. */
import { errors } from '../../contract/errors.ts'
import { fields, keyName, trapName } from '../../contract/fields.ts'
import { html } from '../../html.ts'
import type { Answer } from '../../http/message.ts'
import { pageAnswer } from '../../http/answer.ts'
import { leadForm } from '../../site/form.ts'
import type { Site } from '../../site/site.ts'
import { typedText } from './draft.ts'
import type { LeadBody } from './read-lead.ts'

type Cause = 'RATE_LIMITED' | 'STORAGE_UNAVAILABLE'

const title = 'Please send it again'

const words: Record<Cause, string> = {
  RATE_LIMITED:
    'Many requests came from your network within a minute, so yours has to wait a moment. Everything you typed is still here.',
  STORAGE_UNAVAILABLE:
    'I could not keep your request just now, so it has not been received yet. Everything you typed is still here.',
}

export type ShowSendAgain = (
  cause: Cause,
  body: LeadBody,
  retryAfterS: number,
  more: string[],
) => Answer | Promise<Answer>

export function createSendAgain(site: Pick<Site, 'show' | 'policy'>): ShowSendAgain {
  return (cause, body, retryAfterS, more) => {
    const form = leadForm(
      { nonce: nonceIn(body), typed: typedText(body), problems: [], carried: carriedAlong(body) },
      { submitLabel: 'Send again' },
    )
    const main = html`<h1>${title}</h1>
<p>${words[cause]} Wait ${retryAfterS} seconds, then press the button. It will not be taken twice.</p>
${form}`
    const page = site.show({ path: undefined, title, description: title, main })
    const retry = ['Retry-After', String(retryAfterS)]
    const { status } = errors[cause]
    return pageAnswer(status, page.text, site.policy, 'no-store', ...retry, ...more)
  }
}

function nonceIn(body: LeadBody): string {
  return Object.hasOwn(body, keyName) ? String(body[keyName]) : ''
}

/** Unlisted fields go along as hidden inputs. The trap does not. */
function carriedAlong(body: LeadBody): [name: string, value: string][] {
  const shown = new Set<string>([...fields.map(({ name }) => name), trapName, keyName])
  return Object.entries(body)
    .filter(([name]) => !shown.has(name))
    .flatMap(([name, value]) =>
      (Array.isArray(value) ? value : [value]).map(
        (each) => [name, String(each)] as [string, string],
      ),
    )
}
