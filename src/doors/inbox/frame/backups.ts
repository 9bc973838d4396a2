/** What the inbox says of backups: when the last one was made, and a warning while they fail. */
import { backupRows, newestBackupWords } from '../../../delivery/mail/backup-words.ts'
import { howToType } from '../../../how-to-type.ts'
import { html, type Html } from '../../../html.ts'
import { isLate, readBackupState } from '../../../store/backup-state.ts'
import { type Inbox } from './inbox.ts'

/** For the settings. */
export async function backupWords(inbox: Inbox): Promise<string> {
  const { desk, backupEveryMs, timeZone, now } = inbox
  const [row] = backupRows(await readBackupState(desk.store), { at: now(), timeZone })
  return row?.value ?? (backupEveryMs === undefined ? 'not set up' : 'none yet')
}

/** For the list. Nothing while all is well, or where none are made by the clock. */
export async function backupWarning(inbox: Inbox): Promise<Html> {
  const { desk, backupEveryMs, timeZone, now } = inbox
  if (backupEveryMs === undefined) return html``
  const state = await readBackupState(desk.store)
  if (!isLate(state, backupEveryMs, now())) return html``
  return html`<p class="alert">Backups fail. ${newestBackupWords(state.made?.at ?? 0, timeZone)}. The command <code>${howToType('backup')}</code> says why.</p>
`
}
