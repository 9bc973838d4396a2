/** What the owner is told of backups, in letters and in the inbox. */
import { isDrilled, sizeInWords, type BackupState } from '../../store/backup-state.ts'
import { inWords } from '../../time.ts'

type WordsAt = { at: number; timeZone: string }

/** For the weekly letter. None where there are no backups. */
export function backupRows(state: BackupState, { at, timeZone }: WordsAt) {
  const { made } = state
  if (made === undefined) return []
  const checked = isDrilled(state, at) ? ', restored and checked' : ''
  const value = `last ${inWords(made.at, timeZone)}, ${sizeInWords(made.bytes)}${checked}`
  return [{ label: 'Backup', value }]
}

/** `madeAt` 0: never. */
export function lateBackupWords(
  { madeAt, machine }: { madeAt: number; machine: string },
  timeZone: string,
): string[] {
  return [
    `The service on ${machine} cannot make backups. ${newestBackupWords(madeAt, timeZone)}.`,
    'Requests are taken and kept as ever. If the disk were lost now, those since then would be lost with it. Run "lead-intake backup" to see what is wrong.',
  ]
}

export function newestBackupWords(madeAt: number, timeZone: string): string {
  return madeAt === 0 ? 'None was made yet' : `The newest one is from ${inWords(madeAt, timeZone)}`
}
