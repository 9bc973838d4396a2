/** Reads the name and email of a new member. */
import { randomUUID } from 'node:crypto'
import { isEmail } from '../contract/fields.ts'
import { longestName } from '../contract/limits.ts'
import { type Member } from '../store/access/store.ts'

export type MemberProblem = 'name' | 'email'

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

/** Makes one line without characters that control a terminal or reverse text. */
export function readName(text: string): string {
  const plain = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim()
  return [...plain].slice(0, longestName).join('')
}

export function plainEmail(text: string): string {
  return text.trim().toLowerCase()
}
