/** What an error of PostgreSQL, or of the way to it, means for us. */
import { StorageUnavailable } from './engine.ts'

/**
 * `undefined` for a fault of the statement itself. Only what the server says has a severity; errors
 * of the way to it have none, and codes of their own, such as EPIPE, or no code.
 */
export function postgresFault(error: unknown): string | undefined {
  if (error instanceof StorageUnavailable) return error.reason
  const { code, severity } = error as { code?: string; severity?: string }
  if (code === undefined || severity === undefined) return 'away'
  return byCode[code] ?? byClass[code.slice(0, 2)]
}

/** A value or a rule of the schema: somebody else's row may be fine. */
export function isOfTheRow(error: unknown): boolean {
  return /^(22|23|40)/.test((error as { code?: string }).code ?? '')
}

/** Another order of the same work would have gone through: worth another try at once. */
export function wasCrossed(error: unknown): boolean {
  return (error as { code?: string }).code?.startsWith('40') === true
}

const byCode: Record<string, string> = {
  '25006': 'read-only',
  // A table, a column or a right is missing: the schema is not ours, so no lead is at fault.
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
