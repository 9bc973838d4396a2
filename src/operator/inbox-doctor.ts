/** What `doctor` finds out about the inbox: whether somebody can sign in, and how. */
import type { Settings } from '../config.ts'
import { howToType } from '../how-to-type.ts'
import type { Store } from '../store/store.ts'
import { ok, warning } from './finding.ts'
import type { Finding } from './finding.ts'

export async function checkInbox(
  store: Store,
  { BASE_URL = '', SMTP_URL }: Settings,
): Promise<Finding[]> {
  const { access } = store
  const members = await access.listMembers()
  const hosts = await access.passkeyHosts()
  const { hostname } = new URL(BASE_URL)
  return [
    checkMembers(members.length, SMTP_URL !== undefined || hosts.includes(hostname)),
    ...checkHosts(hosts, hostname),
  ]
}

function checkMembers(members: number, canSignIn: boolean): Finding {
  const link = `"${howToType('inbox link')}" prints an address to come in by`
  if (members === 0) return warning('inbox', `nobody can sign in yet; ${link}`)
  if (canSignIn) return ok('inbox', `members: ${members}`)
  return warning(
    'inbox',
    `there is neither a passkey for this host nor mail for codes, so nobody can sign in by himself; ${link}`,
  )
}

/** A passkey is bound to the host it was made for. */
function checkHosts(hosts: readonly string[], hostname: string): Finding[] {
  const others = hosts.filter((host) => host !== hostname)
  if (others.length === 0) return []
  return [
    warning(
      'passkeys',
      `some were made for ${others.join(', ')}, but the host of BASE_URL is ${hostname}: they do not work there; sign in by a code or by "${howToType('inbox link')}", and add new ones`,
    ),
  ]
}
