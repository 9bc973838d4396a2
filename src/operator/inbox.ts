/** The commands that print a sign-in link for the inbox, and list its members. */
import { Links } from '../access/links.ts'
import { linkMs } from '../contract/limits.ts'
import { plainEmail } from '../access/members.ts'
import { inboxPath } from '../contract/routes.ts'
import { minuteMs } from '../time.ts'
import { type AccessStore, type Member } from '../store/access/store.ts'
import { withStore, withStoreToRead } from './open.ts'
import { toPlainText } from '../log.ts'
import { CommandFailed, toJson, type Shell } from './shell.ts'

type Who = { email?: string; name?: string }

export async function printLink(
  shell: Shell,
  { json, ...who }: Who & { json?: true },
): Promise<void> {
  await withStore(shell, async ({ access }, { BASE_URL: baseUrl }) => {
    const url = await makeLink(access, baseUrl, who)
    await shell.print(json ? toJson({ url }) : `${howToUse(url)}\n`)
  })
}

export async function listMembers(shell: Shell, { json }: { json?: true }): Promise<void> {
  const members = await withStoreToRead(shell, ({ access }) => access.listMembers())
  const rows = members.map(({ name, email, madeAt }) => ({
    name,
    email,
    since: new Date(madeAt).toISOString(),
  }))
  await shell.printRows(rows, { columns: ['name', 'email', 'since'], json, none: 'No members.' })
}

/** While there are no members, whoever uses the address becomes the first member. */
export async function makeLink(store: AccessStore, baseUrl: string, who: Who): Promise<string> {
  const members = await store.listMembers()
  // The page that the link opens asks the first member for a missing name or email.
  const whom = members.length === 0 ? { name: '', email: '', ...who } : findMember(members, who)
  const token = await new Links(store, Date.now).give(whom)
  return `${baseUrl}${inboxPath}link/${token}`
}

export function howToUse(url: string): string {
  return `Open this address and press the button. It works once and expires in ${linkMs / minuteMs} minutes. Don't share it.\n\n  ${url}`
}

function findMember(members: Member[], { email = '' }: Who): Member {
  const [only, another] = members
  if (email === '' && another === undefined) return only!
  const found = members.find((member) => member.email === plainEmail(email))
  if (found !== undefined) return found
  const all = members.map(({ name, email: their }) => toPlainText(`${name} <${their}>`)).join(', ')
  if (email === '') throw new CommandFailed('usage', `Name one of the members with --email: ${all}`)
  throw new CommandFailed('missing', `There is no member with this email. The members are: ${all}`)
}
