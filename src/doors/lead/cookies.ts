/** Cookies that carry a failed post back to the form, and the reference to the thanks page. */
import { isLongerThan } from '../../contract/check-fields.ts'
import { fields } from '../../contract/fields.ts'
import { formCookieMs } from '../../contract/limits.ts'
import { contactPath, thanksPath } from '../../contract/routes.ts'
import {
  readCookie,
  readLongCookie,
  setCookie,
  setLongCookie,
  type Seal,
} from '../../http/cookies.ts'
import type { Ask } from '../../http/message.ts'
import { lostText, type FormProblem } from '../../site/form.ts'
import { secondMs } from '../../time.ts'
import type { LeadBody } from './read-lead.ts'

type Draft = { typed: Record<string, string>; problems: FormProblem[] }

const cookieName = 'draft'
const maxAgeS = formCookieMs / secondMs
const options = { path: contactPath, maxAgeS }

/** The draft expires at `until`, even if the browser keeps the cookie. */
type SealedDraft = Draft & { until: number }

export function draftCookies(
  seal: Seal,
  body: LeadBody,
  problems: FormProblem[],
  { secure, now }: { secure: boolean; now: number },
): string[] {
  const typed = typedText(body)
  const carry = (draft: Draft) => {
    const sealed: SealedDraft = { ...draft, until: now + formCookieMs }
    return setLongCookie(cookieName, seal.close(JSON.stringify(sealed)), { ...options, secure })
  }
  return carry({ typed, problems }) ?? carry(withoutLongText(typed, problems)) ?? []
}

export function readDraftCookie(seal: Seal, { headers }: Ask, now: number): Draft | undefined {
  const sealed = readLongCookie(headers.cookie, cookieName)
  const text = sealed === undefined ? undefined : seal.open(sealed)
  if (text === undefined) return undefined
  const { typed, problems, until } = JSON.parse(text) as SealedDraft
  return now < until ? { typed, problems } : undefined
}

/**
 * Removes the first of the draft's cookies, without which the others cannot be read. Sent with every
 * thanks, because browsers send the draft only to the page of the form.
 */
export const clearDraft: string = setCookie(`${cookieName}0`, '', {
  ...options,
  maxAgeS: 0,
  secure: false,
})

export function typedText(body: LeadBody): Record<string, string> {
  return Object.fromEntries(
    fields.flatMap(({ name }) => {
      const value = Object.hasOwn(body, name) ? body[name] : undefined
      return typeof value === 'string' && value !== '' ? [[name, value]] : []
    }),
  )
}

/** Drops long texts, so that the rest may fit into cookies. */
function withoutLongText(typed: Record<string, string>, problems: FormProblem[]): Draft {
  const lost = Object.keys(typed).filter((name) => isLongerThan(typed[name]!, 250))
  return {
    typed: Object.fromEntries(Object.entries(typed).filter(([name]) => !lost.includes(name))),
    problems: [...problems, ...lost.map(lostText)],
  }
}

type GivenReceipt = { token: string; reference: string }

export function receiptCookie({ token, reference }: GivenReceipt, secure: boolean): string {
  return setCookie('receipt', `${token}.${reference}`, { path: thanksPath, maxAgeS, secure })
}

export function sentIn({ headers }: Ask): GivenReceipt | undefined {
  const found = /^([0-9a-f]+)\.(C-[\w-]+)$/.exec(readCookie(headers.cookie, 'receipt') ?? '')
  return found === null ? undefined : { token: found[1]!, reference: found[2]! }
}
