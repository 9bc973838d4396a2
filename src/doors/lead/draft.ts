/** A failed form post, carried back to the form: what was typed and what was wrong with it. */
import { isLongerThan } from '../../contract/check-fields.ts'
import type { Problem } from '../../contract/check-fields.ts'
import { fields } from '../../contract/fields.ts'
import { contactPath } from '../../contract/routes.ts'
import { readCookie, setCookie } from '../../http/cookies.ts'
import type { Seal } from '../../http/cookies.ts'
import type { Ask } from '../../http/message.ts'
import type { LeadBody } from './read-lead.ts'

export type Draft = { typed: Record<string, string>; problems: Problem[] }

const cookieName = 'draft'
const options = { path: contactPath, maxAgeS: 600 }

/** A browser forgets it after ten minutes, and so do we. */
type SealedDraft = Draft & { until: number }

export function draftCookies(
  seal: Seal,
  body: LeadBody,
  problems: Problem[],
  { secure, now }: { secure: boolean; now: number },
): string[] {
  const typed = typedText(body)
  const carry = (draft: Draft) => {
    const sealed: SealedDraft = { ...draft, until: now + options.maxAgeS * 1000 }
    return setCookie(cookieName, seal.close(JSON.stringify(sealed)), { ...options, secure })
  }
  return (
    carry({ typed, problems }) ??
    carry(withoutLongText(typed, problems, 500)) ??
    carry(withoutLongText(typed, problems, 0)) ??
    []
  )
}

/** What an earlier failure left in this browser; `undefined`: nothing, or nothing of ours. */
export function readDraft(seal: Seal, { headers }: Ask, now: number): Draft | undefined {
  const sealed = readCookie(headers.cookie, cookieName)
  const text = sealed === undefined ? undefined : seal.open(sealed)
  if (text === undefined) return undefined
  const { typed, problems, until } = JSON.parse(text) as SealedDraft
  return now < until ? { typed, problems } : undefined
}

/**
 * After a lead is taken, the text of an earlier failure has no business in the browser any more. The
 * endpoint never sees that cookie, so it is always told; without its first piece the rest is nothing.
 */
export const clearDraft: readonly string[] = [
  'Set-Cookie',
  `${cookieName}0=; Max-Age=0; Path=${options.path}; HttpOnly; SameSite=Lax`,
]

/** The listed fields as they were typed. */
export function typedText(body: LeadBody): Record<string, string> {
  return Object.fromEntries(
    fields.flatMap(({ name }) => {
      const value = Object.hasOwn(body, name) ? body[name] : undefined
      return typeof value === 'string' && value !== '' ? [[name, value]] : []
    }),
  )
}

/** More than any browser carries back: the page says so, and the browser's own Back still has it. */
function withoutLongText(
  typed: Record<string, string>,
  problems: Problem[],
  longest: number,
): Draft {
  const kept = Object.entries(typed).filter(([, text]) => !isLongerThan(text, longest))
  const lost = fields.filter(({ name }) => name in typed && !kept.some(([each]) => each === name))
  return {
    typed: Object.fromEntries(kept),
    problems: [
      ...problems,
      ...lost.map(({ name, example }) => ({
        field: name,
        problem: 'was too long to bring back here; the Back button of the browser still has it',
        example,
      })),
    ],
  }
}
