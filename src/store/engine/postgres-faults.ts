/** What an error of PostgreSQL, or of the connection to it, means. */
import { StorageUnavailable, StoreRefused } from './engine.ts'

/**
 * `undefined` for a fault of the statement itself. Only the server's errors have a severity; those of
 * the connection have none, and a code such as EPIPE or none.
 */
export function postgresFault(error: unknown): string | undefined {
  if (error instanceof StorageUnavailable) return error.reason
  // The program's own, as from a value that pg cannot write.
  if (error instanceof TypeError || error instanceof StoreRefused) return undefined
  const { code, severity } = error as { code?: string; severity?: string }
  if (code === undefined || severity === undefined) return 'away'
  return byCode[code] ?? byClass[code.slice(0, 2)]
}

/** A deadlock or serialization failure: worth an immediate retry. */
export function wasCrossed(error: unknown): boolean {
  return (error as { code?: string }).code?.startsWith('40') === true
}

const byCode: Record<string, string> = {
  '25006': 'read-only',
  // A table, a column or a right is missing: the schema is wrong, not the lead.
  '42501': 'refused',
  '42703': 'refused',
  '42P01': 'refused',
  '53100': 'full',
  '55P03': 'locked',
  '57014': 'slow',
}

/** https://www.postgresql.org/docs/current/errcodes-appendix.html */
const byClass: Record<string, string> = {
  '08': 'away',
  '28': 'refused',
  '3D': 'refused',
  '3F': 'refused',
  '53': 'overloaded',
  '57': 'restarting',
  '58': 'input-output',
  XX: 'damaged',
}
