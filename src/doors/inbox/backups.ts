/** What the inbox says of backups: when the last one was made, and a warning while they fail. */
import { backupRows, newestBackupWords } from '../../delivery/mail/backup-words.ts'
import { howToType } from '../../how-to-type.ts'
import { html } from '../../html.ts'
import type { Html } from '../../html.ts'
import { isLate, readBackupState } from '../../store/backup-state.ts'
import type { InboxParts } from './parts.ts'

type BackupParts = Pick<InboxParts, 'desk' | 'backupEveryMs' | 'timeZone' | 'now'>

/** For the settings. */
export async function backupWords(parts: BackupParts): Promise<string> {
  const { desk, backupEveryMs, timeZone, now } = parts
  const [row] = backupRows(await readBackupState(desk.store), { at: now(), timeZone })
  return row?.value ?? (backupEveryMs === undefined ? 'not set up' : 'none yet')
}

/** For the list. Nothing while all is well, or where none are made by the clock. */
export async function backupWarning(parts: BackupParts): Promise<Html> {
  const { desk, backupEveryMs, timeZone, now } = parts
  if (backupEveryMs === undefined) return html``
  const state = await readBackupState(desk.store)
  if (!isLate(state, backupEveryMs, now())) return html``
  return html`<p class="alert">Backups fail. ${newestBackupWords(state.made?.at ?? 0, timeZone)}. The command <code>${howToType('backup')}</code> says why.</p>
`
}
