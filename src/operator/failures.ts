/** What a command says when it fails. Loaded for a failure only, because it knows the errors of all rooms. */
import { BackupRefused } from '../backup/file.ts'
import { WrongChannelSetting } from '../delivery/channel.ts'
import { ContentFault } from '../site/yaml.ts'
import { StorageUnavailable, StoreRefused } from '../store/engine/engine.ts'
import { storageFault } from '../store/engine/sqlite-file.ts'
import { howToType } from '../words.ts'
import { CommandFailed } from './shell.ts'

/** Returns an unexpected error unchanged. */
export function toCommandFailed(error: unknown): unknown {
  if (error instanceof WrongChannelSetting || error instanceof ContentFault) {
    return new CommandFailed('usage', error.message)
  }
  if (error instanceof BackupRefused) {
    return new CommandFailed('unwell', `The backup was not made: ${error.message}.`)
  }
  if (error instanceof StoreRefused) return new CommandFailed('unavailable', error.message)
  if (error instanceof StorageUnavailable) {
    return new CommandFailed(
      'unavailable',
      `The database cannot be written (${error.reason}). Run "${howToType('doctor')}".`,
    )
  }
  return systemFault(error) ?? error
}

function systemFault(error: unknown): CommandFailed | undefined {
  const fault = storageFault(error)
  if (fault !== undefined) {
    return new CommandFailed('unavailable', `SQLite cannot read or write a file (${fault}).`)
  }
  const { code = '', path } = error as NodeJS.ErrnoException
  // The error of a write to an open file has no `path`.
  if (path === undefined && !['ENOSPC', 'EDQUOT', 'EIO', 'EROFS'].includes(code)) return undefined
  const words = `${path ?? 'A file'} cannot be read or written (${code}).`
  const cure = cures[code]
  return new CommandFailed('unwell', cure === undefined ? words : `${words} ${cure}`)
}

const otherUser =
  'It belongs to another user: run the command as the user of the service, or run chown on it.'

/** `chown` and `chmod` do not help here. */
export const allowFolder =
  'It is read-only here. Under systemd the service may write /var/lib/lead-intake and /var/lib/lead-intake-backups only: to allow another folder, name it in ReadWritePaths (docs/operating.md, "Backup").'

const cures: Record<string, string> = { EACCES: otherUser, EPERM: otherUser, EROFS: allowFolder }
