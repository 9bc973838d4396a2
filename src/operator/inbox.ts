/** `lead-intake inbox`: an address to come in by, which always works, and the members. */
import { linkMs, Links } from '../access/links.ts'
import { plainEmail, readMember } from '../access/members.ts'
import { howToType, type Settings } from '../config.ts'
import { inboxPath } from '../contract/routes.ts'
import { toTime } from '../desk/export.ts'
import { minuteMs } from '../time.ts'
import { errorFacts, type Log } from '../log.ts'
import { type AccessStore, type Member } from '../store/access/store.ts'
import { type Store } from '../store/store.ts'
import { withStore, withStoreToRead } from './open.ts'
import { CommandFailed, toJson } from './output.ts'
import { type Shell } from './shell.ts'

type Who = { email?: string; name?: string }
type Options = { json?: true }

export async function printLink(shell: Shell, { json, ...who }: Who & Options): Promise<void> {
  await withStore(shell, async ({ access }, { BASE_URL: baseUrl }) => {
    const url = await makeLink(access, baseUrl, who)
    await shell.print(json ? toJson({ url }) : `${howToUse(url)}\n`)
  })
}

/** While there is no member, the one who uses it becomes the first. */
async function makeLink(store: AccessStore, baseUrl: string, who: Who = {}): Promise<string> {
  const members = await store.listMembers()
  const isFirst = members.length === 0
  const whom = isFirst ? readFirst(who) : await meant(store, members, who.email)
  const token = await new Links(store, Date.now).give(whom)
  return `${baseUrl}${inboxPath}link/${token}`
}

function howToUse(url: string): string {
  return `Open this address and press the button. It works once, for ${linkMs / minuteMs} minutes; give it to nobody.\n\n  ${url}`
}

/** The page asks for what is left out. */
function readFirst({ name = '', email = '' }: Who): { name: string; email: string } {
  const filled = { name: name || 'Robin', email: email || 'robin@example.com' }
  refuseWrong(readMember(filled, 0))
  return { name: name.trim(), email: plainEmail(email) }
}

function refuseWrong(read: ReturnType<typeof readMember>): Member {
  if ('member' in read) return read.member
  const words = {
    name: '--name must be a name.',
    email: '--email must be an address such as robin@example.com.',
  }
  throw new CommandFailed('usage', read.problems.map((field) => words[field]).join(' '))
}

async function meant(store: AccessStore, members: Member[], email = ''): Promise<Member> {
  const [only, another] = members
  if (email !== '') return findMember(store, email)
  if (only !== undefined && another === undefined) return only
  const question = `There are ${members.length} members. Name one with --email; "${howToType('inbox members list')}" shows them.`
  throw new CommandFailed('usage', question)
}

async function findMember(store: AccessStore, email: string): Promise<Member> {
  const found = await store.findMemberByEmail(plainEmail(email))
  if (found !== undefined) return found
  throw new CommandFailed(
    'missing',
    `There is no member with this email. "${howToType('inbox members add')}" makes one.`,
  )
}

const hint = `Nobody can open the inbox yet. "${howToType('inbox link')}" prints an address to come in by.`

/** After a start. Only a terminal is shown the address: a log may be read by others, and for long. */
export async function welcomeFirstMember(
  shell: Shell,
  { BASE_URL: baseUrl }: Settings,
  parts: { store: Pick<Store, 'access'>; log: Log; isTerminal: boolean },
): Promise<void> {
  const { log, isTerminal } = parts
  const { access } = parts.store
  try {
    if ((await access.listMembers()).length > 0) return
    if (!isTerminal) return log.info('inbox.no-member', { note: hint })
    const url = await makeLink(access, baseUrl)
    await shell.print(`\nYour inbox is ready. ${howToUse(url)}\n\n`)
  } catch (error) {
    // The database is away, or the service stops already.
    log.debug('inbox.not-looked-up', errorFacts(error))
  }
}

export async function listMembers(shell: Shell, { json }: Options): Promise<void> {
  const shown = await withStoreToRead(shell, async ({ access }) =>
    Promise.all(
      (await access.listMembers()).map(async ({ id, name, email, madeAt }) => {
        const passkeys = (await access.listPasskeys(id)).length
        const browsers = await access.countSessions(id, Date.now())
        return { id, name, email, since: toTime(madeAt), passkeys, browsers }
      }),
    ),
  )
  const columns = ['name', 'email', 'since', 'passkeys', 'browsers'] as const
  await shell.printRows(shown, { columns, json, none: hint })
}

type NewMember = { name: string; email: string } & Options

export async function addMember(shell: Shell, { json, ...given }: NewMember): Promise<void> {
  const member = refuseWrong(readMember(given, Date.now()))
  await withStore(shell, async ({ access }) => {
    if (await access.addMember(member)) return
    throw new CommandFailed('usage', 'A member has this email already.')
  })
  const { id, name, email } = member
  const next = `"${howToType(`inbox link --email ${email}`)}" prints an address to come in by.`
  await shell.print(json ? toJson({ id, name, email }) : `${name} is a member. ${next}\n`)
}

export async function endMember(shell: Shell, email: string, { json }: Options): Promise<void> {
  await withStore(shell, async ({ access }) => {
    const { id, name } = await findMember(access, email)
    await access.endMember(id, Date.now())
    await shell.print(json ? toJson({ id, ended: true }) : `${name} is no longer a member.\n`)
  })
}
