/** A failed form post, carried back to the form: what was typed and what was wrong with it. */
import { isLongerThan } from '../contract/check-fields.ts'
import type { Problem } from '../contract/check-fields.ts'
import { fields } from '../contract/fields.ts'
import { contactPath } from '../contract/routes.ts'
import { readCookie, setCookie } from '../http/cookies.ts'
import type { Seal } from '../http/cookies.ts'
import type { Ask } from '../http/message.ts'
import type { LeadBody } from './read-lead.ts'

export type Draft = { typed: Record<string, string>; problems: Problem[] }

const cookieName = 'draft'
const options = { path: contactPath, maxAgeS: 600 }

export function draftCookies(
  seal: Seal,
  body: LeadBody,
  problems: Problem[],
  secure: boolean,
): string[] {
  const typed = typedText(body)
  const carry = (draft: Draft) =>
    setCookie(cookieName, seal.close(JSON.stringify(draft)), { ...options, secure })
  return carry({ typed, problems }) ?? carry(withoutLongText(typed, problems)) ?? []
}

/** What an earlier failure left in this browser; `undefined`: nothing, or nothing of ours. */
export function readDraft(seal: Seal, { headers }: Ask): Draft | undefined {
  const sealed = readCookie(headers.cookie, cookieName)
  const text = sealed === undefined ? undefined : seal.open(sealed)
  return text === undefined ? undefined : (JSON.parse(text) as Draft)
}

/** After a lead is taken, the text of an earlier failure has no business in the browser any more. */
export function clearDraft({ headers }: Ask): string[] {
  if (!headers.cookie?.includes(`${cookieName}0=`)) return []
  return setCookie(cookieName, '', { ...options, secure: false }) ?? []
}

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
function withoutLongText(typed: Record<string, string>, problems: Problem[]): Draft {
  const kept = Object.entries(typed).filter(([, text]) => !isLongerThan(text, 500))
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
