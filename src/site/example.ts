/** Finds the facts that are still those of the example, with which every new site begins. */
import { fileURLToPath } from 'node:url'
import type { Business } from '../contract/business.ts'
import { readBusiness } from './business.ts'
import { dialled } from './ring.ts'

const exampleFile = fileURLToPath(new URL('../../content/business.yaml', import.meta.url))

/** Not told by the start: everybody's first start is with the example. */
export function exampleWarnings({ name, contact, privacy, security }: Business): string[] {
  const example = readBusiness(exampleFile)
  const emails = [contact, privacy, security].map(({ email }) => email)
  const left = [
    ...(name === example.name ? ['name'] : []),
    ...(dialled(contact.phone) === dialled(example.contact.phone) ? ['phone'] : []),
    ...(emails.some((email) => email.endsWith('@example.com')) ? ['email'] : []),
  ]
  if (left.length === 0) return []
  return [
    `business.yaml still has the example's ${left.join(', ')}: write your own before the site is public`,
  ]
}
