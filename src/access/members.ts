/** Checks the name and the email of a member before they are stored. */
import { randomUUID } from 'node:crypto'
import { isEmail } from '../contract/fields.ts'
import { type Member } from '../store/access/store.ts'

const longestName = 80

export type MemberProblem = 'name' | 'email'

/** `problems` names the fields that are wrong. */
export function readMember(
  given: { name: string; email: string },
  at: number,
): { member: Member } | { problems: MemberProblem[] } {
  const name = readName(given.name)
  const email = plainEmail(given.email)
  const problems: MemberProblem[] = []
  if (name === '') problems.push('name')
  if (!isEmail(email)) problems.push('email')
  if (problems.length > 0) return { problems }
  return { member: { id: randomUUID(), name, email, madeAt: at } }
}

/** Makes the name of a member or a passkey one line, without characters that control a terminal or reverse text. Cuts it if too long. */
export function readName(text: string): string {
  const plain = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim()
  return [...plain].slice(0, longestName).join('')
}

/** Returns the address in lower case, because people ignore case in addresses. */
export function plainEmail(text: string): string {
  return text.trim().toLowerCase()
}
