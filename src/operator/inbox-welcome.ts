/** After a start: how to get into an inbox that has no member yet. */
import type { Settings } from '../config.ts'
import { howToType } from '../how-to-type.ts'
import { errorFacts, type Log } from '../log.ts'
import type { Store } from '../store/store.ts'
import { howToUse, makeLink } from './inbox-link.ts'
import { print } from './output.ts'

const hint = `Nobody can open the inbox yet. "${howToType('inbox link')}" prints an address to come in by.`

/** The address itself is shown at a terminal only: a log may be read by others, and for long. */
export async function welcomeFirstMember(
  { BASE_URL: baseUrl = '' }: Settings,
  store: Pick<Store, 'access'>,
  log: Log,
  isTerminal: boolean,
): Promise<void> {
  try {
    const access = await store.access()
    if ((await access.listMembers()).length > 0) return
    if (!isTerminal) return log.info('inbox.no-member', { note: hint })
    const url = await makeLink(access, baseUrl)
    await print(`\nYour inbox is ready. ${howToUse(url)}\n\n`)
  } catch (error) {
    // The database is away, or the service stops already.
    log.debug('inbox.not-looked-up', errorFacts(error))
  }
}
