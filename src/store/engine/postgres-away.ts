/** Why a server cannot be used: what that allows, and what is told of it. */
import { StorageUnavailable, StoreRefused } from './engine.ts'
import { NewerSchema } from './migrations.ts'

const newer = 'newer-schema'

export function toUnavailable(error: unknown): StorageUnavailable {
  if (error instanceof StorageUnavailable) return error
  if (error instanceof NewerSchema) return new StorageUnavailable(newer, error)
  return new StorageUnavailable(error instanceof StoreRefused ? 'refused' : 'failing', error)
}

export function isGone({ reason }: StorageUnavailable): boolean {
  return reason === 'away' || reason === 'restarting'
}

/** A server that cannot be written may be readable. */
export function isUnreadable({ reason }: StorageUnavailable): boolean {
  return unreadable.has(reason)
}

const unreadable = new Set(['away', 'slow', 'starting', 'refused'])

/** For the log, when a node learns of it. `undefined`: the schema is not the reason. */
export function tellNewer(
  reason: StorageUnavailable,
  before: StorageUnavailable | undefined,
): string | undefined {
  if (!(reason.cause instanceof NewerSchema) || before?.reason === newer) return undefined
  return `${reason.cause.message} Until then this node keeps leads in its spool, and writes nothing to the database.`
}
