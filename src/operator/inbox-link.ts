/** `lead-intake inbox link`: an address that signs a member in once. The way in that always works. */
import { linkMs, Links } from '../access/links.ts'
import { plainEmail, readMember } from '../access/members.ts'
import { inboxPath } from '../contract/routes.ts'
import { minuteMs } from '../durations.ts'
import { howToType } from '../how-to-type.ts'
import type { AccessStore, Member } from '../store/access/store.ts'
import { withStore } from './open.ts'
import { CommandFailed, print, toJson } from './output.ts'

type Options = { email?: string; name?: string; json?: true }

export async function printLink({ json, ...who }: Options): Promise<void> {
  await withStore(async (store, { BASE_URL: baseUrl = '' }) => {
    const url = await makeLink(store.access, baseUrl, who)
    await print(json ? toJson({ url }) : `${howToUse(url)}\n`)
  })
}

/** While there is no member, the one who uses it becomes the first. */
export async function makeLink(
  store: AccessStore,
  baseUrl: string,
  { email = '', name = '' }: Omit<Options, 'json'> = {},
): Promise<string> {
  const links = new Links(store, Date.now)
  const members = await store.listMembers()
  const isFirst = members.length === 0
  const token = await links.give(
    isFirst ? readFirst({ name, email }) : await meant(store, members, email),
  )
  return `${baseUrl}${inboxPath}link/${token}`
}

export function howToUse(url: string): string {
  return `Open this address and press the button. It works once, for ${linkMs / minuteMs} minutes; give it to nobody.\n\n  ${url}`
}

/** What is left out, the page asks for. */
function readFirst(given: { name: string; email: string }) {
  const filled = { name: given.name || 'Robin', email: given.email || 'robin@example.com' }
  const read = readMember(filled, 0)
  if ('member' in read) return { name: given.name.trim(), email: plainEmail(given.email) }
  throw new CommandFailed('usage', wrongMember(read.problems))
}

export function wrongMember(problems: readonly string[]): string {
  return problems
    .map((field) =>
      field === 'name'
        ? '--name must be a name.'
        : '--email must be an address such as robin@example.com.',
    )
    .join(' ')
}

async function meant(store: AccessStore, members: Member[], email: string): Promise<Member> {
  const [only] = members
  if (email === '' && members.length === 1 && only !== undefined) return only
  if (email === '') {
    const question = `There are ${members.length} members. Name one with --email; "${howToType('inbox members list')}" shows them.`
    throw new CommandFailed('usage', question)
  }
  return findMemberOrFail(store, email)
}

export async function findMemberOrFail(store: AccessStore, email: string): Promise<Member> {
  const found = await store.findMemberByEmail(plainEmail(email))
  if (found !== undefined) return found
  throw new CommandFailed(
    'missing',
    `There is no member with this email. "${howToType('inbox members add')}" makes one.`,
  )
}
