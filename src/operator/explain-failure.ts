/** Turns failures into sentences for the operator. */
import { BackupRefused } from '../backup/file.ts'
import { WrongChannelSetting } from '../delivery/channel.ts'
import { howToType } from '../config.ts'
import { ContentFault } from '../site/yaml.ts'
import { StorageUnavailable, StoreRefused } from '../store/engine/engine.ts'
import { storageFault } from '../store/engine/sqlite-file.ts'
import { CommandFailed } from './output.ts'

/** Expected failures become a message with an exit code; anything else stays as it is. */
export function toCommandFailed(error: unknown): unknown {
  if (error instanceof CommandFailed) return error
  if (error instanceof WrongChannelSetting) return new CommandFailed('usage', error.message)
  if (error instanceof ContentFault) return new CommandFailed('usage', error.message)
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

const otherUser =
  'It belongs to another user: run the command as the user of the service, or run chown on it.'

/** Of the file system, or of SQLite on it. A failed write to an open file does not tell which one. */
function systemFault(error: unknown): CommandFailed | undefined {
  const { code, path } = error as NodeJS.ErrnoException
  const fault = storageFault(error)
  if (fault !== undefined) {
    return new CommandFailed('unavailable', `SQLite cannot read or write a file (${fault}).`)
  }
  if (path === undefined && !['ENOSPC', 'EDQUOT', 'EIO', 'EROFS'].includes(code ?? ''))
    return undefined
  const file = path ?? 'A file'
  const advice = code === 'EACCES' || code === 'EPERM' ? otherUser : ''
  return new CommandFailed(
    'unwell',
    `${file} cannot be read or written (${code}). ${advice}`.trim(),
  )
}
