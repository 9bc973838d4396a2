/** `lead-intake inbox members`: the people who may open the inbox. */
import { readMember } from '../access/members.ts'
import { howToType } from '../how-to-type.ts'
import { findMemberOrFail, wrongMember } from './inbox-link.ts'
import { withStore, withStoreToRead } from './open.ts'
import { CommandFailed, print, toJson } from './output.ts'
import { toTime } from '../desk/shown-lead.ts'
import { toTable } from './table.ts'

export async function listAllMembers({ json }: { json?: true }): Promise<void> {
  const shown = await withStoreToRead(async (store) => {
    const { access } = store
    const members = await access.listMembers()
    return Promise.all(
      members.map(async ({ id, name, email, madeAt }) => {
        const passkeys = (await access.listPasskeys(id)).length
        const browsers = await access.countSessions(id, Date.now())
        return { id, name, email, since: toTime(madeAt), passkeys, browsers }
      }),
    )
  })
  if (json) return print(toJson(shown))
  if (shown.length === 0) {
    return print(
      `No members yet. "${howToType('inbox link')}" prints an address for the first one.\n`,
    )
  }
  const rows = shown.map(({ name, email, since, passkeys, browsers }) => [
    name,
    email,
    since.slice(0, 10),
    String(passkeys),
    String(browsers),
  ])
  await print(toTable(['name', 'email', 'since', 'passkeys', 'browsers'], rows))
}

type NewMember = { name: string; email: string; json?: true }

export async function addOneMember({ json, ...given }: NewMember): Promise<void> {
  const read = readMember(given, Date.now())
  if ('problems' in read) throw new CommandFailed('usage', wrongMember(read.problems))
  const { member } = read
  await withStore(async (store) => {
    const { access } = store
    if (await access.addMember(member)) return
    throw new CommandFailed('usage', 'A member has this email already.')
  })
  const { id, name, email } = member
  const next = `"${howToType(`inbox link --email ${email}`)}" prints an address to come in by.`
  await print(json ? toJson({ id, name, email }) : `${name} is a member. ${next}\n`)
}

export async function endOneMember(email: string, { json }: { json?: true }): Promise<void> {
  await withStore(async (store) => {
    const { access } = store
    const { id, name } = await findMemberOrFail(access, email)
    await access.endMember(id, Date.now())
    await print(json ? toJson({ id, ended: true }) : `${name} is no longer a member.\n`)
  })
}
